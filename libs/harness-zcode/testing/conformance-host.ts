/**
 * The fake ZCode as the conformance suite wants it: wires built bundles into a scratch home by hand, without launcher and
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
import { hookEnvironment, hookInput } from './hook-input.ts';
import type { HookDetail } from './hook-input.ts';
import { startOf, ZcodeHost } from './zcode-host.ts';
import type { ZcodeSession } from './zcode-host.ts';

/** What the client's events amount to. */
export type ZcodeKind = 'session-start' | 'prompt' | 'tool-guard' | 'turn-end';

/** Event of the client, entry bundle and limits, as the harness is specified. */
export const ZCODE_WIRING: Readonly<
  Record<
    ZcodeKind,
    {
      readonly event: HookDetail['event'];
      readonly entry: string;
      readonly matcher?: string;
      readonly timeoutMs: number;
    }
  >
> = {
  'session-start': { event: 'SessionStart', entry: 'session-start', timeoutMs: 30_000 },
  prompt: { event: 'UserPromptSubmit', entry: 'user-prompt-submit', timeoutMs: 20_000 },
  'tool-guard': {
    event: 'PreToolUse',
    entry: 'uri-guard',
    matcher: 'Read|Glob|Grep|Edit|Write|Bash',
    timeoutMs: 5_000,
  },
  'turn-end': { event: 'Stop', entry: 'stop', timeoutMs: 30_000 },
};

/** Names that the conformance suite needs to know of this client. */
export const ZCODE_TOOLS = { read: 'Read', search: 'Grep', shell: 'Bash' } as const;

/**
 * For `runConformance({ createHost })`. `wire` writes the client's configuration: by hand by default, or with the
 * installer, to prove launcher and command lines as well.
 */
export async function createZcodeConformanceHost(
  context: ConformanceContext,
  wire: (context: ConformanceContext) => void | Promise<void> = ({ home, payloadDir }) =>
    writeZcodeConfig(home, payloadDir),
): Promise<ConformanceHost> {
  await wire(context);
  const hosts: ZcodeHost[] = [];
  const start = (): ZcodeHost => {
    const host = new ZcodeHost({ home: context.home, cwd: context.cwd });
    hosts.push(host);
    return host;
  };
  const first = start();
  return {
    startSession: () => conversation(first.startSession(), start),
    hookRuns: () => hosts.flatMap((host) => host.runs.map(({ run }) => run)),
    invocation: (binding) => {
      const kind = kindOf(binding);
      return { ...zcodeInvocation(kind, context), ...handlerOf(first, ZCODE_WIRING[kind].event) };
    },
  };
}

function kindOf({ entry }: EventBinding): ZcodeKind {
  const kinds = Object.keys(ZCODE_WIRING) as ZcodeKind[];
  const kind = kinds.find((name) => ZCODE_WIRING[name].entry === entry);
  if (kind === undefined) throw new Error(`the client runs nothing like ${entry}`);
  return kind;
}

/** How the client starts the first handler of an event, as it is configured. */
function handlerOf(host: ZcodeHost, event: HookDetail['event']): Pick<HookCommand, 'command' | 'args'> {
  const reading = host.readConfig();
  const handler = reading.kind === 'read' ? reading.config.events.get(event)?.[0]?.handlers[0] : undefined;
  if (handler === undefined) throw new Error(`the client has no handler for ${event}`);
  return startOf(handler);
}

/** Writes `~/.zcode/cli/config.json` with one handler per event that starts the bundle itself. */
export function writeZcodeConfig(home: string, payloadDir: string): void {
  const events = Object.fromEntries(
    Object.values(ZCODE_WIRING).map(({ event, entry, matcher, timeoutMs }) => [
      event,
      [
        {
          ...(matcher === undefined ? {} : { matcher }),
          hooks: [{ type: 'process', command: process.execPath, args: [join(payloadDir, `${entry}.cjs`)], timeoutMs }],
        },
      ],
    ]),
  );
  const folder = join(home, '.zcode', 'cli');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ hooks: { enabled: true, events } }, null, 2));
}

/** One handler on its own: command, environment and a payload for which a hook has something to say or to do. */
export function zcodeInvocation(
  kind: ZcodeKind,
  context: ConformanceContext,
): HookCommand & { readonly payload: string } {
  const sessionId = 'sess_7d5f2c1e-0b6a-4a53-9a55-3c1f0e9d2b41';
  return {
    command: process.execPath,
    args: [join(context.payloadDir, `${ZCODE_WIRING[kind].entry}.cjs`)],
    cwd: context.cwd,
    env: { ...homeEnvironment(context.home), ...hookEnvironment(sessionId, context.cwd) },
    payload: hookInput(
      {
        sessionId,
        turnId: 'turn_1b9c52f0-5a77-4a0e-8f60-0c5e4f6f8a13',
        traceId: '0f1d5c5e-7b86-4f6c-b0b5-8f6f0b6f1c11',
        cwd: context.cwd,
        transcriptPath: join(context.home, 'transcript.jsonl'),
      },
      detailFor(kind),
    ),
  };
}

function detailFor(kind: ZcodeKind): HookDetail {
  switch (kind) {
    case 'session-start':
      return { event: 'SessionStart', source: 'startup' };
    case 'prompt':
      return { event: 'UserPromptSubmit', prompt: 'Which package manager is preferred here, größer 项目?' };
    case 'tool-guard':
      return {
        event: 'PreToolUse',
        toolName: 'Read',
        toolInput: { file_path: 'viking://~/memories/größer/profile.md' },
        toolCallId: 'call_1',
      };
    case 'turn-end':
      return { event: 'Stop', answer: 'The preferred package manager is pnpm, größer 项目.', toolCallCount: 0 };
  }
}

function conversation(session: ZcodeSession, restart: () => ZcodeHost): ConformanceSession {
  return {
    serverSessionId: `zc-${session.id}`,
    prompt: (text) => session.prompt(text),
    tool: (name, input, output) => session.tool(name, input, output),
    answer: (text) => session.answer(text),
    remark: (text) => session.remark(text),
    abort: () => session.abort({ recorded: true }),
    missTurnEnd: async (text) => {
      await session.answer(text, { stop: 'missed' });
    },
    resume: () => conversation(restart().startSession(session), restart),
  };
}
