/** What the administrator of the machine has settled against hooks: nothing of ours can change it, and nothing else tells. */
import { defineCheck } from '../check.ts';
import type { DoctorFinding } from '../finding.ts';

export const managedPolicyCheck = defineCheck({
  group: 'clients',
  codes: {
    '<client>/hooks-forbidden': {
      severity: 'warn',
      cause: {
        en: 'A settings file of the machine’s administrator (Claude Code: `managed-settings.json`, `managed-settings.d`) lets no hooks of users run: nothing is recalled or captured. Policies that come from a server, a profile or the registry are not seen.',
        zh: '本机管理员的设置文件（Claude Code：`managed-settings.json`、`managed-settings.d`）不允许运行用户的钩子：不会召回，也不会采集。由服务器、配置描述文件或注册表下发的策略无法检查。',
      },
      cure: {
        en: 'Ask the administrator to allow our plugin there, or live with the memory tools alone (`--mcp-only`). Such a file is never changed for you.',
        zh: '请管理员在其中允许我们的插件，或只使用记忆工具（`--mcp-only`）。此类文件不会自动修改。',
      },
    },
  },
  run: ({ clients }, found) =>
    clients.flatMap(({ client, receipt, managed }): readonly DoctorFinding[] => {
      const { id, name } = client;
      if (receipt === undefined || receipt.wishes?.only === 'mcp') return [];
      const plugin = receipt.registration?.id;
      return managed
        .filter(({ except }) => plugin === undefined || !except.includes(plugin))
        .map(({ file, line, key, hasExceptions }) => {
          const wish = {
            en: plugin !== undefined && hasExceptions ? `enable ${plugin} in that file` : 'allow hooks of users there',
            zh: plugin !== undefined && hasExceptions ? `在该文件中启用 ${plugin}` : '在其中允许用户的钩子',
          };
          return found('<client>/hooks-forbidden', {
            client: id,
            file,
            line,
            message: {
              en: `${key} is true in this file of the machine’s administrator: ${name} runs none of our hooks, and nothing is recalled or captured.`,
              zh: `本机管理员的此文件中 ${key} 为 true：${name} 不会运行我们的任何钩子，既不召回也不采集。`,
            },
            fix: {
              en: `Ask the administrator to ${wish.en}. For the memory tools alone: openviking-install --harness ${id} --mcp-only`,
              zh: `请管理员${wish.zh}。若只使用记忆工具：openviking-install --harness ${id} --mcp-only`,
            },
          });
        });
    }),
});
