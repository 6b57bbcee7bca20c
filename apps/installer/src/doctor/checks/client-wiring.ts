/** Our entries in the files of each client: there, once, with the launcher of this home, and switched on. */
import { sep } from 'node:path';
import { ENGLISH } from '../../cli/messages-en.ts';
import { CHINESE } from '../../cli/messages-zh.ts';
import { defineCheck } from '../check.ts';
import { absentFile, entryFindings } from './entries-in-file.ts';
import type { Note } from '../../plan/note.ts';
import type { Found } from '../check.ts';
import type { DoctorFinding, Repair } from '../finding.ts';
import type { ClientSnapshot, Rewiring } from '../snapshot/client.ts';
import type { DanglingLink } from '../../files/dangling-link.ts';
import type { FileAt } from './entries-in-file.ts';

export const clientWiringCheck = defineCheck({
  group: 'clients',
  codes: {
    '<client>/wired': {
      severity: 'ok',
      cause: {
        en: 'Hooks and MCP server are in the client’s files as this version writes them.',
        zh: '钩子和 MCP 服务器均已按本版本的方式写入客户端配置。',
      },
    },
    '<client>/hooks-wiped': {
      severity: 'error',
      cause: {
        en: 'All our hooks are gone from a file that had them: the client’s settings page, another installer or a restored backup has replaced the list.',
        zh: '文件中原有的钩子全部消失：客户端的设置页面、其他安装程序或还原的备份覆盖了列表。',
      },
      cure: {
        en: 'Let `doctor --fix` put them back, and do not save on that page of the client.',
        zh: '用 `doctor --fix` 恢复，并且不要在客户端的该页面点击保存。',
      },
      isFixable: true,
    },
    '<client>/entries-missing': {
      severity: 'error',
      cause: {
        en: 'Some of our hooks, or the MCP server, are gone from the client’s file.',
        zh: '客户端文件中缺少部分钩子或 MCP 服务器。',
      },
      cure: { en: 'Let `doctor --fix` put them back.', zh: '用 `doctor --fix` 恢复。' },
      isFixable: true,
    },
    '<client>/entries-doubled': {
      severity: 'error',
      cause: {
        en: 'A hook or server of ours is in the file more than once: every turn would be handled twice.',
        zh: '同一个钩子或服务器在文件中出现多次：每轮对话会被处理两次。',
      },
      cure: { en: 'Let `doctor --fix` take the second ones out.', zh: '用 `doctor --fix` 删除重复项。' },
      isFixable: true,
    },
    '<client>/sandbox-closed': {
      severity: 'error',
      cause: {
        en: 'The client’s sandbox does not let hooks write into our folder: they end without an error and store nothing.',
        zh: '客户端的沙箱不允许钩子写入我们的文件夹：钩子不会报错，但什么也不保存。',
      },
      cure: { en: 'Let `doctor --fix` allow it again.', zh: '用 `doctor --fix` 重新允许。' },
      isFixable: true,
    },
    '<client>/other-folder': {
      severity: 'error',
      cause: {
        en: 'A variable of this shell makes the client look for its settings in another folder than the one that was wired.',
        zh: '此终端中的某个变量使客户端在另一个文件夹中查找设置，而不是已接入的那个。',
      },
      cure: {
        en: 'Take the variable away if it is a mistake; else let `doctor --fix` wire the other folder too.',
        zh: '若属误设，请取消该变量；否则用 `doctor --fix` 也接入该文件夹。',
      },
      isFixable: true,
    },
    '<client>/installed-elsewhere': {
      severity: 'info',
      cause: {
        en: 'The client was wired where a variable named its folder, and the variable is not set in this shell. What was wired is examined all the same.',
        zh: '接入客户端时有变量指定其文件夹，而此终端未设置该变量。检查的仍是已接入的文件夹。',
      },
      cure: {
        en: 'Start the client with the variable; or install again without it, to wire the usual folder too.',
        zh: '请带上该变量启动客户端；或在不带该变量时重新安装，以同时接入默认文件夹。',
      },
    },
    '<client>/server-renamed': {
      severity: 'warn',
      cause: {
        en: 'Our MCP server stands in the client’s file under another name: permissions and instructions that name its tools go past it.',
        zh: '我们的 MCP 服务器在客户端文件中使用了其他名称：指明其工具的权限和说明不会生效。',
      },
      cure: {
        en: 'Give it its name again. That is never done for you: the name may be wanted.',
        zh: '请改回原名。名称可能是有意更改的，因此不会自动修改。',
      },
    },
    '<client>/server-copied': {
      severity: 'warn',
      cause: {
        en: 'A copy of our MCP server stands beside it under another name: the model has every memory tool twice.',
        zh: '我们的 MCP 服务器旁有另一个名称的副本：模型中每个记忆工具都出现两次。',
      },
      cure: { en: 'Remove the copy.', zh: '请删除该副本。' },
    },
    '<client>/entries-outdated': {
      severity: 'warn',
      cause: { en: 'Our entries are not as this version writes them.', zh: '条目与本版本的写法不一致。' },
      cure: { en: 'Let `doctor --fix` bring them up to date.', zh: '用 `doctor --fix` 更新。' },
      isFixable: true,
    },
    '<client>/plugin-missing': {
      severity: 'error',
      cause: {
        en: 'The client runs our hooks from a plugin, and that plugin is not registered any more: it was uninstalled, or its marketplace removed.',
        zh: '客户端通过插件运行我们的钩子，而该插件已不再注册：被卸载，或其市场被移除。',
      },
      cure: {
        en: 'Let `doctor --fix` register it again, by the client’s own commands.',
        zh: '用 `doctor --fix` 通过客户端自己的命令重新注册。',
      },
      isFixable: true,
    },
    '<client>/plugin-disabled': {
      severity: 'warn',
      cause: {
        en: 'The plugin from which the client runs our hooks is switched off there: nothing is recalled or captured. That is a choice of the user’s, and it is kept.',
        zh: '客户端用来运行我们钩子的插件已被停用：不会召回，也不会采集。这是用户的选择，会保留。',
      },
      cure: {
        en: 'Switch it on again in the client’s list of plugins, or uninstall the integration.',
        zh: '请在客户端的插件列表中重新启用，或卸载本集成。',
      },
    },
    '<client>/other-launcher': {
      severity: 'error',
      cause: {
        en: 'An entry of ours names a launcher that is not this home’s: the home was moved or copied, or the entry comes from another machine.',
        zh: '条目所指的启动器不属于此主目录：主目录被移动或复制过，或条目来自另一台机器。',
      },
      cure: { en: 'Let `doctor --fix` name the right one.', zh: '用 `doctor --fix` 改为正确的启动器。' },
      isFixable: true,
    },
    '<client>/hooks-disabled': {
      severity: 'error',
      cause: {
        en: 'A switch in the client’s file keeps every hook from running.',
        zh: '客户端文件中的某个开关使所有钩子都不运行。',
      },
      cure: { en: 'Let `doctor --fix` switch it on.', zh: '用 `doctor --fix` 打开。' },
      isFixable: true,
    },
    '<client>/earlier-entries': {
      severity: 'warn',
      cause: {
        en: 'The file holds entries of the earlier shell installer, whose scripts may be gone or capture a second time.',
        zh: '文件中有旧 shell 安装程序的条目，其脚本可能已不存在，或会造成重复采集。',
      },
      cure: {
        en: 'Let `doctor --fix` replace them; where the client is not installed, install it.',
        zh: '用 `doctor --fix` 替换；若该客户端尚未安装，请安装。',
      },
      isFixable: true,
    },
    '<client>/foreign-entry': {
      severity: 'warn',
      cause: { en: 'An entry of somebody else has the name of ours.', zh: '其他程序的条目占用了我们的名称。' },
      cure: { en: 'Rename or remove it, then install again.', zh: '请重命名或删除它，然后重新安装。' },
    },
    '<client>/no-receipt': {
      severity: 'warn',
      cause: {
        en: 'Our entries are in the client’s file, but there is no receipt: it was deleted, or the file was copied from another machine.',
        zh: '客户端文件中有我们的条目，但没有安装回执：回执被删除，或文件来自另一台机器。',
      },
      cure: {
        en: 'Install the client again; or uninstall it, which takes out what it recognises.',
        zh: '请重新安装；或执行卸载，它会移除可识别的条目。',
      },
    },
    '<client>/short-time-limit': {
      severity: 'warn',
      cause: {
        en: 'A hook has less time in the client’s file than it plans with: the client may end it before it has answered.',
        zh: '客户端文件中给钩子的时间少于其预计用时：客户端可能在它回应之前就将其终止。',
      },
      cure: {
        en: 'Raise the value. It was set by hand and is never changed for you.',
        zh: '请调大该值。它是手工设置的，不会自动修改。',
      },
    },
    '<client>/file-missing': {
      severity: 'warn',
      cause: { en: 'A skill, command or rule of ours is gone.', zh: '我们的技能、命令或规则文件不存在。' },
      cure: { en: 'Let `doctor --fix` write it again.', zh: '用 `doctor --fix` 重新写入。' },
      isFixable: true,
    },
    '<client>/file-changed': {
      severity: 'info',
      cause: {
        en: 'A skill, command or rule of ours has been changed; it is kept.',
        zh: '我们的技能、命令或规则文件被改动过；会保留。',
      },
    },
  },
  run: ({ clients, home }, found) =>
    clients.flatMap((snapshot): readonly DoctorFinding[] => {
      const { receipt, configs, rewiring, brokenReceipt } = snapshot;
      const at = clientAt(snapshot, home, found);
      const inFiles = configs.flatMap(({ path: file, isNeeded, state }): readonly DoctorFinding[] => {
        // Of another shape than the client's: that is told, and nothing of ours can be in it.
        if (state.kind === 'refused' || (rewiring.kind === 'refused' && rewiring.file === file)) return [];
        if (state.kind === 'read') {
          return entryFindings({ ...at, file }, state.entries, receipt, brokenReceipt !== undefined);
        }
        const isTold = receipt === undefined || !isNeeded || state.link !== undefined;
        return isTold ? [] : [absentFile({ ...at, file })];
      });
      if (receipt === undefined) return inFiles;
      const findings = [...inFiles, ...otherFolder(at, snapshot), ...ownedFiles(at, snapshot)];
      if (rewiring.kind !== 'planned') return findings;
      findings.push(...shortTimeLimits(at, rewiring.notes), ...disabledPlugin(at, snapshot, rewiring.notes));
      findings.push(...outdated(at, snapshot, rewiring, findings));
      return [...wired(at, snapshot, findings), ...findings];
    }),
});

type ClientCode =
  | '<client>/entries-outdated'
  | '<client>/file-changed'
  | '<client>/file-missing'
  | '<client>/installed-elsewhere'
  | '<client>/other-folder'
  | '<client>/plugin-disabled'
  | '<client>/plugin-missing'
  | '<client>/short-time-limit'
  | '<client>/wired';

type ClientAt = Omit<FileAt, 'file' | 'found'> & { readonly found: FileAt['found'] & Found<ClientCode> };

type PlannedRewiring = Extract<Rewiring, { readonly kind: 'planned' }>;

function clientAt(snapshot: ClientSnapshot, home: string, found: ClientAt['found']): ClientAt {
  const { client } = snapshot;
  const repair = repairOf(snapshot);
  const install = { en: `openviking-install --harness ${client.id}`, zh: `openviking-install --harness ${client.id}` };
  return {
    client,
    home,
    found,
    install,
    again: (detail) => ({
      client: client.id,
      fix: install,
      ...(repair === undefined ? {} : { repair }),
      ...detail,
    }),
  };
}

/** The client would look elsewhere when it is started from this shell. */
function otherFolder(
  { found, again, install, client: { id, name } }: ClientAt,
  snapshot: ClientSnapshot,
): readonly DoctorFinding[] {
  const { elsewhere } = snapshot;
  if (elsewhere === undefined) return [];
  const { variable, here, there, file } = elsewhere;
  if (here === undefined) {
    return [
      found('<client>/installed-elsewhere', {
        client: id,
        file: file.there,
        message: {
          en: `Wired with ${variable}=${there}, which is not set in this shell: started from here, ${name} reads ${file.here} and remembers nothing.`,
          zh: `接入时 ${variable}=${there}，而此终端未设置该变量：从此处启动的 ${name} 读取 ${file.here}，没有记忆。`,
        },
        fix: {
          en: `Set ${variable} where ${name} is started; or wire the usual folder too: ${install.en}`,
          zh: `请在启动 ${name} 处设置 ${variable}；或同时接入默认文件夹：${install.zh}`,
        },
      }),
    ];
  }
  if (!elsewhere.isAbsolute) {
    return [
      found('<client>/other-folder', {
        client: id,
        message: {
          en: `${variable} is "${here}" in this shell, which is no absolute path: ${name} looks in another folder wherever it is started, and our entries are in ${file.there}.`,
          zh: `此终端中 ${variable} 为“${here}”，不是绝对路径：${name} 在不同位置启动时会查找不同的文件夹，而我们的条目在 ${file.there} 中。`,
        },
        fix: {
          en: there === undefined ? `Unset ${variable}.` : `Set ${variable} to ${there}.`,
          zh: there === undefined ? `请取消 ${variable}。` : `请将 ${variable} 设为 ${there}。`,
        },
      }),
    ];
  }
  const repair = repairOf(snapshot);
  return [
    found('<client>/other-folder', {
      ...again({
        file: file.here,
        message: {
          en: `${variable} makes ${name} look here now, and our entries are in ${file.there}.`,
          zh: `${variable} 使 ${name} 改为在此处查找，而我们的条目在 ${file.there} 中。`,
        },
        fix: {
          en: `Unset ${variable} if that is a mistake, else run: ${install.en}`,
          zh: `若属误设，请取消 ${variable}；否则运行：${install.zh}`,
        },
      }),
      ...(repair?.kind === 'wiring' ? { repair: { ...repair, here: true } } : {}),
    }),
  ];
}

/** Files that are ours whole. */
function ownedFiles(
  { found, again, client: { id } }: ClientAt,
  { configs, owned }: ClientSnapshot,
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  const danglingLinks = linksIn(configs);
  for (const { path: file, state } of owned) {
    if (state === 'missing') {
      if (danglingLinks.some(({ link }) => isAtOrBelow(file, link))) continue;
      findings.push(
        found(
          '<client>/file-missing',
          again({ file, message: { en: 'This file of ours is gone.', zh: '我们的该文件已不存在。' } }),
        ),
      );
    } else if (state === 'changed') {
      findings.push(
        found('<client>/file-changed', {
          client: id,
          file,
          message: { en: 'This file of ours has been changed; it is kept.', zh: '我们的该文件被改动过；会保留。' },
        }),
      );
    }
  }
  return findings;
}

/** Hooks that somebody has given less time than they plan with. */
function shortTimeLimits({ found, client: { id } }: ClientAt, notes: readonly Note[]): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  for (const note of notes.filter(({ code }) => code.endsWith('/short-time-limit'))) {
    const { file, line, say } = note;
    findings.push(
      found('<client>/short-time-limit', {
        client: id,
        ...(file === undefined ? {} : { file }),
        ...(line === undefined ? {} : { line }),
        message: { en: withoutPlace(say(ENGLISH), note), zh: withoutPlace(say(CHINESE), note) },
      }),
    );
  }
  return findings;
}

/** Our plugin is there and switched off. */
function disabledPlugin(
  { found, client: { id, name } }: ClientAt,
  { receipt, switchedOff }: ClientSnapshot,
  notes: readonly Note[],
): readonly DoctorFinding[] {
  const registration = receipt?.registration;
  const findings: DoctorFinding[] = [];
  if (registration !== undefined && (switchedOff !== undefined || isListedAsOff(notes))) {
    const { id: plugin } = registration;
    const set = switchedOff === undefined ? undefined : `${switchedOff.path.join('.')} = true`;
    findings.push(
      found('<client>/plugin-disabled', {
        client: id,
        ...(switchedOff === undefined ? {} : { file: switchedOff.file, line: switchedOff.line }),
        message: {
          en: `The plugin ${plugin} is switched off in ${name}: nothing is recalled or captured there.`,
          zh: `插件 ${plugin} 在 ${name} 中已停用：不会召回，也不会采集。`,
        },
        fix: {
          en: `Switch it on in the list of plugins of ${name}${set === undefined ? '' : `, or set ${set} there`}.`,
          zh: `请在 ${name} 的插件列表中启用${set === undefined ? '' : `，或在该文件中设置 ${set}`}。`,
        },
      }),
    );
  }
  return findings;
}

/** What an installation would still change, where no finding has told it already. */
function outdated(
  { found, again, client: { name } }: ClientAt,
  { configs, program }: ClientSnapshot,
  rewiring: PlannedRewiring,
  told: readonly DoctorFinding[],
): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  const isSame = program?.carried === program?.version;
  const isTold = told.some(({ repair: mend }) => mend?.kind === 'wiring');
  if (rewiring.needsCommands && isSame && !isTold) {
    findings.push(
      found(
        '<client>/plugin-missing',
        again({
          message: {
            en: `The plugin from which ${name} runs our hooks is not registered as the installation left it.`,
            zh: `${name} 用来运行我们钩子的插件已不是安装时的注册状态。`,
          },
        }),
      ),
    );
  } else if (rewiring.isNeeded && isSame && !isTold && !isKeptBack(told, configs)) {
    findings.push(
      found(
        '<client>/entries-outdated',
        again({
          message: {
            en: `The entries of ${name} are not as this version writes them.`,
            zh: `${name} 的条目与本版本的写法不一致。`,
          },
        }),
      ),
    );
  }
  return findings;
}

/** Everything is as it should be: said only where nothing else is. */
function wired(
  { found, client: { id, name } }: ClientAt,
  { configs, receipt }: ClientSnapshot,
  told: readonly DoctorFinding[],
): readonly DoctorFinding[] {
  const isRefused = configs.some(
    ({ state }) => state.kind === 'read' && (state.rules.length > 0 || state.entries.switched.length > 0),
  );
  if (isRefused || told.some(({ severity }) => severity === 'error' || severity === 'warn')) return [];
  const inFiles = configs.flatMap(({ path, state }) =>
    state.kind === 'read' && state.entries.own.length > 0 ? [path] : [],
  );
  const rewritten = (receipt?.registration?.rewrites ?? []).map(({ path }) => path);
  const places = [...new Set([...rewritten, ...inFiles])];
  return [
    found('<client>/wired', {
      client: id,
      message: { en: `${name}: wired in ${places.join(', ')}.`, zh: `${name}：已接入 ${places.join('、')}。` },
    }),
  ];
}

function linksIn(configs: ClientSnapshot['configs']): readonly DanglingLink[] {
  return configs.flatMap(({ state }) => (state.kind === 'absent' ? (state.link ?? []) : []));
}

/** Whether what an installation would change is what the user has renamed, or lies behind a link that leads nowhere. */
function isKeptBack(findings: readonly DoctorFinding[], configs: ClientSnapshot['configs']): boolean {
  return linksIn(configs).length > 0 || findings.some(({ code }) => code.endsWith('/server-renamed'));
}

/** What the client says of it: a project's settings may have switched it off as well. */
function isListedAsOff(notes: readonly Note[]): boolean {
  return notes.some(({ code }) => code.endsWith('/plugin-disabled'));
}

/** A note says its place itself. */
function withoutPlace(text: string, { file, line }: Note): string {
  const place = [`${file}:${line}: `, `${file}:${line}：`].find((start) => text.startsWith(start));
  return text.slice(place?.length ?? 0);
}

/** The way back is the installation of the same version; with our plugin switched on there must not be two. */
function repairOf({ client, receipt, program, plugin, rewiring, configs }: ClientSnapshot): Repair | undefined {
  if (linksIn(configs).length > 0) return undefined;
  if (receipt === undefined || plugin?.isEnabled === true || rewiring.kind === 'refused') return undefined;
  return program?.carried === program?.version ? { kind: 'wiring', client: client.id } : undefined;
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
