/** What the earlier shell installer has left on the machine. Its entries in clients' files are the wiring's matter. */
import { defineCheck } from '../check.ts';
import { counted } from '../words.ts';
import type { DoctorFinding } from '../finding.ts';
import type { TextFile } from '../snapshot/texts.ts';

export const legacyCheck = defineCheck({
  group: 'legacy',
  codes: {
    'legacy/shell-profile': {
      severity: 'warn',
      cause: {
        en: 'A shell profile holds a block of the earlier installer, which wraps the client’s command.',
        zh: 'shell 配置文件中有旧安装程序的代码块，它包装了客户端命令。',
      },
      cure: {
        en: 'Delete the lines that are named. Shell profiles are never edited for you.',
        zh: '请删除所指的行。shell 配置文件不会被自动修改。',
      },
    },
    'legacy/programs': {
      severity: 'info',
      cause: {
        en: 'Program files of the earlier installer lie in our folder, for a client that is not installed.',
        zh: '我们的文件夹中有旧安装程序的程序文件，而对应的客户端未安装。',
      },
      cure: { en: 'Install the client, or delete the folder.', zh: '请安装该客户端，或删除该文件夹。' },
    },
    'legacy/queue': {
      severity: 'warn',
      cause: {
        en: 'Turns that the earlier installer’s hooks could not deliver still lie in its queue.',
        zh: '旧安装程序的钩子未能发送的对话仍留在其队列中。',
      },
      cure: { en: 'Install a client: that takes them over.', zh: '安装任一客户端时会接管它们。' },
    },
    'legacy/unread-file': {
      severity: 'info',
      cause: {
        en: 'The earlier installer wrote an MCP file where the client does not read one.',
        zh: '旧安装程序把 MCP 文件写在了客户端不会读取的位置。',
      },
      cure: { en: 'Delete it if nothing else is in it.', zh: '若其中没有其他内容，可将其删除。' },
    },
  },
  run: ({ profiles, leftovers, names }, found) => {
    const { programs, queue, unread } = leftovers;
    return [
      ...profiles.flatMap((file) =>
        blocksIn(file).map(({ from, to }) =>
          found('legacy/shell-profile', {
            file: file.path,
            line: from,
            message:
              to === undefined
                ? {
                    en: `A block of the earlier installer begins in line ${from} and is not closed.`,
                    zh: `旧安装程序的代码块从第 ${from} 行开始，且没有结束标记。`,
                  }
                : {
                    en: `Lines ${from} to ${to} are a block of the earlier installer.`,
                    zh: `第 ${from} 至 ${to} 行是旧安装程序的代码块。`,
                  },
            fix:
              to === undefined
                ? { en: 'Delete what belongs to it.', zh: '请删除属于它的内容。' }
                : { en: `Delete lines ${from} to ${to}.`, zh: `请删除第 ${from} 至 ${to} 行。` },
          }),
        ),
      ),
      ...programs.map(({ client, folder }): DoctorFinding =>
        found('legacy/programs', {
          file: folder,
          message: {
            en: `Program files of the earlier installer for ${names.get(client) ?? client}.`,
            zh: `旧安装程序为 ${names.get(client) ?? client} 留下的程序文件。`,
          },
          fix: { en: 'Install the client, or delete the folder.', zh: '请安装该客户端，或删除该文件夹。' },
        }),
      ),
      ...(queue.turns === 0
        ? []
        : [
            found('legacy/queue', {
              file: queue.folder,
              message: {
                en: `${counted(queue.turns, 'entry', 'entries')} of the earlier installer's queue ${queue.turns === 1 ? 'has' : 'have'} not been delivered.`,
                zh: `旧安装程序的队列中有 ${queue.turns} 项未发送。`,
              },
              fix: { en: 'openviking-install takes them over.', zh: 'openviking-install 会接管它们。' },
            }),
          ]),
      ...unread.map(({ path }) =>
        found('legacy/unread-file', {
          file: path,
          message: {
            en: 'The earlier installer wrote this; no client reads it.',
            zh: '由旧安装程序写入；没有客户端读取它。',
          },
          fix: { en: 'Delete it if nothing else is in it.', zh: '若其中没有其他内容，可将其删除。' },
        }),
      ),
    ];
  },
});

/** The marked blocks of a profile, by their first and last line; without `to` a block is not closed. */
function blocksIn({ text }: TextFile): readonly { readonly from: number; readonly to?: number }[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.flatMap((line, index) => {
    const name = /^\s*# >>> (openviking\b.*?) >>>\s*$/.exec(line)?.[1];
    if (name === undefined) return [];
    const end = lines.findIndex((candidate, at) => at > index && candidate.trim() === `# <<< ${name} <<<`);
    return [{ from: index + 1, ...(end === -1 ? {} : { to: end + 1 }) }];
  });
}
