/** The configuration files of each client: whether they parse, and whether the client itself takes them. */
import { defineCheck } from '../check.ts';
import type { Localized } from '@openviking/memory-core/full';
import type { DoctorFinding } from '../finding.ts';

/** Stands for the codes of the client's own rules, which its declaration lists. */
export const RULE = '<client>/RULE';

export const clientConfigCheck = defineCheck({
  group: 'clients',
  codes: {
    '<client>/config-broken': {
      severity: 'error',
      cause: {
        en: 'A configuration file of the client does not parse, cannot be read, or has a shape that the client does not know.',
        zh: '客户端的配置文件无法解析、无法读取，或结构不符合客户端的要求。',
      },
      cure: {
        en: 'Correct it at the line and column named, then run doctor again.',
        zh: '请在所指行列处更正，然后再次运行 doctor。',
      },
    },
    '<client>/link-broken': {
      severity: 'error',
      cause: {
        en: 'A file of the client is a link to a place that does not exist: a repository of settings that was not fetched, or a disk that is not mounted.',
        zh: '客户端的文件是一个链接，而其目标不存在：配置仓库尚未拉取，或磁盘未挂载。',
      },
      cure: {
        en: 'Bring back what the link leads to, or delete the link; then run doctor again. Nothing is written in its place for you.',
        zh: '请恢复链接所指的内容，或删除该链接，然后再次运行 doctor。不会自动在其位置写入内容。',
      },
    },
    '<client>/repair-refused': {
      severity: 'error',
      cause: {
        en: 'What an installation would write for this client cannot be written as things are.',
        zh: '在当前状态下，无法写入安装该客户端所需的内容。',
      },
      cure: { en: 'Do what the message says, then run doctor again.', zh: '请按消息处理，然后再次运行 doctor。' },
    },
    [RULE]: {
      severity: 'warn',
      cause: {
        en: 'Something in the file, mostly of another program, makes the client drop the file or a part of it, often without a word.',
        zh: '文件中的某处内容（多半来自其他程序）会让客户端丢弃整个文件或其中一部分，且往往没有提示。',
      },
      cure: {
        en: 'Correct the line that is named. It is never changed for you: it is not ours.',
        zh: '请更正所指的行。它不属于本程序，因此不会自动修改。',
      },
    },
  },
  run: ({ clients }, found) =>
    clients.flatMap((snapshot): readonly DoctorFinding[] => {
      const { client, receipt, brokenReceipt, detectedAt, configs, rewiring, program } = snapshot;
      if (receipt === undefined && detectedAt === undefined) return [];
      const { id, name } = client;
      // One link may lead to all files of the client.
      const links = new Set<string>();
      const findings = configs.flatMap(({ path, state }): readonly DoctorFinding[] => {
        switch (state.kind) {
          case 'absent':
            if (receipt === undefined || state.link === undefined || links.has(state.link.link)) return [];
            links.add(state.link.link);
            return [
              found('<client>/link-broken', {
                client: id,
                file: path,
                message: {
                  en: `${state.link.link} is a link to ${state.link.target}, and nothing is there: ${name} has no settings from it.`,
                  zh: `${state.link.link} 是指向 ${state.link.target} 的链接，而该处不存在：${name} 无法从中读取设置。`,
                },
              }),
            ];
          case 'refused':
            return [
              found('<client>/config-broken', {
                client: id,
                file: path,
                ...(state.place === undefined ? {} : state.place),
                message: withoutPlace(state.message),
                fix: {
                  en: `Correct it; until then ${name} may ignore the file, and nothing can be repaired in it.`,
                  zh: `请更正；在此之前 ${name} 可能忽略该文件，也无法对其进行修复。`,
                },
              }),
            ];
          case 'read':
            return state.rules.map(({ code, line, message, fix }) => ({
              ...found(RULE, { client: id, file: path, line, message: sentences(message), fix }),
              code,
            }));
        }
      });
      const isToldAlready = findings.some(({ severity }) => severity === 'error');
      if (isToldAlready || rewiring.kind === 'planned') return findings;
      const about = configs.find(({ path }) => rewiring.file === path);
      // What stands in the way of our own files is told where they are looked at.
      if (about === undefined && (brokenReceipt !== undefined || program?.launcher.isBlocked === true)) return findings;
      return [
        ...findings,
        found(about === undefined ? '<client>/repair-refused' : '<client>/config-broken', {
          client: id,
          ...(about === undefined ? {} : { file: about.path }),
          message: about === undefined ? rewiring.message : withoutPlace(rewiring.message),
          fix: { en: 'Correct that, then run doctor again.', zh: '请更正后再次运行 doctor。' },
        }),
      ];
    }),
});

/** A refusal begins with the place, which a finding has beside its text. */
function withoutPlace({ en, zh }: Localized): Localized {
  const [text, chinese] = [en, zh].map((said) => said.replace(/^.*?:\d+:\d+[:：]\s*/u, ''));
  return sentences({ en: text ?? en, zh: chinese ?? zh });
}

/** Rules are told as parts of a sentence. */
function sentences({ en, zh }: Localized): Localized {
  // A key keeps its spelling.
  const capital = /^[a-z]+ /.test(en) ? en.charAt(0).toUpperCase() + en.slice(1) : en;
  return { en: /[.!?]$/.test(en) ? capital : `${capital}.`, zh: /[。！？]$/.test(zh) ? zh : `${zh}。` };
}
