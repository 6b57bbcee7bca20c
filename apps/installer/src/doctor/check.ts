/**
 * The form of a check: which codes it can find, with cause and cure of each, and a function over the snapshot. The
 * documentation is generated from the codes, and a check cannot find one that it does not declare.
 */
import type { Localized, Severity } from '@openviking/memory-core/full';
import type { DoctorFinding } from './finding.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** Sections of the report, in order. */
export const GROUPS = {
  program: { en: 'Node.js, launcher and program files', zh: 'Node.js、启动器与程序文件' },
  connection: { en: 'Connection', zh: '连接' },
  settings: { en: 'Settings', zh: '设置' },
  clients: { en: 'Clients', zh: '客户端' },
  double: { en: 'Double capture', zh: '重复采集' },
  spool: { en: 'What waits for the server', zh: '等待发送的内容' },
  legacy: { en: 'Left by an earlier installer', zh: '旧安装程序的遗留' },
} as const satisfies Readonly<Record<string, Localized>>;

export type Group = keyof typeof GROUPS;

/** What the documentation says about a code. */
export interface CodeHelp {
  readonly severity: Severity;
  readonly cause: Localized;
  /** Absent where nothing has to be done. */
  readonly cure?: Localized;
  /** `--fix` can repair it. */
  readonly isFixable?: true;
}

/** A code of a check; `<client>` stands for the id of a client. */
export type Code = `${string}/${string}`;

export interface Check {
  readonly group: Group;
  readonly codes: Readonly<Record<Code, CodeHelp>>;
  run(snapshot: Snapshot): readonly DoctorFinding[];
}

/** Everything of a finding but what the code says; without a `fix` of its own it has the code's cure. */
export type Detail = Omit<DoctorFinding, 'code' | 'severity'> & {
  /** Where one code is graver in one case than in another. */
  readonly severity?: Severity;
};

/** Makes a finding of one of the check's codes; in a code `<client>` becomes the client of the detail. */
export type Found<Codes extends Code> = (code: Codes, detail: Detail) => DoctorFinding;

/** Pure: all it looks at is the snapshot. */
export function defineCheck<const Codes extends Code>(check: {
  readonly group: Group;
  readonly codes: Readonly<Record<Codes, CodeHelp>>;
  readonly run: (snapshot: Snapshot, found: Found<Codes>) => readonly DoctorFinding[];
}): Check {
  const found: Found<Codes> = (code, detail) => {
    const { severity, cure } = check.codes[code];
    const client = detail.client ?? '';
    return {
      severity,
      ...(cure === undefined ? {} : { fix: { en: plain(cure.en, client), zh: plain(cure.zh, client) } }),
      ...detail,
      code: code.replace('<client>', client),
    };
  };
  return { group: check.group, codes: check.codes, run: (snapshot) => check.run(snapshot, found) };
}

/** A text of the documentation as a terminal shows it. */
function plain(text: string, client: string): string {
  return text.replaceAll('`', '').replaceAll('<client>', client);
}
