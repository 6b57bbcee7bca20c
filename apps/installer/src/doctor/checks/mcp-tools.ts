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
    '<client>/plugin-without-node': {
      severity: 'warn',
      cause: {
        en: 'The plugin comes from a marketplace, whose MCP server is started by `node` from PATH or by the path in `OPENVIKING_NODE`, and neither leads to a program: the model has no memory tools.',
        zh: '插件来自市场，其 MCP 服务器由 PATH 中的 `node` 或 `OPENVIKING_NODE` 所指的路径启动，而两者都找不到程序：模型没有记忆工具。',
      },
      cure: {
        en: 'Set `OPENVIKING_NODE` to the path of Node.js in the environment that the client is started from.',
        zh: '请在启动客户端的环境中将 `OPENVIKING_NODE` 设为 Node.js 的路径。',
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
  run: ({ mcp, names, clients, interpreter }, found) => [
    ...clients.flatMap(({ client, packagedNode }): readonly DoctorFinding[] => {
      if (packagedNode === undefined || packagedNode.isThere) return [];
      const { variable, path } = packagedNode;
      const { id, name } = client;
      return [
        found('<client>/plugin-without-node', {
          client: id,
          message:
            path === undefined
              ? {
                  en: `The MCP server of the plugin in ${name} is started by node, which is not on PATH here, and ${variable} is not set.`,
                  zh: `${name} 插件的 MCP 服务器由 node 启动，但它不在此处的 PATH 中，且未设置 ${variable}。`,
                }
              : {
                  en: `${variable} is ${path}, and no program is there: ${name} cannot start the MCP server of the plugin.`,
                  zh: `${variable} 为 ${path}，但该处没有程序：${name} 无法启动插件的 MCP 服务器。`,
                },
          fix: {
            en: `Where ${name} is started, set ${variable}=${interpreter}`,
            zh: `请在启动 ${name} 的环境中设置 ${variable}=${interpreter}`,
          },
        }),
      ];
    }),
    ...[...mcp].map(([client, probe]): DoctorFinding => {
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
  ],
});
