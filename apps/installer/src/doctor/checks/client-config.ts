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
    clients.flatMap(({ client, receipt, detectedAt, configs, rewiring }): readonly DoctorFinding[] => {
      if (receipt === undefined && detectedAt === undefined) return [];
      const { id, name } = client;
      const findings = configs.flatMap(({ path, state }): readonly DoctorFinding[] => {
        switch (state.kind) {
          case 'absent':
            return [];
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
      return [
        ...findings,
        found('<client>/config-broken', {
          client: id,
          message: rewiring.message,
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
