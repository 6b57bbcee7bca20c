/**
 * Compares what the server holds of a conversation with what was said in it. A message may be missing only where no process
 * that could have known of it lived long enough to write it down, and where the client's own record does not tell it.
 */
import { messageText } from '@openviking/memory-core/testing';
import type { StoredMessage } from '@openviking/memory-core/testing';
import type { Player, Step, Turn } from './player.ts';

export interface Verdict {
  /** Messages that had to be there. */
  readonly said: number;
  /** Prompts whose hook was killed before it could note anything, and that nothing else tells of: nobody can have them. */
  readonly neverNoted: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly outOfOrder: readonly string[];
  /** Messages that were stored with another content than was said, or that nobody has said. */
  readonly altered: readonly string[];
}

type Duty = 'must' | 'may' | 'must not';

/** `order: 'sides'` for turns that ended at the same moment: prompts in order, each answer somewhere after its prompt. */
export function judge(player: Player, stored: readonly StoredMessage[], order: 'turns' | 'sides' = 'turns'): Verdict {
  const lost: string[] = [];
  const doubled: string[] = [];
  const outOfOrder: string[] = [];
  const altered: string[] = [];
  let said = 0;
  let neverNoted = 0;
  const places = new Map(player.turns.map((turn, index) => [turn.id, index]));
  const name = (index: number, role: string): string => `${player.session} turn ${index + 1} ${role}`;

  player.turns.forEach((turn, index) => {
    const sides = [
      ['user', userDuty(player, index)],
      ['assistant', assistantDuty(player, index)],
    ] as const;
    for (const [role, duty] of sides) {
      const found = stored.filter((message) => message.turn_id === turn.id && message.role === role);
      if (duty === 'must') said += 1;
      if (duty === 'may' && found.length === 0 && role === 'user') neverNoted += 1;
      if (duty === 'must' && found.length === 0) lost.push(`${name(index, role)}: ${describe(player, turn)}`);
      if (duty === 'must not' && found.length > 0) altered.push(`${name(index, role)}: nobody has said this`);
      if (found.length > 1) doubled.push(`${name(index, role)}: ${found.length} times`);
      for (const message of found) {
        const difference = role === 'user' ? userDifference(turn, message) : assistantDifference(turn, message);
        if (difference !== undefined) altered.push(`${name(index, role)}: ${difference}; ${describe(player, turn)}`);
      }
    }
  });

  let newest = -1;
  const newestOf = { user: -1, assistant: -1 };
  for (const message of stored) {
    const index = places.get(message.turn_id ?? '');
    if (index === undefined || (message.role !== 'user' && message.role !== 'assistant')) {
      altered.push(`${player.session}: a message that nobody has said: ${JSON.stringify(message).slice(0, 200)}`);
      continue;
    }
    const place = index * 2 + (message.role === 'user' ? 0 : 1);
    const wrong =
      order === 'turns'
        ? place < newest
        : message.role === 'user'
          ? index < newestOf.user
          : stored.findIndex(({ turn_id, role }) => turn_id === message.turn_id && role === 'user') >
            stored.indexOf(message);
    if (wrong) outOfOrder.push(name(index, message.role));
    newest = Math.max(newest, place);
    newestOf[message.role] = Math.max(newestOf[message.role], index);
  }
  return { said, neverNoted, lost, doubled, outOfOrder, altered };
}

function userDuty(player: Player, index: number): Duty {
  const turn = player.turns[index] as Turn;
  if (turn.noted) return 'must';
  return isHistory(player, index) || turn.record === 'none' ? 'may' : 'must';
}

function assistantDuty(player: Player, index: number): Duty {
  const turn = player.turns[index] as Turn;
  // The end of a turn in a conversation of which nothing was seen keeps nothing: decision 0018.
  if (turn.stop === 'finished') return turn.knownAtEnd ? 'must' : 'may';
  if (turn.record !== 'none') return isHistory(player, index) ? 'may' : 'must';
  return turn.stop === 'killed' ? 'may' : 'must not';
}

/**
 * The journal's first entry says where a conversation begins for us: what the client's record shows from before is history
 * that only an import may read. So are turns of which no hook wrote anything down while the conversation was unknown.
 */
function isHistory(player: Player, index: number): boolean {
  const begin = player.turns.findIndex(({ noted, stop, knownAtEnd }) => noted || (stop === 'finished' && knownAtEnd));
  return begin === -1 || index < begin;
}

function userDifference(turn: Turn, message: StoredMessage): string | undefined {
  return messageText(message) === turn.text.trim() ? undefined : `the prompt reads ${short(messageText(message))}`;
}

/** What must stand in the assistant's message, in order; tool calls as `name input → output`. */
function assistantDifference(turn: Turn, message: StoredMessage): string | undefined {
  const stored = (message.parts ?? []).map((part) =>
    part['type'] === 'tool'
      ? callText(String(part['tool_name']), part['tool_input'], String(part['tool_output']))
      : String(part['text']).trim(),
  );
  const answer = turn.answer === undefined ? [] : [turn.answer.trim()];
  const allowed = [turn.record === 'none' ? answer : [...stepTexts(turn.steps), ...answer]];
  // A tool's output stands in the client's *next* line: with that line missing or late, the last one may be unknown.
  if (turn.record === 'steps' || turn.record === 'late') {
    const known = turn.steps.map((step, index) => (index < turn.steps.length - 1 ? step : { ...step, output: '' }));
    allowed.push([...stepTexts(known), ...answer]);
  }
  const text = JSON.stringify(stored);
  return allowed.some((parts) => JSON.stringify(parts) === text) ? undefined : `the answer reads ${short(text)}`;
}

function stepTexts(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ say, tool, input, output }) => [...(say === '' ? [] : [say]), callText(tool, input, output)]);
}

function callText(name: string, input: unknown, output: string): string {
  return `${name} ${JSON.stringify(input)} → ${output.trim()}`;
}

function describe(player: Player, turn: Turn): string {
  const record = player.options.recorded ? `record ${turn.record}` : 'no record';
  return `prompt ${turn.prompt}${turn.noted ? ' (noted)' : ''}, stop ${turn.stop}, ${record}, ${turn.steps.length} steps`;
}

function short(text: string): string {
  return text.length <= 300 ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, 300))}… (${text.length})`;
}
