/** Two integrations on one conversation: every turn stored twice, or, where each leaves it to the other, not at all. */
import type { HostFacts } from '@openviking/memory-core/full';
import { defineCheck } from '../check.ts';
import type { DoctorFinding } from '../finding.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export const doubleCaptureCheck = defineCheck({
  group: 'double',
  codes: {
    '<client>/plugin-enabled': {
      severity: 'error',
      cause: {
        en: 'The client has the same memory as a plugin that is switched on, besides the hooks in its settings: every prompt is answered twice, every turn captured twice.',
        zh: '客户端在设置中的钩子之外，还启用了同一记忆插件：每条提示会得到两次回应，每轮对话会被采集两次。',
      },
      cure: { en: 'Switch the plugin off, or uninstall this integration.', zh: '请停用该插件，或卸载本集成。' },
    },
    '<client>/plugin-installed': {
      severity: 'info',
      cause: { en: 'The plugin is there and switched off, as it should be.', zh: '插件已安装但未启用，保持现状即可。' },
    },
    '<client>/project-hooks': {
      severity: 'warn',
      cause: {
        en: 'A project file names our launcher as well: in that project every hook runs twice, once for the user’s file and once for the project’s.',
        zh: '项目文件也指向我们的启动器：在该项目中每个钩子会运行两次，一次来自用户文件，一次来自项目文件。',
      },
      cure: {
        en: 'Take our lines out of the project file; it is never changed for you.',
        zh: '请从项目文件中删除我们的行；它不会被自动修改。',
      },
    },
    '<client>/yields': {
      severity: 'info',
      cause: {
        en: 'Another client also runs the hooks of this one. There they step aside, and the other client’s own integration keeps the conversation.',
        zh: '另一个客户端也会运行该客户端的钩子。此时这些钩子会让位，由另一客户端自己的集成保存会话。',
      },
    },
    '<client>/left-to-nobody': {
      severity: 'warn',
      cause: {
        en: 'Another client also runs the hooks of this one. There they step aside for that client’s own integration, which is not installed: nobody keeps those conversations.',
        zh: '另一个客户端也会运行该客户端的钩子。此时这些钩子会让位给其自身的集成，但该集成未安装：没有人保存这些会话。',
      },
      cure: { en: 'Install the integration of the other client.', zh: '请安装另一客户端的集成。' },
    },
  },
  run: (snapshot, found) => {
    const { clients, installed, detected, names } = snapshot;
    return clients.flatMap(({ client, receipt, plugin, heartbeats }): readonly DoctorFinding[] => {
      const { id, name } = client;
      const findings: DoctorFinding[] = [];
      if (plugin !== undefined && client.plugin !== undefined) {
        const { removal } = client.plugin;
        const place = { client: id, file: plugin.file, ...(plugin.line === undefined ? {} : { line: plugin.line }) };
        if (!plugin.isEnabled) {
          findings.push(
            found('<client>/plugin-installed', {
              ...place,
              message: {
                en: `The plugin ${plugin.id} is installed in ${name} and switched off. Leave it off.`,
                zh: `插件 ${plugin.id} 已安装在 ${name} 中但未启用，请保持停用。`,
              },
            }),
          );
        } else if (receipt !== undefined) {
          findings.push(
            found('<client>/plugin-enabled', {
              ...place,
              message: {
                en: `The plugin ${plugin.id} is switched on in ${name}, besides our hooks: every turn is captured twice.`,
                zh: `${name} 在我们的钩子之外还启用了插件 ${plugin.id}：每轮对话会被采集两次。`,
              },
              fix: removal,
            }),
          );
        }
      }
      if (receipt === undefined) return findings;
      for (const { path, line } of projectMentions(snapshot, id)) {
        findings.push(
          found('<client>/project-hooks', {
            client: id,
            file: path,
            line,
            message: {
              en: `This project file names the launcher of ${name} too: in this project its hooks run twice.`,
              zh: `该项目文件也指向 ${name} 的启动器：在此项目中其钩子会运行两次。`,
            },
            fix: { en: 'Take those lines out of it.', zh: '请从中删除这些行。' },
          }),
        );
      }
      for (const keepers of keepersOf(client)) {
        const present = keepers.filter((id) => installed.includes(id));
        for (const otherName of present.map((id) => names.get(id) ?? id)) {
          findings.push(
            found('<client>/yields', {
              client: id,
              message: {
                en: `Inside ${otherName}, the hooks of ${name} step aside: the integration of ${otherName} keeps the conversation.`,
                zh: `在 ${otherName} 中，${name} 的钩子会让位，由 ${otherName} 的集成保存会话。`,
              },
            }),
          );
        }
        const wasLeft = heartbeats.some(({ outcome }) => keepers.some((id) => outcome === `left-to-${id}`));
        const seen = keepers.find((id) => detected.includes(id));
        const other = seen ?? (wasLeft ? keepers[0] : undefined);
        if (present.length > 0 || other === undefined) continue;
        const otherName = names.get(other) ?? other;
        findings.push(
          found('<client>/left-to-nobody', {
            client: id,
            severity: wasLeft ? 'warn' : 'info',
            message: {
              en: `Inside ${otherName}, the hooks of ${name} step aside for an integration that is not installed: nobody keeps those conversations.`,
              zh: `在 ${otherName} 中，${name} 的钩子会让位给一个尚未安装的集成：没有人保存这些会话。`,
            },
            fix: { en: `openviking-install --harness ${other}`, zh: `openviking-install --harness ${other}` },
          }),
        );
      }
      return findings;
    });
  },
});

/** Project files that name the client's folder below `.openviking`, with the first line that does. */
function projectMentions(
  { projectFiles }: Snapshot,
  id: string,
): readonly { readonly path: string; readonly line: number }[] {
  const mark = new RegExp(
    String.raw`\.openviking(?:\\\\|[\\/])+agent-integrations(?:\\\\|[\\/])+${id}(?:\\\\|[\\/]|["'\s])`,
  );
  return projectFiles.flatMap(({ path, text }) => {
    const line = text.split(/\r\n|\r|\n/).findIndex((candidate) => mark.test(candidate));
    return line === -1 ? [] : [{ path, line: line + 1 }];
  });
}

/**
 * The clients that this one steps aside for. Those that its hooks know by the same mark are editions of one client: a hook
 * cannot tell which of them runs it, and any of them may be the one whose integration is installed.
 */
function keepersOf({ yieldsTo = [] }: Pick<HostFacts, 'yieldsTo'>): readonly (readonly string[])[] {
  const byMark = new Map<string, string[]>();
  for (const { harness, variable, payloadKey } of yieldsTo) {
    const mark = JSON.stringify([variable, payloadKey]);
    byMark.set(mark, [...(byMark.get(mark) ?? []), harness]);
  }
  return [...byMark.values()];
}
