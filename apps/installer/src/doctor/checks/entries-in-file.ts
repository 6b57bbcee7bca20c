/** What a client's file says of our wiring, one function per kind of finding: no kind has to know of another. */
import type { HarnessDeclaration, JsonValue } from '@openviking/memory-core/full';
import { samePath } from '../../wiring/record.ts';
import type { ClientReceipt } from '../../receipts/receipt.ts';
import type { Detail, Found } from '../check.ts';
import type { DoctorFinding } from '../finding.ts';
import type { FileEntries, OwnEntry } from '../snapshot/entries.ts';

/** Codes of findings about one file. */
type FileCode =
  | '<client>/earlier-entries'
  | '<client>/entries-doubled'
  | '<client>/entries-missing'
  | '<client>/entries-outdated'
  | '<client>/foreign-entry'
  | '<client>/hooks-disabled'
  | '<client>/hooks-wiped'
  | '<client>/no-receipt'
  | '<client>/other-launcher'
  | '<client>/sandbox-closed'
  | '<client>/server-copied'
  | '<client>/server-renamed';

/** The file that is looked at, and how findings about it are made. */
export interface FileAt {
  readonly file: string;
  readonly client: HarnessDeclaration;
  readonly home: string;
  readonly found: Found<FileCode>;
  /** A finding that another installation mends. */
  readonly again: (detail: Detail) => Detail;
  /** The command that installs this client. */
  readonly install: { readonly en: string; readonly zh: string };
}

/** Findings about a file that is there. `hasBrokenReceipt`: what is installed is not known, and told elsewhere. */
export function entryFindings(
  at: FileAt,
  entries: FileEntries,
  receipt: ClientReceipt | undefined,
  hasBrokenReceipt: boolean,
): readonly DoctorFinding[] {
  const { own, missing } = entries;
  const current = own.filter(({ owner }) => owner === 'current');
  const earlier = earlierEntries(at, entries);
  if (receipt === undefined) return [...earlier, ...(hasBrokenReceipt ? [] : withoutReceipt(at, current))];
  const isWiped = missing.some(({ kind }) => kind === 'hook') && !current.some(({ kind }) => kind === 'hook');
  const renamed = current.filter(({ isRenamed }) => isRenamed);
  const isMissing = ({ path, kind }: FileEntries['missing'][number]): boolean =>
    kind === 'hook' ? !isWiped : kind === 'entry' && !renamed.some((entry) => isBeside(entry.path, path));
  return [
    ...earlier,
    ...changedScalars(at, entries),
    ...wipedHooks(at, isWiped),
    ...renamedServers(at, entries, renamed),
    ...closedSandbox(at, entries),
    ...lostEntries(
      at,
      missing.filter(isMissing).map(({ path }) => path.join('.')),
    ),
    ...doubledEntries(at, current),
    ...otherLauncher(at, current, receipt.payload.folder),
    ...foreignEntries(at, entries),
  ];
}

/** The file is not there. */
export function absentFile({ found, again, file }: FileAt): DoctorFinding {
  return found(
    '<client>/entries-missing',
    again({
      file,
      message: {
        en: 'The file is gone, and our entries with it.',
        zh: '该文件不存在，我们的条目也随之消失。',
      },
    }),
  );
}

/** What the earlier shell installer has left. */
function earlierEntries({ found, again, file }: FileAt, { own }: FileEntries): readonly DoctorFinding[] {
  const earlier = own.filter(({ owner }) => owner === 'earlier');
  const first = earlier[0];
  const findings: DoctorFinding[] = [];
  if (first !== undefined) {
    findings.push(
      found(
        '<client>/earlier-entries',
        again({
          file,
          line: first.line,
          message: {
            en: `${earlier.length} ${earlier.length === 1 ? 'entry' : 'entries'} of the earlier shell installer ${earlier.length === 1 ? 'is' : 'are'} still there.`,
            zh: `仍有 ${earlier.length} 个旧 shell 安装程序的条目。`,
          },
        }),
      ),
    );
  }
  return findings;
}

/** Ours in a file of which this home knows nothing. */
function withoutReceipt(
  { found, file, install, client: { id, name } }: FileAt,
  current: readonly OwnEntry[],
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  const mark = current[0];
  if (mark !== undefined) {
    findings.push(
      found('<client>/no-receipt', {
        client: id,
        file,
        line: mark.line,
        message: {
          en: `Our entries are in this file of ${name}, but nothing is installed for it here.`,
          zh: `${name} 的该文件中有我们的条目，但此处没有相应的安装记录。`,
        },
        fix: install,
      }),
    );
  }
  return findings;
}

/** Values that are not ours any more. */
function changedScalars(
  { found, again, file, client: { name } }: FileAt,
  { scalars }: FileEntries,
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  for (const { path, line, wanted, isAbsent } of scalars) {
    // A missing switch belongs to missing entries; one that was turned says more.
    if (isAbsent) continue;
    const isSwitch = typeof wanted === 'boolean';
    findings.push(
      found(
        isSwitch ? '<client>/hooks-disabled' : '<client>/entries-outdated',
        again({
          file,
          line,
          message: isSwitch
            ? {
                en: `${path.join('.')} is not ${wanted}: ${name} runs no hook.`,
                zh: `${path.join('.')} 不是 ${wanted}：${name} 不会运行任何钩子。`,
              }
            : {
                en: `${path.join('.')} is not ${JSON.stringify(wanted)}.`,
                zh: `${path.join('.')} 不是 ${JSON.stringify(wanted)}。`,
              },
        }),
      ),
    );
  }
  return findings;
}

/** Not one of our hooks is left. */
function wipedHooks(
  { found, again, file, client: { name, trust } }: FileAt,
  isWiped: boolean,
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  if (isWiped) {
    findings.push(
      found(
        '<client>/hooks-wiped',
        again({
          file,
          message: {
            en: `None of our hooks is left: something, such as a settings page of ${name}, has replaced the list.${trust === undefined ? '' : ` ${trust.en}`}`,
            zh: `钩子已全部消失：${name} 的设置页面等程序覆盖了列表。${trust === undefined ? '' : trust.zh}`,
          },
        }),
      ),
    );
  }
  return findings;
}

/** Our server under another name, in its place or beside it. */
function renamedServers(
  { found, file, client: { id, name } }: FileAt,
  { missing }: FileEntries,
  renamed: readonly OwnEntry[],
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  for (const { path, line } of renamed) {
    const place = missing.find((lost) => isBeside(path, lost.path));
    const names = { client: id, file, line };
    const wanted = place?.path.at(-1);
    findings.push(
      wanted === undefined
        ? found('<client>/server-copied', {
            ...names,
            message: {
              en: `${path.join('.')} is a copy of our server under another name: ${name} has every memory tool twice.`,
              zh: `${path.join('.')} 是我们的服务器的另一个副本：${name} 中每个记忆工具都出现两次。`,
            },
            fix: { en: `Remove ${path.join('.')}.`, zh: `请删除 ${path.join('.')}。` },
          })
        : found('<client>/server-renamed', {
            ...names,
            message: {
              en: `Our MCP server has the name "${path.at(-1)}" here, in place of "${wanted}": permissions and instructions that name its tools go past it.`,
              zh: `我们的 MCP 服务器在此处名为“${path.at(-1)}”，而不是“${wanted}”：指明其工具的权限和说明不会生效。`,
            },
            fix: { en: `Call it "${wanted}" again.`, zh: `请改回“${wanted}”。` },
          }),
    );
  }
  return findings;
}

/** Our folder is not open to hooks that run in a sandbox. */
function closedSandbox(
  { found, again, file, client: { name } }: FileAt,
  { missing }: FileEntries,
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  for (const { path } of missing.filter(({ kind }) => kind === 'item')) {
    findings.push(
      found(
        '<client>/sandbox-closed',
        again({
          file,
          message: {
            en: `Our folder is not in ${path.join('.')}: hooks that ${name} runs in its sandbox end without an error and store nothing.`,
            zh: `${path.join('.')} 中没有我们的文件夹：${name} 在沙箱中运行的钩子不会报错，但什么也不保存。`,
          },
        }),
      ),
    );
  }
  return findings;
}

/** What is gone and nothing else explains. */
function lostEntries({ found, again, file }: FileAt, lost: readonly string[]): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  if (lost.length > 0) {
    findings.push(
      found(
        '<client>/entries-missing',
        again({
          file,
          message: { en: `Ours is missing at: ${lost.join(', ')}.`, zh: `缺少我们的条目：${lost.join('、')}。` },
        }),
      ),
    );
  }
  return findings;
}

/** What is there more than once, or in a form that is not wanted. */
function doubledEntries(
  { found, again, file, client: { name } }: FileAt,
  current: readonly OwnEntry[],
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  const surplus = current.find(({ isWanted, isRenamed }) => !isWanted && !isRenamed);
  if (surplus !== undefined) {
    findings.push(
      found(
        '<client>/entries-doubled',
        again({
          file,
          line: surplus.line,
          message: {
            en: `${surplus.path.join('.')} is ours and does not belong here any more: ${name} has us in another form, and both would run.`,
            zh: `${surplus.path.join('.')} 是我们的条目，但已不该在此处：${name} 已用另一种方式接入，两者会同时运行。`,
          },
        }),
      ),
    );
  }
  for (const [path, line] of doubled(current)) {
    findings.push(
      found(
        '<client>/entries-doubled',
        again({
          file,
          line,
          message: {
            en: `Ours is at ${path} more than once: every turn would be handled twice.`,
            zh: `${path} 中有重复的条目：每轮对话会被处理两次。`,
          },
        }),
      ),
    );
  }
  return findings;
}

/** An entry that starts what is not in this home. */
function otherLauncher(
  { found, again, file, home }: FileAt,
  current: readonly OwnEntry[],
  folder: string,
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  const strange = current.find((entry) => !namesFolder(entry.value, folder));
  if (strange !== undefined) {
    findings.push(
      found(
        '<client>/other-launcher',
        again({
          file,
          line: strange.line,
          message: {
            en: `${strange.path.join('.')} names a launcher that is not the one of ${home}.`,
            zh: `${strange.path.join('.')} 所指的启动器不属于 ${home}。`,
          },
        }),
      ),
    );
  }
  return findings;
}

/** Somebody else's entries under our name. */
function foreignEntries(
  { found, file, install, client: { id, name } }: FileAt,
  { foreign }: FileEntries,
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  for (const { path, line } of foreign) {
    findings.push(
      found('<client>/foreign-entry', {
        client: id,
        file,
        line,
        message: {
          en: `${path.join('.')} is somebody else's entry: ${name} gets no memory tools from us.`,
          zh: `${path.join('.')} 是其他程序的条目：${name} 无法使用我们的记忆工具。`,
        },
        fix: { en: `Rename or remove it, then: ${install.en}`, zh: `请重命名或删除它，然后运行：${install.zh}` },
      }),
    );
  }
  return findings;
}

/** Two names in one map. */
function isBeside(one: readonly string[], other: readonly string[]): boolean {
  return samePath(one.slice(0, -1), other.slice(0, -1));
}

/** Paths at which there is more than one of ours, with the line of the second. */
function doubled(entries: readonly OwnEntry[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number[]>();
  for (const { path, line } of entries) {
    const key = path.join('.');
    lines.set(key, [...(lines.get(key) ?? []), line]);
  }
  return new Map([...lines].flatMap(([path, [, second]]) => (second === undefined ? [] : [[path, second] as const])));
}

/** Whether the entry names our folder, in whatever spelling; true for one that names no such folder in clear text. */
function namesFolder(value: JsonValue, folder: string): boolean {
  const texts = stringsIn(value);
  if (!texts.some((text) => /[\\/]agent-integrations[\\/]/.test(text))) return true;
  const spellings = [
    folder,
    folder.replaceAll("'", "'\\''"),
    folder.replaceAll('%', '%%'),
    folder.replaceAll("'", "''"),
  ];
  return texts.some((text) => spellings.some((spelling) => text.includes(spelling)));
}

function stringsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => stringsIn(inner as JsonValue));
}
