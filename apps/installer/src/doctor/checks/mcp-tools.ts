/** What the installed MCP proxy of each client answered when it was started and asked for its tools. */
import { defineCheck } from '../check.ts';
import { verbatim } from '../finding.ts';
import type { DoctorFinding } from '../finding.ts';

export const mcpToolsCheck = defineCheck({
  group: 'connection',
  codes: {
    'mcp/ready': {
      severity: 'ok',
      cause: {
        en: 'The installed MCP proxy, started as the client starts it, lists the tools of the server.',
        zh: '以客户端的方式启动已安装的 MCP 代理，能列出服务器的工具。',
      },
    },
    'mcp/no-tools': {
      severity: 'warn',
      cause: {
        en: 'The MCP proxy answers with an empty list: the server offers no tools, or its MCP endpoint is elsewhere.',
        zh: 'MCP 代理返回空列表：服务器没有提供工具，或其 MCP 端点在别处。',
      },
      cure: {
        en: 'Check `OPENVIKING_MCP_URL`, and whether the server is recent enough.',
        zh: '请检查 `OPENVIKING_MCP_URL`，以及服务器版本是否足够新。',
      },
    },
    'mcp/refused': {
      severity: 'error',
      cause: {
        en: 'The MCP proxy answers with an error; its message says which.',
        zh: 'MCP 代理返回错误，消息中说明了原因。',
      },
      cure: { en: 'Do what the message says.', zh: '请按消息处理。' },
    },
    'mcp/no-answer': {
      severity: 'error',
      cause: {
        en: 'The MCP proxy did not start, ended early, or did not answer in time.',
        zh: 'MCP 代理未能启动、提前退出，或未按时响应。',
      },
      cure: {
        en: 'Repair what is said about launcher and program files; otherwise look into `~/.openviking/logs/`.',
        zh: '请先修复启动器和程序文件的问题；否则查看 `~/.openviking/logs/`。',
      },
    },
  },
  run: ({ mcp, names }, found) =>
    [...mcp].map(([client, probe]): DoctorFinding => {
      const name = names.get(client) ?? client;
      switch (probe.kind) {
        case 'tools': {
          const ms = Math.round(probe.answeredInMs);
          if (probe.count > 0) {
            return found('mcp/ready', {
              client,
              message: {
                en: `${name}: the MCP server lists ${probe.count} tools, after ${ms} ms.`,
                zh: `${name}：MCP 服务器在 ${ms} 毫秒内列出 ${probe.count} 个工具。`,
              },
            });
          }
          return found('mcp/no-tools', {
            client,
            message: {
              en: `The MCP server of ${name} offers no tools.`,
              zh: `${name} 的 MCP 服务器没有提供任何工具。`,
            },
          });
        }
        case 'refused':
          return found('mcp/refused', {
            client,
            message: {
              en: `The MCP server of ${name} answers with an error: ${probe.message}`,
              zh: `${name} 的 MCP 服务器返回错误：${probe.message}`,
            },
          });
        case 'silent': {
          const how =
            probe.status === undefined
              ? { en: 'did not answer in time', zh: '未按时响应' }
              : { en: `ended with ${probe.status}`, zh: `以状态 ${probe.status} 退出` };
          const why = verbatim(probe.message === '' ? '' : `: ${probe.message}`);
          return found('mcp/no-answer', {
            client,
            message: {
              en: `The MCP server of ${name} ${how.en}${why.en}`,
              zh: `${name} 的 MCP 服务器${how.zh}${why.zh}`,
            },
            fix: { en: 'Look into ~/.openviking/logs/.', zh: '请查看 ~/.openviking/logs/。' },
          });
        }
      }
    }),
});
