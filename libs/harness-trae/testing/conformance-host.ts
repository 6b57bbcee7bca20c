/**
 * The fake TRAE as the conformance suite wants it: wires built bundles into a scratch home by hand, without launcher and
 * installer, so that a failure points at the hook and not at the way it was installed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ConformanceContext,
  ConformanceHost,
  ConformanceSession,
  EventBinding,
} from '@openviking/memory-core/testing';
import type { TraeEvent } from './hook-file.ts';
import { TraeHost } from './trae-host.ts';
import type { TraeHostOptions, TraeSession } from './trae-host.ts';

export type TraeId = 'trae' | 'trae-cn';

interface Wiring {
  readonly event: TraeEvent;
  readonly entry: string;
  readonly matcher?: string;
  readonly timeout: number;
  /** For which the handler has something to say or to do. */
  readonly detail: Readonly<Record<string, unknown>>;
}

const WIRING: readonly Wiring[] = [
  { event: 'SessionStart', entry: 'session-start', timeout: 30, detail: {} },
  {
    event: 'UserPromptSubmit',
    entry: 'user-prompt-submit',
    timeout: 20,
    detail: { prompt: 'Which package manager is preferred here, größer 项目?' },
  },
  {
    event: 'PreToolUse',
    entry: 'uri-guard',
    matcher: 'Read|Write|Edit|Glob|Grep|LS|RunCommand',
    timeout: 5,
    detail: { tool_name: 'Read', tool_input: { file_path: 'viking://~/memories/größer/profile.md' } },
  },
  {
    event: 'Stop',
    entry: 'stop',
    timeout: 30,
    detail: { last_assistant_message: 'The preferred package manager is pnpm, größer 项目.' },
  },
];

const EDITIONS: Readonly<Record<TraeId, { readonly folder: TraeHostOptions['folder']; readonly prefix: string }>> = {
  trae: { folder: '.trae', prefix: 'tr-' },
  'trae-cn': { folder: '.trae-cn', prefix: 'trcn-' },
};

/** Names that the conformance suite needs to know of this client. */
export const TRAE_TOOLS = { read: 'Read', search: 'Grep', shell: 'RunCommand' } as const;

/**
 * For `runConformance({ createHost })`. `wire` writes the client's configuration: by hand by default, or with the
 * installer, to prove launcher and command lines as well.
 */
export async function createTraeConformanceHost(
  id: TraeId,
  context: ConformanceContext,
  wire: (context: ConformanceContext) => void | Promise<void> = ({ home, payloadDir }) =>
    writeTraeHooks(id, home, payloadDir),
): Promise<ConformanceHost> {
  await wire(context);
  const { folder, prefix } = EDITIONS[id];
  const hosts: TraeHost[] = [];
  const start = (): TraeHost => {
    const host = new TraeHost({ home: context.home, cwd: context.cwd, folder });
    hosts.push(host);
    return host;
  };
  const first = start();
  const conversation = (session: TraeSession): ConformanceSession => ({
    serverSessionId: `${prefix}${session.id}`,
    prompt: (text) => session.prompt(text),
    tool: (name, input, output) => session.tool(name, input, output),
    answer: (text) => session.answer(text),
    // Nothing in the payload tells it from any other prompt.
    remark: (text) => session.prompt(text),
    // No hook runs when the user stops a turn.
    abort: () => undefined,
    resume: () => conversation(start().startSession(session.id)),
  });
  return {
    startSession: () => conversation(first.startSession()),
    hookRuns: () => hosts.flatMap((host) => host.runs.map(({ run }) => run)),
    invocation: (binding) => invocation(first, binding),
  };
}

function invocation(host: TraeHost, { entry }: EventBinding): ReturnType<ConformanceHost['invocation']> {
  const wiring = WIRING.find((one) => one.entry === entry);
  if (wiring === undefined) throw new Error(`the client runs nothing like ${entry}`);
  const handler = host.readHooks().events.get(wiring.event)?.[0]?.handlers[0];
  if (handler === undefined) throw new Error(`the client has no handler for ${wiring.event}`);
  return {
    ...host.commandOf(handler),
    payload: host.payload(wiring.event, '5f0d2c1e-0b6a-4a53-9a55-3c1f0e9d2b41', wiring.detail),
  };
}

/** Writes the edition's `hooks.json` with one handler per event that starts the bundle itself. */
export function writeTraeHooks(id: TraeId, home: string, payloadDir: string): void {
  const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
  const hooks = Object.fromEntries(
    WIRING.map(({ event, entry, matcher, timeout }) => {
      const command = `${quoted(process.execPath)} ${quoted(join(payloadDir, `${entry}.cjs`))}`;
      const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command, timeout }] };
      return [event, [group]];
    }),
  );
  const folder = join(home, EDITIONS[id].folder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'hooks.json'), JSON.stringify({ version: 1, hooks }, null, 2));
}
