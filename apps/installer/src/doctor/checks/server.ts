/** Whether the server of each client answers and takes its key. */
import { defineCheck } from '../check.ts';
import type { Found } from '../check.ts';
import type { DoctorFinding } from '../finding.ts';
import type { ServerSnapshot } from '../snapshot/server.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

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
  run: (snapshot, found) => {
    // Without that file there is neither address nor key: what a server says then leads astray.
    const hasBrokenFile = snapshot.clients.some(({ settings }) =>
      settings.findings.some(({ code }) => code === 'settings/broken-file'),
    );
    if (hasBrokenFile) return [];
    return [
      ...snapshot.servers.flatMap((server) => answerOf(serverAt(server, snapshot, found))),
      ...missingAuthorities(snapshot, found),
      ...stoppedServer(snapshot, found),
    ];
  },
});

type ServerCode =
  | 'server/ready'
  | 'server/slow'
  | 'server/unreachable'
  | 'server/no-tls'
  | 'server/proxy'
  | 'server/certificate'
  | 'server/rejected'
  | 'server/unhealthy'
  | 'local/stopped'
  | 'connection/ca-file';

/** The server that is looked at, and how findings about it are made. */
interface ServerAt {
  readonly server: ServerSnapshot;
  /** The clients that talk to it, in brackets, where there is more than one server. */
  readonly whose: string;
  /** The embedded server, where it is this one. */
  readonly local: Snapshot['localServer'];
  /** Before an installation nobody misses a server. */
  readonly unmissed: Pick<DoctorFinding, 'severity'> | Record<string, never>;
  readonly found: Found<ServerCode>;
}

function serverAt(
  server: ServerSnapshot,
  { servers, localServer, installed }: Snapshot,
  found: Found<ServerCode>,
): ServerAt {
  const isLocal = localServer !== undefined && server.url === `http://127.0.0.1:${localServer.port}`;
  return {
    server,
    whose: servers.length === 1 ? '' : ` (${server.clients.join(', ')})`,
    local: isLocal ? localServer : undefined,
    unmissed: installed.length === 0 ? { severity: 'info' } : {},
    found,
  };
}

function answerOf(at: ServerAt): readonly DoctorFinding[] {
  const { state } = at.server;
  switch (state.kind) {
    case 'ready':
      return [readyServer(at)];
    case 'unreachable':
      return unreachableServer(at, state.code);
    case 'rejected':
      return [refusedKey(at, state.status)];
    case 'unhealthy':
      return [
        at.found('server/unhealthy', {
          ...at.unmissed,
          ...unhealthyText(`${at.server.url}${at.whose}`, state.status),
        }),
      ];
  }
}

/** It answers and takes the key, sooner or later. */
function readyServer({ server: { url, version, answeredInMs, source }, whose, found }: ServerAt): DoctorFinding {
  const hasKey = source.apiKey !== 'none';
  const from = {
    en: `Address from ${source.url}${hasKey ? `, key from ${source.apiKey}` : ', no key'}.`,
    zh: `地址来自 ${source.url}${hasKey ? `，密钥来自 ${source.apiKey}` : '，未设密钥'}。`,
  };
  const ms = Math.round(answeredInMs ?? 0);
  if (ms > SLOW_MS) {
    return found('server/slow', {
      message: {
        en: `The server at ${url}${whose} took ${ms} ms for its simplest answer.`,
        zh: `${url} 的服务器${whose}对最简单的请求用了 ${ms} 毫秒。`,
      },
    });
  }
  return found('server/ready', {
    message: {
      en: `The server at ${url}${whose} answers in ${ms} ms${hasKey ? ' and takes the key' : ''}${version === undefined ? '' : `; version ${version}`}. ${from.en}`,
      zh: `${url} 的服务器${whose} ${ms} 毫秒内响应${hasKey ? '并接受密钥' : ''}${version === undefined ? '' : `；版本 ${version}`}。${from.zh}`,
    },
  });
}

/** Nothing came back, or nothing that could be read: by what the system says of it. */
function unreachableServer(at: ServerAt, code: string): readonly DoctorFinding[] {
  // Told with the address, by the settings.
  if (code === 'BAD_URL') return [];
  if (CERTIFICATE.test(code)) return [untrustedCertificate(at, code)];
  if (code === 'EPROTO' || /WRONG_VERSION|SSL/.test(code)) return [withoutTls(at, code)];
  return [at.server.proxy === undefined ? silentServer(at, code) : silentProxy(at, code, at.server.proxy)];
}

function untrustedCertificate({ server: { url }, whose, found }: ServerAt, code: string): DoctorFinding {
  return found('server/certificate', {
    message: {
      en: `The certificate of ${url}${whose} is not trusted (${code}).`,
      zh: `${url}${whose} 的证书不受信任（${code}）。`,
    },
    fix: {
      en: 'For a private authority, set caFile (OPENVIKING_CA_FILE) to its PEM file.',
      zh: '若为私有机构，请将 caFile（OPENVIKING_CA_FILE）设为其 PEM 文件。',
    },
  });
}

function withoutTls({ server: { url }, whose, found }: ServerAt, code: string): DoctorFinding {
  return found('server/no-tls', {
    message: {
      en: `What answers at ${url}${whose} does not speak TLS (${code}).`,
      zh: `${url}${whose} 的响应不使用 TLS（${code}）。`,
    },
  });
}

function silentProxy(
  { server: { url }, whose, unmissed, found }: ServerAt,
  code: string,
  proxy: string,
): DoctorFinding {
  return found('server/proxy', {
    ...unmissed,
    message: {
      en: `The way to ${url}${whose} leads through the HTTP proxy ${proxy}, and no answer comes back (${code}). Conversations wait on this machine; nothing is recalled.`,
      zh: `通往 ${url}${whose} 的请求经过 HTTP 代理 ${proxy}，没有响应（${code}）。会话保存在本机等待发送，无法召回记忆。`,
    },
    fix: {
      en: 'Correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or add the server to NO_PROXY.',
      zh: '请更正 HTTP_PROXY、HTTPS_PROXY 或 ALL_PROXY，或把服务器加入 NO_PROXY。',
    },
  });
}

function silentServer({ server: { url }, whose, local, unmissed, found }: ServerAt, code: string): DoctorFinding {
  const isLocal = local !== undefined;
  return found('server/unreachable', {
    ...unmissed,
    message: {
      en: `${isLocal ? 'The local server' : 'The server'} at ${url}${whose} does not answer (${code}). Conversations wait on this machine; nothing is recalled.`,
      zh: `${url} 的${isLocal ? '本地' : ''}服务器${whose}没有响应（${code}）。会话保存在本机等待发送，无法召回记忆。`,
    },
    fix: isLocal
      ? {
          en: `Run ${local.launcher} in a terminal: it says why.`,
          zh: `在终端运行 ${local.launcher}，它会说明原因。`,
        }
      : {
          en: 'Start it, or give another address with openviking-install --url, or use --local.',
          zh: '请启动它，或用 openviking-install --url 指定其他地址，或使用 --local。',
        },
  });
}

function refusedKey({ server: { url, source }, whose, unmissed, found }: ServerAt, status: number): DoctorFinding {
  return found('server/rejected', {
    ...unmissed,
    message: {
      en: `The server at ${url}${whose} refuses the key (${status}). The key is from: ${source.apiKey}.`,
      zh: `${url} 的服务器${whose}拒绝密钥（${status}）。密钥来源：${source.apiKey}。`,
    },
    fix: {
      en: 'Hand over the right one: openviking-install --api-key-stdin',
      zh: '请提供正确的密钥：openviking-install --api-key-stdin',
    },
  });
}

/** Files with certificate authorities that the settings name and that are not there. */
function missingAuthorities({ clients }: Snapshot, found: Found<ServerCode>): readonly DoctorFinding[] {
  const missing = new Set(
    clients.filter(({ hasCaFile }) => !hasCaFile).flatMap(({ settings }) => settings.connection.caFile ?? []),
  );
  return [...missing].map((file) =>
    found('connection/ca-file', {
      file,
      message: {
        en: 'No certificate can be read here: the file is missing, or is no PEM file.',
        zh: '此处无法读取证书：文件不存在，或不是 PEM 文件。',
      },
      fix: { en: 'Correct caFile (OPENVIKING_CA_FILE).', zh: '请更正 caFile（OPENVIKING_CA_FILE）。' },
    }),
  );
}

/** The embedded server is installed and does not run. */
function stoppedServer({ localServer }: Snapshot, found: Found<ServerCode>): readonly DoctorFinding[] {
  if (localServer === undefined || localServer.pid !== undefined) return [];
  return [
    found('local/stopped', {
      message: {
        en: `The local server (port ${localServer.port}) does not run; the next hook starts it.`,
        zh: `本地服务器（端口 ${localServer.port}）未运行；下一个钩子会启动它。`,
      },
    }),
  ];
}

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
