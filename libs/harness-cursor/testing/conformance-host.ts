/**
 * The fake Cursor as the conformance suite wants it: wires built bundles into a scratch home by hand, without launcher and
 * installer, so that a failure points at the hook and not at the way it was installed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeEnvironment } from '@openviking/memory-core/testing';
import type {
  ConformanceContext,
  ConformanceHost,
  ConformanceSession,
  EventBinding,
  HookCommand,
} from '@openviking/memory-core/testing';
import { CursorHost } from './cursor-host.ts';
import type { CursorHostOptions, CursorSession } from './cursor-host.ts';
import { hookEnvironment, hookInput } from './hook-input.ts';
import type { HookDetail, HookSituation } from './hook-input.ts';
import { transcriptsFolder } from './transcript-file.ts';

/** Event of the client, entry bundle, matcher and limit in seconds, as the harness is specified. */
export const CURSOR_WIRING: Readonly<
  Record<string, { readonly entry: string; readonly matcher?: string; readonly timeout: number }>
> = {
  sessionStart: { entry: 'session-start', timeout: 30 },
  beforeSubmitPrompt: { entry: 'before-submit-prompt', timeout: 20 },
  preToolUse: { entry: 'uri-guard', matcher: '^(Read|Grep|Glob|LS|Write|StrReplace|Delete|Shell)$', timeout: 5 },
  afterAgentResponse: { entry: 'after-agent-response', timeout: 10 },
  stop: { entry: 'stop', timeout: 30 },
  subagentStop: { entry: 'subagent-stop', timeout: 30 },
  preCompact: { entry: 'pre-compact', timeout: 30 },
  sessionEnd: { entry: 'session-end', timeout: 30 },
};

/** Names that the conformance suite needs to know of this client. */
export const CURSOR_TOOLS = { read: 'Read', search: 'Grep', shell: 'Shell' } as const;

/**
 * For `runConformance({ createHost })`. `wire` writes the client's configuration: by hand by default, or with the
 * installer, to prove launcher and command lines as well.
 */
export async function createCursorConformanceHost(
  context: ConformanceContext,
  wire: (context: ConformanceContext) => void | Promise<void> = ({ home, payloadDir }) =>
    writeCursorHooks(home, payloadDir),
  options: Partial<CursorHostOptions> = {},
): Promise<ConformanceHost> {
  await wire(context);
  const hosts: CursorHost[] = [];
  const start = (): CursorHost => {
    const host = new CursorHost({ home: context.home, cwd: context.cwd, ...options });
    hosts.push(host);
    return host;
  };
  const first = start();
  return {
    startSession: () => conversation(first.startSession(), start),
    hookRuns: () => hosts.flatMap((host) => host.runs.map(({ run }) => run)),
    invocation: (binding) => cursorInvocation(binding, first, context),
  };
}

/** Writes `~/.cursor/hooks.json` with one hook per event that starts the bundle itself. */
export function writeCursorHooks(home: string, payloadDir: string): void {
  const hooks = Object.fromEntries(
    Object.entries(CURSOR_WIRING).map(([event, { entry, matcher, timeout }]) => [
      event,
      [
        {
          command: [process.execPath, join(payloadDir, `${entry}.cjs`)].map(quote).join(' '),
          timeout,
          ...(matcher === undefined ? {} : { matcher }),
        },
      ],
    ]),
  );
  const folder = join(home, '.cursor');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'hooks.json'), JSON.stringify({ version: 1, hooks }, null, 2));
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The first hook of one event, with a payload for which it has something to say or to do. */
function cursorInvocation(
  { nativeName }: EventBinding,
  host: CursorHost,
  { home, cwd }: ConformanceContext,
): HookCommand & { readonly payload: string } {
  const detail = DETAILS.find(({ event }) => event === nativeName);
  const hook = detail === undefined ? undefined : host.readHooks().get(detail.event)?.[0];
  if (detail === undefined || hook === undefined) throw new Error(`the client runs nothing at ${nativeName}`);
  const conversationId = '7d5f2c1e-0b6a-4a53-9a55-3c1f0e9d2b41';
  const situation: HookSituation = {
    conversationId,
    generationId: '1b9c52f0-5a77-4a0e-8f60-0c5e4f6f8a13',
    workspaceRoots: [cwd],
    transcriptPath: join(transcriptsFolder(home, cwd), conversationId, `${conversationId}.jsonl`),
  };
  return {
    command: '/bin/sh',
    args: ['-c', hook.command],
    cwd: join(home, '.cursor'),
    env: { ...homeEnvironment(home), ...hookEnvironment(situation) },
    payload: hookInput(situation, detail),
  };
}

const DETAILS: readonly HookDetail[] = [
  { event: 'sessionStart' },
  { event: 'beforeSubmitPrompt', prompt: 'Which package manager is preferred here, größer 项目?' },
  { event: 'preToolUse', toolName: 'Read', toolInput: { file_path: 'viking://~/memories/größer/profile.md' } },
  { event: 'afterAgentResponse', text: 'The preferred package manager is pnpm, größer 项目.' },
  { event: 'stop', status: 'completed' },
  { event: 'subagentStop', type: 'explore', task: 'Look around.', summary: 'Looked around.', transcriptPath: null },
  { event: 'preCompact' },
  { event: 'sessionEnd' },
];

function conversation(session: CursorSession, restart: () => CursorHost): ConformanceSession {
  return {
    serverSessionId: `cu-${session.id}`,
    prompt: (text) => session.prompt(text),
    tool: (name, input, output) => session.tool(name, input, output),
    answer: (text) => session.answer(text),
    // The client gives every message of the user a generation of its own.
    remark: (text) => session.prompt(text),
    abort: () => session.abort(),
    async missTurnEnd(text) {
      await session.answer(text, { stop: 'missed' });
    },
    resume: () => conversation(restart().startSession(session), restart),
    async compact() {
      const { contexts } = await session.compact();
      return { injected: contexts.join('\n') };
    },
    end: () => session.end(),
    async subagent(task, answer, meanwhile) {
      const { id, outcome } = await session.subagent(task, answer, meanwhile && { meanwhile });
      return { serverSessionId: `cu-${session.id}__subagent-${id}`, injected: outcome.contexts.join('\n') };
    },
  };
}
