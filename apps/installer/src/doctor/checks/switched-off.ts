/** Settings of the user's that keep our entries from their work: theirs to change, so nothing here is repaired by itself. */
import { defineCheck } from '../check.ts';
import type { Found } from '../check.ts';
import type { DoctorFinding } from '../finding.ts';
import type { ClientSnapshot } from '../snapshot/client.ts';
import type { SwitchedEntry } from '../snapshot/entries.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export const switchedOffCheck = defineCheck({
  group: 'clients',
  codes: {
    '<client>/server-disabled': {
      severity: 'warn',
      cause: {
        en: 'Our MCP server is in the client’s file and switched off there: the model has no memory tools. Recall and capture go on.',
        zh: '我们的 MCP 服务器在客户端文件中但已被关闭：模型没有记忆工具。召回和采集照常进行。',
      },
      cure: {
        en: 'Remove the key that is named, or switch the server on in the client. It is never changed for you.',
        zh: '请删除所指的键，或在客户端中启用该服务器。它不会被自动修改。',
      },
    },
    '<client>/hook-disabled': {
      severity: 'warn',
      cause: {
        en: 'A hook of ours has a key that keeps the client from running it.',
        zh: '我们的某个钩子带有使客户端不运行它的键。',
      },
      cure: {
        en: 'Remove the key that is named. It is never changed for you.',
        zh: '请删除所指的键。它不会被自动修改。',
      },
    },
    '<client>/hook-in-background': {
      severity: 'warn',
      cause: {
        en: 'A hook of ours is told to run in the background: the client goes on without its answer, so nothing is recalled.',
        zh: '我们的某个钩子被设为在后台运行：客户端不等待其结果，因此不会召回任何内容。',
      },
      cure: {
        en: 'Remove the key that is named (`async`). It is never changed for you.',
        zh: '请删除所指的键（`async`）。它不会被自动修改。',
      },
    },
    '<client>/hook-conditional': {
      severity: 'warn',
      cause: {
        en: 'A hook of ours has a condition (`if`): the client runs it only where that holds, and at events without a tool never.',
        zh: '我们的某个钩子带有条件（`if`）：客户端只在条件成立时运行它，而在没有工具的事件中从不运行。',
      },
      cure: { en: 'Remove the condition. It is never changed for you.', zh: '请删除该条件。它不会被自动修改。' },
    },
    '<client>/matcher-narrowed': {
      severity: 'warn',
      cause: {
        en: 'A `matcher` limits a hook of ours to less than it is for: some conversations or tools go past it.',
        zh: '`matcher` 把我们的某个钩子限制在过小的范围内：部分会话或工具会被略过。',
      },
      cure: {
        en: 'Take the matcher away, or move our hook into a group of its own. It is never changed for you: others may stand in the same group.',
        zh: '请删去 matcher，或把我们的钩子移入单独的分组。同一分组中可能有其他钩子，因此不会自动修改。',
      },
    },
    '<client>/server-off-in-project': {
      severity: 'warn',
      cause: {
        en: 'Our MCP server is switched off for the project in which doctor was started (Claude Code: `disabledMcpServers`): the model has no memory tools there. Recall and capture go on.',
        zh: '在运行 doctor 的项目中，我们的 MCP 服务器已被关闭（Claude Code：`disabledMcpServers`）：模型在该项目中没有记忆工具。召回和采集照常进行。',
      },
      cure: {
        en: 'Switch it on there in the client (Claude Code: `/mcp`). It is never changed for you.',
        zh: '请在该项目中用客户端启用（Claude Code：`/mcp`）。它不会被自动修改。',
      },
    },
    '<client>/project-hooks-disabled': {
      severity: 'warn',
      cause: {
        en: 'A file of the project in which doctor was started switches every hook off there.',
        zh: '运行 doctor 时所在项目的某个文件关闭了该项目中的所有钩子。',
      },
      cure: {
        en: 'Remove the key that is named, or accept that nothing is remembered in this project.',
        zh: '请删除所指的键，或接受该项目中不保存任何记忆。',
      },
    },
  },
  run: (snapshot, found) =>
    snapshot.clients.flatMap((client): readonly DoctorFinding[] =>
      client.receipt === undefined
        ? []
        : [
            ...switchedEntries(client, found),
            ...switchedProjects(client, snapshot, found),
            ...serversOffHere(client, snapshot, found),
          ],
    ),
});

type SwitchCode =
  | '<client>/server-disabled'
  | '<client>/hook-disabled'
  | '<client>/hook-in-background'
  | '<client>/hook-conditional'
  | '<client>/matcher-narrowed'
  | '<client>/server-off-in-project'
  | '<client>/project-hooks-disabled';

/** Keys on our own entries. */
function switchedEntries({ client, configs }: ClientSnapshot, found: Found<SwitchCode>): readonly DoctorFinding[] {
  return configs.flatMap(({ path: file, state }) =>
    state.kind === 'read' ? state.entries.switched.map((entry) => switchedEntry(entry, file, client, found)) : [],
  );
}

function switchedEntry(
  entry: SwitchedEntry,
  file: string,
  { id, name }: ClientSnapshot['client'],
  found: Found<SwitchCode>,
): DoctorFinding {
  const what = said(entry);
  const place = { client: id, file, line: entry.line };
  const fix = {
    en: `Remove "${entry.key}" from it. It was set by hand and is never changed for you.`,
    zh: `请从中删除 "${entry.key}"。它是手工设置的，不会自动修改。`,
  };
  if (entry.of === 'server') {
    return found('<client>/server-disabled', {
      ...place,
      message: {
        en: `${what}: ${name} does not start our MCP server, and the model has no memory tools.`,
        zh: `${what}：${name} 不会启动我们的 MCP 服务器，模型没有记忆工具。`,
      },
      fix,
    });
  }
  if (entry.effect === 'off') {
    return found('<client>/hook-disabled', {
      ...place,
      message: { en: `${what}: ${name} does not run this hook.`, zh: `${what}：${name} 不会运行该钩子。` },
      fix,
    });
  }
  if (entry.effect === 'unheard') {
    return found('<client>/hook-in-background', {
      ...place,
      message: {
        en: `${what}: ${name} runs this hook in the background and goes on without its answer.`,
        zh: `${what}：${name} 在后台运行该钩子，不等待其结果。`,
      },
      fix,
    });
  }
  return found(entry.key === 'matcher' ? '<client>/matcher-narrowed' : '<client>/hook-conditional', {
    ...place,
    message: {
      en: `${what}: ${name} runs this hook of ours only where that fits.`,
      zh: `${what}：${name} 只在符合时运行我们的该钩子。`,
    },
    ...(entry.key === 'matcher' ? {} : { fix }),
  });
}

/** Files of the project that switch every hook off. */
function switchedProjects(
  { client: { id, name } }: ClientSnapshot,
  { projectFiles }: Snapshot,
  found: Found<SwitchCode>,
): readonly DoctorFinding[] {
  return projectFiles.flatMap(({ path: file, switchedOff }) =>
    switchedOff
      .filter((off) => off.client === id)
      .map(({ line, key }) =>
        found('<client>/project-hooks-disabled', {
          client: id,
          file,
          line,
          message: {
            en: `${key} is true: in this project ${name} runs no hook, and nothing is recalled or captured.`,
            zh: `${key} 为 true：在此项目中 ${name} 不会运行任何钩子，既不召回也不采集。`,
          },
          fix: { en: `Remove ${key} from it.`, zh: `请从中删除 ${key}。` },
        }),
      ),
  );
}

/** Our server in the list of those that the client does not start in this project. */
function serversOffHere(
  { client: { id, name }, configs }: ClientSnapshot,
  { project, platform }: Snapshot,
  found: Found<SwitchCode>,
): readonly DoctorFinding[] {
  return configs.flatMap(({ path: file, state }) =>
    (state.kind === 'read' ? state.offInProjects : [])
      .filter(({ folder }) => isSame(folder, project, platform))
      .map(({ folder, key, name: server, line }) =>
        found('<client>/server-off-in-project', {
          client: id,
          file,
          line,
          message: {
            en: `${key} of ${folder} names ${server}: in this project ${name} does not start our MCP server, and the model has no memory tools.`,
            zh: `${folder} 的 ${key} 中有 ${server}：在此项目中 ${name} 不会启动我们的 MCP 服务器，模型没有记忆工具。`,
          },
          fix: {
            en: 'Switch it on in the client’s list of servers (/mcp). It was switched off by hand and is never changed for you.',
            zh: '请在客户端的服务器列表（/mcp）中启用。它是手工关闭的，不会自动修改。',
          },
        }),
      ),
  );
}

/** Whether two paths are one; on Windows the client writes them with `/`. */
function isSame(one: string, other: string, platform: NodeJS.Platform): boolean {
  const [first, second] = [one, other].map((path) => {
    const plain = platform === 'win32' ? path.replaceAll('\\', '/').toLowerCase() : path;
    return plain.replace(/(?<=.)\/+$/, '');
  });
  return first === second;
}

/** `hooks.Stop: "async": true`, as it stands there; a long value is cut. */
function said({ path, key, value }: SwitchedEntry): string {
  const text = JSON.stringify(value);
  return `${path.join('.')}: "${key}": ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`;
}
