/** What is wrong with settings and credentials as they are written: the loader's own findings, once for all clients. */
import { isBypassed, redactSecrets } from '@openviking/memory-core/full';
import { defineCheck } from '../check.ts';
import { verbatim } from '../finding.ts';
import type { Code } from '../check.ts';
import type { DoctorFinding } from '../finding.ts';

const codes = {
  'settings/broken-file': {
    severity: 'error',
    cause: {
      en: 'A settings file is not valid JSON; it is skipped whole, credentials included.',
      zh: '设置文件不是有效的 JSON；整个文件（包括凭据）被跳过。',
    },
    cure: { en: 'Correct it at the line and column named.', zh: '请在所指行列处更正。' },
  },
  'settings/not-an-object': {
    severity: 'error',
    cause: { en: 'A settings file holds no JSON object.', zh: '设置文件的内容不是 JSON 对象。' },
    cure: { en: 'Put the settings between { and }.', zh: '请把设置写在 { 与 } 之间。' },
  },
  'settings/unreadable-file': {
    severity: 'error',
    cause: { en: 'A settings file may not be read, or is none.', zh: '设置文件无法读取，或不是普通文件。' },
    cure: { en: 'Check its type, owner and permissions.', zh: '请检查其类型、所有者和权限。' },
  },
  'settings/file-too-large': {
    severity: 'error',
    cause: { en: 'A settings file is larger than any could be.', zh: '设置文件过大。' },
    cure: { en: 'Remove what does not belong there.', zh: '请删除不属于它的内容。' },
  },
  'settings/workspace-version': {
    severity: 'warn',
    cause: {
      en: 'A workspace file does not say `"version": 1` and is skipped.',
      zh: '工作区文件未写明 `"version": 1`，已被跳过。',
    },
    cure: {
      en: 'Write the version; for a newer one, update the integration.',
      zh: '请写明版本；若为更新的版本，请升级集成。',
    },
  },
  'settings/workspace-link-outside': {
    severity: 'warn',
    cause: { en: 'A workspace file is a link out of the repository.', zh: '工作区文件是指向仓库之外的链接。' },
    cure: { en: 'Put a regular file there.', zh: '请换成普通文件。' },
  },
  'settings/workspace-expansion': {
    severity: 'warn',
    cause: { en: 'A workspace file refers to a variable.', zh: '工作区文件引用了变量。' },
    cure: { en: 'Write the value itself.', zh: '请直接写出值。' },
  },
  'settings/workspace-forbidden-key': {
    severity: 'warn',
    cause: {
      en: 'A workspace file tries to decide where data goes, with which key, or what is read.',
      zh: '工作区文件试图决定数据发往何处、使用哪个密钥或读取什么。',
    },
    cure: {
      en: 'Set it in `~/.openviking/ovcli.conf`, and ask who put it into the repository.',
      zh: '请在 `~/.openviking/ovcli.conf` 中设置，并查明是谁把它放进仓库的。',
    },
  },
  'settings/list-too-long': {
    severity: 'warn',
    cause: { en: 'A list in a workspace file is cut.', zh: '工作区文件中的列表过长，已被截断。' },
    cure: { en: 'Shorten it.', zh: '请缩短列表。' },
  },
  'settings/out-of-range': {
    severity: 'warn',
    cause: { en: 'A number is outside its bounds; the bound is used.', zh: '数值超出范围，已使用边界值。' },
    cure: { en: 'Write a number that is allowed.', zh: '请写允许的数值。' },
  },
  'settings/invalid-value': {
    severity: 'warn',
    cause: { en: 'A value is of the wrong type and is ignored.', zh: '值的类型不对，已被忽略。' },
    cure: { en: 'Correct or remove it.', zh: '请更正或删除。' },
  },
  'settings/unknown-member': {
    severity: 'warn',
    cause: { en: 'A word is none of those that the setting knows.', zh: '取值不在该设置允许的范围内。' },
    cure: { en: 'Use one of those that the message names.', zh: '请使用消息中列出的取值。' },
  },
  'settings/unknown-key': {
    severity: 'warn',
    cause: {
      en: 'A key is no setting and has no effect: mostly a slip of the pen.',
      zh: '该键不是设置项，不起作用，多为拼写错误。',
    },
    cure: { en: 'Use the name that the message suggests.', zh: '请使用消息建议的名称。' },
  },
  'settings/unknown-template-variable': {
    severity: 'warn',
    cause: {
      en: 'A template of `peerSource` names a variable that does not exist.',
      zh: '`peerSource` 模板使用了不存在的变量。',
    },
    cure: { en: 'Use one of those that the message names.', zh: '请使用消息中列出的变量。' },
  },
  'settings/shadowed': {
    severity: 'info',
    cause: {
      en: 'A value has no effect, because a stronger place sets the same.',
      zh: '该值不起作用，因为优先级更高的位置也设置了它。',
    },
    cure: { en: 'Set it in one place only.', zh: '请只在一处设置。' },
  },
  'connection/base-url': {
    severity: 'error',
    cause: { en: 'The address of the server cannot work as it is written.', zh: '服务器地址的写法无法使用。' },
    cure: { en: 'Write what the message says.', zh: '请按消息中的写法修改。' },
  },
  'connection/credential-source': {
    severity: 'warn',
    cause: {
      en: '`OPENVIKING_CREDENTIAL_SOURCE` is not auto, env or cli.',
      zh: '`OPENVIKING_CREDENTIAL_SOURCE` 不是 auto、env 或 cli。',
    },
    cure: { en: 'Correct or remove it.', zh: '请更正或删除。' },
  },
  'connection/unusable-credential': {
    severity: 'error',
    cause: { en: 'A credential holds characters that a header cannot carry.', zh: '凭据含有请求头无法携带的字符。' },
    cure: { en: 'Copy it again, without line breaks.', zh: '请重新复制，不要带换行。' },
  },
  'connection/protected-header': {
    severity: 'warn',
    cause: { en: 'An extra header is one that the integration sets itself.', zh: '附加请求头中有由集成自行设置的项。' },
    cure: { en: 'Remove it from `extraHeaders`.', zh: '请从 `extraHeaders` 中删除。' },
  },
  'connection/invalid-header': {
    severity: 'warn',
    cause: { en: 'An extra header has a name or value that cannot be sent.', zh: '附加请求头的名称或值无法发送。' },
    cure: { en: 'Correct or remove it.', zh: '请更正或删除。' },
  },
  'settings/filter-rule': {
    severity: 'warn',
    cause: {
      en: 'A filter rule does not compile and is left out.',
      zh: '过滤规则无法编译，已被略过。',
    },
    cure: { en: 'Correct the rule; patterns are RE2’s.', zh: '请更正规则；模式采用 RE2 语法。' },
  },
  'settings/memory-off': {
    severity: 'info',
    cause: { en: 'Memory is switched off by a setting.', zh: '记忆功能已被某项设置关闭。' },
    cure: {
      en: 'To switch it on, remove the setting that the message names.',
      zh: '如需打开，请删除消息中指出的设置。',
    },
  },
  'settings/folder-off': {
    severity: 'info',
    cause: {
      en: 'A pattern of `bypassSessionPatterns` matches the folder in which doctor was started: nothing is recalled or captured there.',
      zh: '`bypassSessionPatterns` 中的某个模式与运行 doctor 的目录匹配：该目录中既不召回也不采集。',
    },
  },
  'settings/recall-off': {
    severity: 'info',
    cause: { en: 'Recall is switched off by a setting.', zh: '召回已被某项设置关闭。' },
  },
  'settings/capture-off': {
    severity: 'info',
    cause: { en: 'Capture is switched off by a setting.', zh: '采集已被某项设置关闭。' },
  },
} as const;

export const settingsCheck = defineCheck({
  group: 'settings',
  codes,
  run: ({ clients, cwd, home }, found) => {
    const findings: DoctorFinding[] = [];
    const seen = new Set<string>();
    const add = (finding: DoctorFinding): void => {
      const key = JSON.stringify([finding.code, finding.file, finding.line, finding.message.en]);
      if (!seen.has(key)) findings.push(finding);
      seen.add(key);
    };
    for (const { settings: resolved, badFilters, client } of clients) {
      for (const { code, severity, file, line, column, message, fix } of resolved.findings) {
        // A code that is younger than this table is told all the same.
        const detail = {
          severity,
          ...(file === undefined ? {} : { file }),
          ...(line === undefined ? {} : { line }),
          ...(column === undefined ? {} : { column }),
          message: verbatim(message),
          ...(fix === undefined ? {} : { fix: verbatim(fix) }),
        };
        add({ ...detail, code: code as Code });
      }
      for (const { setting, rule, error } of badFilters) {
        const file = resolved.provenance[setting as 'captureFilters']?.file;
        add(
          found('settings/filter-rule', {
            ...(file === undefined ? {} : { file }),
            message: {
              en: `Rule ${rule} of ${setting} is left out: ${error}`,
              zh: `${setting} 的第 ${rule} 条规则被略过：${error}`,
            },
          }),
        );
      }
      const { settings, provenance } = resolved;
      const switches = [
        ['enabled', settings.enabled, 'settings/memory-off', { en: 'memory', zh: '记忆功能' }],
        ['bypassSession', !settings.bypassSession, 'settings/memory-off', { en: 'memory', zh: '记忆功能' }],
        ['autoRecall', settings.autoRecall, 'settings/recall-off', { en: 'recall', zh: '召回' }],
        ['autoCapture', settings.autoCapture, 'settings/capture-off', { en: 'capture', zh: '采集' }],
      ] as const;
      const whoseIs = (key: string): string => (key.includes(client.id) ? ` (${client.name})` : '');
      const off = provenance.bypassSessionPatterns;
      for (const pattern of settings.bypassSessionPatterns) {
        if (!isBypassed({ patterns: [pattern], sessionId: '', cwd, home })) continue;
        const { file, key = 'bypassSessionPatterns' } = off ?? {};
        add(
          found('settings/folder-off', {
            ...(file === undefined ? {} : { file }),
            message: {
              en: `"${redactSecrets(pattern)}" of ${key} switches memory off in ${cwd}${whoseIs(key)}.`,
              zh: `${key} 中的“${redactSecrets(pattern)}”在 ${cwd} 中关闭了记忆功能${whoseIs(key)}。`,
            },
          }),
        );
      }
      for (const [name, isOn, code, what] of switches) {
        const { file, key } = provenance[name] ?? {};
        if (isOn || key === undefined) continue;
        const whose = whoseIs(key);
        add(
          found(code, {
            ...(file === undefined ? {} : { file }),
            message: { en: `${key} switches ${what.en} off${whose}.`, zh: `${key} 关闭了${what.zh}${whose}。` },
          }),
        );
      }
    }
    return findings;
  },
});
