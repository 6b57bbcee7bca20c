/** Who could read the key: other users of the machine, or anybody on the way to the server. */
import { defineCheck } from '../check.ts';

export const keySafetyCheck = defineCheck({
  group: 'connection',
  codes: {
    'connection/file-open': {
      severity: 'warn',
      cause: {
        en: 'A file that may hold a key can be read or written by other users of the machine.',
        zh: '可能含有密钥的文件可被本机其他用户读写。',
      },
      cure: {
        en: 'Let `doctor --fix` close it, or `chmod 600` it.',
        zh: '用 `doctor --fix` 收紧权限，或执行 `chmod 600`。',
      },
      isFixable: true,
    },
    'connection/file-missing': {
      severity: 'error',
      cause: {
        en: 'The file with address and key is named by a variable, or is a link, and is not there: without a word the default address counts, and no key.',
        zh: '含有地址和密钥的文件由变量指定或为链接，但并不存在：会不加提示地使用默认地址且没有密钥。',
      },
      cure: {
        en: 'Bring the file back, or take the variable or the link away.',
        zh: '请恢复该文件，或取消该变量或链接。',
      },
    },
    'connection/plain-http': {
      severity: 'warn',
      cause: {
        en: 'A key travels unencrypted: the address begins with http:// and leads to another machine.',
        zh: '密钥以明文传输：地址以 http:// 开头且指向其他机器。',
      },
      cure: {
        en: 'Use https://, or a tunnel to a loopback address.',
        zh: '请使用 https://，或通过隧道连接到本机回环地址。',
      },
    },
  },
  run: ({ credentialFiles, missingCredentials, platform, clients }, found) => {
    const open = platform === 'win32' ? [] : credentialFiles.filter(({ mode }) => (mode & 0o077) !== 0);
    const plain = new Set(
      clients
        .map(({ settings }) => settings.connection)
        .filter(({ apiKey, baseUrl }) => apiKey !== undefined && isPlainAndFar(baseUrl))
        .map(({ source }) => source.url),
    );
    return [
      ...missingCredentials.map(({ path, variable, target }) =>
        found('connection/file-missing', {
          file: path,
          message:
            target === undefined
              ? {
                  en: `${variable ?? ''} names this file, and it is not there: neither address nor key is read from it.`,
                  zh: `${variable ?? ''} 指定了该文件，但它不存在：无法从中读取地址和密钥。`,
                }
              : {
                  en: `This is a link to ${target}, and nothing is there: neither address nor key is read from it.`,
                  zh: `此处是指向 ${target} 的链接，而该处不存在：无法从中读取地址和密钥。`,
                },
          fix:
            target === undefined
              ? {
                  en: `Put the file there, or unset ${variable ?? ''}.`,
                  zh: `请放置该文件，或取消 ${variable ?? ''}。`,
                }
              : { en: 'Bring back what it leads to, or delete the link.', zh: '请恢复其所指的内容，或删除该链接。' },
        }),
      ),
      ...open.map(({ path, mode }) =>
        found('connection/file-open', {
          file: path,
          message: {
            en: `Other users of this machine can get at the file (permissions ${mode.toString(8)}); it may hold a key.`,
            zh: `本机其他用户可以访问该文件（权限 ${mode.toString(8)}），其中可能含有密钥。`,
          },
          fix: { en: `chmod 600 '${path}'`, zh: `chmod 600 '${path}'` },
          repair: { kind: 'close', path },
        }),
      ),
      ...[...plain].map((source) =>
        found('connection/plain-http', {
          message: {
            en: `The key travels unencrypted: the address from ${source} begins with http:// and is not on this machine.`,
            zh: `密钥以明文传输：来自 ${source} 的地址以 http:// 开头，且不在本机。`,
          },
          fix: { en: 'Use an https:// address.', zh: '请使用 https:// 地址。' },
        }),
      ),
    ];
  },
});

function isPlainAndFar(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname);
}
