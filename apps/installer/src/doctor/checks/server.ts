/** Whether the server of each client answers and takes its key. */
import { defineCheck } from '../check.ts';
import type { DoctorFinding } from '../finding.ts';

/** An answer that took longer than this, in ms, leaves a prompt little time for the recall itself. */
const SLOW_MS = 1_500;

/** What Node.js says when it does not believe a server's certificate. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ISSUER/;

export const serverCheck = defineCheck({
  group: 'connection',
  codes: {
    'server/ready': {
      severity: 'ok',
      cause: { en: 'The server answers and accepts the key.', zh: '服务器有响应并接受密钥。' },
    },
    'server/slow': {
      severity: 'warn',
      cause: {
        en: 'The server takes so long for the simplest answer that hooks will run out of time.',
        zh: '服务器对最简单的请求也响应过慢，钩子会超时。',
      },
      cure: { en: 'Look at the load of the server and the way to it.', zh: '请检查服务器负载及网络状况。' },
    },
    'server/unreachable': {
      severity: 'warn',
      cause: {
        en: 'Nothing answers at the address. Conversations wait on this machine; nothing is recalled.',
        zh: '该地址无响应。会话保存在本机等待发送，无法召回记忆。',
      },
      cure: { en: 'Start the server, or correct the address.', zh: '启动服务器，或更正地址。' },
    },
    'server/no-tls': {
      severity: 'error',
      cause: {
        en: 'The address begins with https:// and what answers there does not speak TLS: mostly a server without a certificate.',
        zh: '地址以 https:// 开头，而该处的响应不使用 TLS：多半是没有证书的服务器。',
      },
      cure: {
        en: 'Write http:// for a server on this machine, or put a certificate in front of it.',
        zh: '若服务器在本机，请改为 http://，或为其配置证书。',
      },
    },
    'server/proxy': {
      severity: 'warn',
      cause: {
        en: 'The way to the server leads through an HTTP proxy (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`), and nothing comes back from there.',
        zh: '通往服务器的请求经过 HTTP 代理（`HTTP_PROXY`、`HTTPS_PROXY`、`ALL_PROXY`），而代理没有响应。',
      },
      cure: {
        en: 'Correct the variable, or add the server to `NO_PROXY`.',
        zh: '请更正该变量，或把服务器加入 `NO_PROXY`。',
      },
    },
    'server/certificate': {
      severity: 'error',
      cause: {
        en: 'The certificate of the server is not trusted: expired, for another name, or of a private authority.',
        zh: '服务器证书不受信任：已过期、名称不符，或由私有机构签发。',
      },
      cure: {
        en: 'For a private authority, set `caFile` (`OPENVIKING_CA_FILE`) to its PEM file.',
        zh: '若为私有机构，请将 `caFile`（`OPENVIKING_CA_FILE`）设为其 PEM 文件。',
      },
    },
    'server/rejected': {
      severity: 'error',
      cause: {
        en: 'The server refuses the key, or asks for one. Conversations wait on this machine.',
        zh: '服务器拒绝密钥，或要求提供密钥。会话保存在本机等待发送。',
      },
      cure: {
        en: 'Hand over the right key: `openviking-install --api-key-stdin`.',
        zh: '提供正确的密钥：`openviking-install --api-key-stdin`。',
      },
    },
    'server/unhealthy': {
      severity: 'error',
      cause: {
        en: 'Something answers at the address that is no healthy OpenViking server.',
        zh: '该地址有响应，但不是正常的 OpenViking 服务器。',
      },
      cure: { en: 'Check the address, and the server’s own log.', zh: '请检查地址和服务器日志。' },
    },
    'local/stopped': {
      severity: 'info',
      cause: {
        en: 'The embedded server does not run; the next hook or MCP server starts it.',
        zh: '内置服务器未运行；下一个钩子或 MCP 服务器会启动它。',
      },
    },
    'connection/ca-file': {
      severity: 'error',
      cause: {
        en: 'The file with the certificate authority that the settings name is not there, or holds no certificate.',
        zh: '设置中指定的证书机构文件不存在，或其中没有证书。',
      },
      cure: { en: 'Correct `caFile`, or put the file there.', zh: '请更正 `caFile`，或放置该文件。' },
    },
  },
  run: ({ servers, localServer, clients, installed }, found) => {
    // Without that file there is neither address nor key: what a server says then leads astray.
    const hasBrokenFile = clients.some(({ settings }) =>
      settings.findings.some(({ code }) => code === 'settings/broken-file'),
    );
    if (hasBrokenFile) return [];
    const isAlone = servers.length === 1;
    const findings = servers.flatMap((server): readonly DoctorFinding[] => {
      const { url, state, version, answeredInMs, source } = server;
      const whose = isAlone ? '' : ` (${server.clients.join(', ')})`;
      const isLocal = localServer !== undefined && url === `http://127.0.0.1:${localServer.port}`;
      switch (state.kind) {
        case 'ready': {
          const hasKey = source.apiKey !== 'none';
          const from = {
            en: `Address from ${source.url}${hasKey ? `, key from ${source.apiKey}` : ', no key'}.`,
            zh: `地址来自 ${source.url}${hasKey ? `，密钥来自 ${source.apiKey}` : '，未设密钥'}。`,
          };
          const ms = Math.round(answeredInMs ?? 0);
          if (ms > SLOW_MS) {
            return [
              found('server/slow', {
                message: {
                  en: `The server at ${url}${whose} took ${ms} ms for its simplest answer.`,
                  zh: `${url} 的服务器${whose}对最简单的请求用了 ${ms} 毫秒。`,
                },
              }),
            ];
          }
          return [
            found('server/ready', {
              message: {
                en: `The server at ${url}${whose} answers in ${ms} ms${hasKey ? ' and takes the key' : ''}${version === undefined ? '' : `; version ${version}`}. ${from.en}`,
                zh: `${url} 的服务器${whose} ${ms} 毫秒内响应${hasKey ? '并接受密钥' : ''}${version === undefined ? '' : `；版本 ${version}`}。${from.zh}`,
              },
            }),
          ];
        }
        case 'unreachable':
          if (CERTIFICATE.test(state.code)) {
            return [
              found('server/certificate', {
                message: {
                  en: `The certificate of ${url}${whose} is not trusted (${state.code}).`,
                  zh: `${url}${whose} 的证书不受信任（${state.code}）。`,
                },
                fix: {
                  en: 'For a private authority, set caFile (OPENVIKING_CA_FILE) to its PEM file.',
                  zh: '若为私有机构，请将 caFile（OPENVIKING_CA_FILE）设为其 PEM 文件。',
                },
              }),
            ];
          }
          // Told with the address, by the settings.
          if (state.code === 'BAD_URL') return [];
          if (state.code === 'EPROTO' || /WRONG_VERSION|SSL/.test(state.code)) {
            return [
              found('server/no-tls', {
                message: {
                  en: `What answers at ${url}${whose} does not speak TLS (${state.code}).`,
                  zh: `${url}${whose} 的响应不使用 TLS（${state.code}）。`,
                },
              }),
            ];
          }
          if (server.proxy !== undefined) {
            return [
              found('server/proxy', {
                ...(installed.length === 0 ? { severity: 'info' as const } : {}),
                message: {
                  en: `The way to ${url}${whose} leads through the HTTP proxy ${server.proxy}, and no answer comes back (${state.code}). Conversations wait on this machine; nothing is recalled.`,
                  zh: `通往 ${url}${whose} 的请求经过 HTTP 代理 ${server.proxy}，没有响应（${state.code}）。会话保存在本机等待发送，无法召回记忆。`,
                },
                fix: {
                  en: 'Correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or add the server to NO_PROXY.',
                  zh: '请更正 HTTP_PROXY、HTTPS_PROXY 或 ALL_PROXY，或把服务器加入 NO_PROXY。',
                },
              }),
            ];
          }
          return [
            found('server/unreachable', {
              // Before an installation nobody misses it.
              ...(installed.length === 0 ? { severity: 'info' as const } : {}),
              message: {
                en: `${isLocal ? 'The local server' : 'The server'} at ${url}${whose} does not answer (${state.code}). Conversations wait on this machine; nothing is recalled.`,
                zh: `${url} 的${isLocal ? '本地' : ''}服务器${whose}没有响应（${state.code}）。会话保存在本机等待发送，无法召回记忆。`,
              },
              fix: isLocal
                ? {
                    en: `Run ${localServer.launcher} in a terminal: it says why.`,
                    zh: `在终端运行 ${localServer.launcher}，它会说明原因。`,
                  }
                : {
                    en: 'Start it, or give another address with openviking-install --url, or use --local.',
                    zh: '请启动它，或用 openviking-install --url 指定其他地址，或使用 --local。',
                  },
            }),
          ];
        case 'rejected':
          return [
            found('server/rejected', {
              ...(installed.length === 0 ? { severity: 'info' as const } : {}),
              message: {
                en: `The server at ${url}${whose} refuses the key (${state.status}). The key is from: ${source.apiKey}.`,
                zh: `${url} 的服务器${whose}拒绝密钥（${state.status}）。密钥来源：${source.apiKey}。`,
              },
              fix: {
                en: 'Hand over the right one: openviking-install --api-key-stdin',
                zh: '请提供正确的密钥：openviking-install --api-key-stdin',
              },
            }),
          ];
        case 'unhealthy':
          return [
            found('server/unhealthy', {
              ...(installed.length === 0 ? { severity: 'info' as const } : {}),
              ...unhealthyText(`${url}${whose}`, state.status),
            }),
          ];
      }
    });
    const missing = new Set(
      clients.filter(({ hasCaFile }) => !hasCaFile).flatMap(({ settings }) => settings.connection.caFile ?? []),
    );
    return [
      ...findings,
      ...[...missing].map((file) =>
        found('connection/ca-file', {
          file,
          message: {
            en: 'No certificate can be read here: the file is missing, or is no PEM file.',
            zh: '此处无法读取证书：文件不存在，或不是 PEM 文件。',
          },
          fix: { en: 'Correct caFile (OPENVIKING_CA_FILE).', zh: '请更正 caFile（OPENVIKING_CA_FILE）。' },
        }),
      ),
      ...(localServer === undefined || localServer.pid !== undefined
        ? []
        : [
            found('local/stopped', {
              message: {
                en: `The local server (port ${localServer.port}) does not run; the next hook starts it.`,
                zh: `本地服务器（端口 ${localServer.port}）未运行；下一个钩子会启动它。`,
              },
            }),
          ]),
    ];
  },
});

/** What the status of an answer lets guess of who has given it. */
function unhealthyText(where: string, status: number) {
  const address = { en: 'Check the address.', zh: '请检查地址。' };
  if (status === 429) {
    return {
      message: {
        en: `The server at ${where} answers that it is asked too often (429).`,
        zh: `${where} 的服务器表示请求过于频繁（429）。`,
      },
      fix: { en: 'Wait, or raise the limit on the server.', zh: '请稍候，或在服务器上调高限制。' },
    };
  }
  if (status >= 500) {
    return {
      message: {
        en: `The server at ${where} is not well (${status}).`,
        zh: `${where} 的服务器状态异常（${status}）。`,
      },
      fix: { en: 'Look into its own log.', zh: '请查看服务器自己的日志。' },
    };
  }
  if (status >= 300 && status < 400) {
    return {
      message: {
        en: `What answers at ${where} sends on to another address (${status}), as the sign-in page of a network does.`,
        zh: `${where} 的响应要求转到其他地址（${status}），例如网络的登录页面。`,
      },
      fix: {
        en: 'Sign in to the network, or write the address that it leads to.',
        zh: '请先登录网络，或写入其所指的地址。',
      },
    };
  }
  return {
    message:
      status < 300
        ? {
            en: `What answers at ${where} is no OpenViking server (${status}): a web page, the sign-in page of a network, or another program.`,
            zh: `${where} 的响应不是来自 OpenViking 服务器（${status}）：可能是网页、网络登录页面或其他程序。`,
          }
        : {
            en: `What answers at ${where} knows no OpenViking API (${status}): another program, or the path is wrong.`,
            zh: `${where} 的响应不认识 OpenViking API（${status}）：可能是其他程序，或路径有误。`,
          },
    fix: address,
  };
}
