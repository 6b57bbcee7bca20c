/**
 * The fake Claude Code as the conformance suite wants it: our plugin as the declaration describes it, registered as the
 * client's own commands would, with a launcher of two lines that starts the built bundles. So the suite proves the plugin's
 * files and their command lines as well.
 */
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type {
  ConformanceContext,
  ConformanceHost,
  ConformanceSession,
  EventBinding,
  HookCommand,
} from '@openviking/memory-core/testing';
import { declaration } from '../src/harness.ts';
import { ClaudeHost } from './claude-host.ts';
import type { ClaudeSession } from './claude-host.ts';
import type { HookDetail, HookSituation } from './hook-input.ts';

/** Names that the conformance suite needs to know of this client. */
export const CLAUDE_TOOLS = { read: 'Read', search: 'Grep', shell: 'Bash' } as const;

/**
 * For `runConformance({ createHost })`. `wire` makes the client know our hooks: by hand by default, or with the installer,
 * to prove its launcher as well.
 */
export async function createClaudeConformanceHost(
  context: ConformanceContext,
  wire: (context: ConformanceContext) => void | Promise<void> = writeClaudePlugin,
): Promise<ConformanceHost> {
  await wire(context);
  const hosts: ClaudeHost[] = [];
  const start = (): ClaudeHost => {
    const host = new ClaudeHost({ home: context.home, cwd: context.cwd });
    hosts.push(host);
    return host;
  };
  const first = start();
  return {
    startSession: () => conversation(first.startSession(), start),
    hookRuns: () => hosts.flatMap((host) => host.runs.map(({ run }) => run)),
    invocation: (binding) => invocation(first, binding, context),
  };
}

/** Lays out the plugin and enters it into the client's settings. */
export function writeClaudePlugin({ home, payloadDir }: Pick<ConformanceContext, 'home' | 'payloadDir'>): void {
  const folder = join(home, '.openviking', 'agent-integrations', 'claude');
  const launcher = join(folder, 'launch');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    launcher,
    `#!/bin/sh\nentry=$1\nshift\nexec ${quoted(process.execPath)} ${quoted(payloadDir)}/"$entry".cjs "$@"\n`,
  );
  chmodSync(launcher, 0o755);
  const { owned, registration } = declaration.wiring({
    home,
    platform: process.platform,
    env: {},
    launcher,
    pluginCommands: ['claude'],
  });
  if (registration === undefined) throw new Error('the declaration registers no plugin');
  for (const file of owned) {
    mkdirSync(dirname(file.to), { recursive: true });
    if ('content' in file) writeFileSync(file.to, file.content);
    else cpSync(join(payloadDir, file.from), file.to);
  }
  const { plugin, marketplace, folder: path } = registration;
  const settings = {
    extraKnownMarketplaces: { [marketplace]: { source: { source: 'directory', path } } },
    enabledPlugins: { [`${plugin}@${marketplace}`]: true },
  };
  mkdirSync(join(home, '.claude'), { recursive: true });
  writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify(settings, null, 2));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** One handler on its own: command, environment and a payload for which a hook has something to say or to do. */
function invocation(
  host: ClaudeHost,
  binding: EventBinding,
  { home, cwd }: ConformanceContext,
): HookCommand & { readonly payload: string } {
  const detail = detailFor(binding.nativeName, home);
  const handler = host.readHooks().handlers.get(detail.event)?.[0];
  if (handler === undefined) throw new Error(`the client has no handler for ${detail.event}`);
  const isSubagent = detail.event === 'SubagentStart' || detail.event === 'SubagentStop';
  const situation: HookSituation = {
    sessionId: '7d5f2c1e-0b6a-4a53-9a55-3c1f0e9d2b41',
    transcriptPath: join(home, 'transcript.jsonl'),
    cwd,
    promptId: '1b9c52f0-5a77-4a0e-8f60-0c5e4f6f8a13',
    ...(isSubagent ? { agent: { id: 'ad8ee5eca8d60ebd5', type: 'general-purpose' } } : {}),
  };
  return host.commandOf(handler, situation, detail);
}

function detailFor(nativeName: string, home: string): HookDetail {
  const answer = 'The preferred package manager is pnpm, größer 项目.';
  switch (nativeName) {
    case 'SessionStart':
      return { event: 'SessionStart', source: 'startup' };
    case 'UserPromptSubmit':
      return { event: 'UserPromptSubmit', prompt: 'Which package manager is preferred here, größer 项目?' };
    case 'PreToolUse':
      return {
        event: 'PreToolUse',
        toolName: 'Read',
        toolInput: { file_path: 'viking://~/memories/größer/profile.md' },
        toolUseId: 'toolu_1',
      };
    case 'Stop':
      return { event: 'Stop', answer };
    case 'SubagentStart':
      return { event: 'SubagentStart' };
    case 'SubagentStop':
      return { event: 'SubagentStop', answer, agentTranscriptPath: join(home, 'agent.jsonl') };
    case 'PreCompact':
      return { event: 'PreCompact' };
    case 'SessionEnd':
      return { event: 'SessionEnd', reason: 'other' };
    default:
      throw new Error(`the fake plays no ${nativeName}`);
  }
}

function conversation(session: ClaudeSession, restart: () => ClaudeHost): ConformanceSession {
  const serverSessionId = `cc-${session.id}`;
  return {
    serverSessionId,
    prompt: async (text) => {
      const { injected, notices } = await session.prompt(text);
      return { injected, ...(notices.length === 0 ? {} : { notice: notices.join('\n') }) };
    },
    tool: (name, input, output) => session.tool(name, input, output),
    answer: (text) => session.answer(text),
    remark: (text) => session.remark(text),
    abort: () => session.abort(),
    missTurnEnd: async (text) => {
      await session.answer(text, 'missed');
    },
    resume: () => conversation(restart().resumeSession(session), restart),
    fork: () => conversation(restart().forkSession(session), restart),
    compact: (summary) => session.compact(summary),
    end: () => session.end(),
    subagent: async (task, answer, meanwhile) => {
      const { id, injected } = await session.subagent(task, answer, meanwhile && { meanwhile });
      return { serverSessionId: `${serverSessionId}__subagent-${id}`, injected };
    },
  };
}
