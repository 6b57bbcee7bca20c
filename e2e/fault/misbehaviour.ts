/**
 * How the server misbehaves in a run: spells of one kind of trouble, with spells of health between them, drawn from the
 * run's seed. Which request meets which spell depends on the machine; which spells there are does not.
 */
import type { Fault } from '@openviking/memory-core/testing';
import type { Random } from './random.ts';
import type { Scene } from './scene.ts';

/** What delivery asks of a server. Other requests of the hooks lose nothing when they fail. */
const DELIVERY = /^\/api\/v1\/sessions\/[^/]+(\/(messages|messages\/batch|commit|context))?$/;

/** Troubles that are answers to single requests. */
const FAULTS: Readonly<Record<string, (random: Random) => Fault>> = {
  unavailable: () => ({ kind: 'status', status: 503 }),
  'too-many': () => ({ kind: 'status', status: 429, headers: { 'retry-after': '1' } }),
  stall: () => ({ kind: 'silence' }),
  'stall-after-storing': () => ({ kind: 'store-then-silence' }),
  drop: () => ({ kind: 'drop' }),
  'drop-after-storing': () => ({ kind: 'store-then-drop' }),
  '502-after-storing': () => ({ kind: 'store-then-status', status: 502 }),
  // Whoever asked may be dead before it is carried out.
  'slow-to-store': (random) => ({ kind: 'delay', ms: random.whole(50, 300) }),
  'slow-answer': (random) => ({ kind: 'slow-bytes', ms: random.whole(1, 8) }),
  truncate: () => ({ kind: 'truncate' }),
  'part-of-batch': (random) => ({ kind: 'store-part', messages: random.whole(1, 3) }),
  garbage: () => ({ kind: 'garbage' }),
  'error-in-ok': () => ({ kind: 'error-in-ok' }),
  'foreign-404': () => ({ kind: 'status', status: 404, body: '<html>nothing here</html>' }),
};

/** All kinds of trouble by name: the faults, nobody listening, and credentials that are refused until they are changed. */
export const KINDS: readonly string[] = ['refuse', 'unauthorized', ...Object.keys(FAULTS)];

export interface Misbehaviour {
  /** How many requests met each kind; for `refuse`, which nobody can count, the spells. */
  readonly met: Readonly<Record<string, number>>;
  /** Ends it: from then on the server behaves. */
  stop(): Promise<void>;
}

/** Lets the server of `scene` misbehave until stopped. */
export function misbehave(scene: Scene, random: Random, kinds: readonly string[]): Misbehaviour {
  const { server } = scene;
  const met: Record<string, number> = {};
  let stopped = false;
  let wake = (): void => undefined;
  const pause = (ms: number): Promise<void> =>
    new Promise((done) => {
      const timer = setTimeout(done, ms);
      wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  const count = (kind: string, requests: number): void => {
    if (requests > 0) met[kind] = (met[kind] ?? 0) + requests;
  };

  const spell = async (kind: string, ms: number): Promise<void> => {
    server.forgetRequests();
    if (kind === 'refuse') {
      await server.goDown();
      await pause(ms);
      await server.comeBack();
      count(kind, 1);
    } else if (kind === 'unauthorized') {
      const key = scene.rotateKey();
      await pause(ms);
      key.configure();
      count(kind, server.requests.filter(({ outcome }) => outcome === 401).length);
    } else {
      const fault = FAULTS[kind]?.(random);
      if (fault === undefined) throw new Error(`unknown kind of trouble: ${kind}; known are ${KINDS.join(', ')}`);
      const end = server.misbehave({ path: DELIVERY, fault });
      await pause(ms);
      end();
      count(kind, server.requests.filter(({ path }) => DELIVERY.test(path)).length);
    }
  };

  const run = async (): Promise<void> => {
    // Every kind comes once before any comes twice: a short run meets as many as it can.
    let hand: string[] = [];
    while (!stopped && kinds.length > 0) {
      await pause(random.whole(50, 350));
      if (stopped) break;
      if (hand.length === 0) hand = shuffled(kinds, random);
      await spell(hand.pop() as string, random.whole(60, 450));
    }
    server.behave();
  };
  const running = run();
  return {
    met,
    stop: () => {
      stopped = true;
      wake();
      return running;
    },
  };
}

function shuffled(items: readonly string[], random: Random): string[] {
  const hand = [...items];
  for (let index = hand.length - 1; index > 0; index -= 1) {
    const other = random.whole(0, index);
    [hand[index], hand[other]] = [hand[other] as string, hand[index] as string];
  }
  return hand;
}
