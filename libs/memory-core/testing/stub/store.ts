/**
 * What the stub server keeps: sessions with the real one's counting rules, and memories made from them at commit. Without
 * real counts (`total_message_count` over archived and live messages) a test could not tell a lost turn from a doubled one.
 */

export type JsonRecord = Readonly<Record<string, unknown>>;

export interface StoredMessage {
  readonly role: string;
  readonly content?: string;
  readonly parts?: readonly JsonRecord[];
  readonly turn_id?: string;
  readonly peer_id?: string;
  readonly created_at?: string;
}

export interface StoredCommit {
  readonly at: number;
  readonly keepRecent: number | undefined;
  readonly archived: number;
}

export interface StubMemory {
  readonly uri: string;
  readonly category: string;
  readonly abstract: string;
  readonly text: string;
  readonly score?: number;
}

export class StubSession {
  readonly archived: StoredMessage[] = [];
  readonly live: StoredMessage[] = [];
  readonly commits: StoredCommit[] = [];
  readonly used: JsonRecord[] = [];
  autoCommitPolicy: JsonRecord | null = null;
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  /** Everything that was ever stored, in order. */
  get messages(): readonly StoredMessage[] {
    return [...this.archived, ...this.live];
  }

  get pendingTokens(): number {
    return Math.ceil(this.live.map(messageText).join('').length / 4);
  }

  /** Archives all but the last `keepRecent` live messages; returns those. */
  commit(keepRecent: number | undefined): readonly StoredMessage[] {
    const gone = this.live.splice(0, Math.max(0, this.live.length - (keepRecent ?? 0)));
    this.archived.push(...gone);
    this.commits.push({ at: Date.now(), keepRecent, archived: gone.length });
    return gone;
  }
}

export class StubStore {
  readonly sessions = new Map<string, StubSession>();
  readonly memories: StubMemory[] = [];
  profile = '';
  /** URI of a folder → its entries, for `/fs/ls`. */
  readonly listings = new Map<string, readonly { readonly name: string; readonly abstract: string }[]>();
  readonly skills: { readonly name: string; readonly description: string; readonly uri: string }[] = [];
  private counter = 0;

  ensureSession(id: string | undefined): StubSession {
    const name = id ?? `stub-${(this.counter += 1)}`;
    let session = this.sessions.get(name);
    if (session === undefined) {
      session = new StubSession(name);
      this.sessions.set(name, session);
    }
    return session;
  }

  /** Turns archived messages into one memory, so that another session can find what was said. */
  remember(session: StubSession, messages: readonly StoredMessage[]): void {
    const text = messages.map(messageText).filter(Boolean).join('\n');
    if (text === '') return;
    const uri = `viking://~/memories/events/${session.id}-${session.commits.length}.md`;
    this.memories.push({ uri, category: 'events', abstract: text.slice(0, 80), text });
  }

  /** Memories that share a word, or two neighbouring CJK characters, with the query; best first. */
  search(query: string): readonly (StubMemory & { readonly score: number })[] {
    const wanted = terms(query);
    return this.memories
      .map((memory) => {
        const there = terms(`${memory.abstract} ${memory.text}`);
        const shared = [...wanted].filter((term) => there.has(term)).length;
        return { ...memory, score: shared === 0 ? 0 : (memory.score ?? Math.min(1, 0.5 + shared / 10)) };
      })
      .filter((memory) => memory.score > 0)
      .sort((one, other) => other.score - one.score);
  }
}

/** The text of a message, tool parts left out. */
export function messageText(message: StoredMessage): string {
  if (message.parts === undefined) return message.content ?? '';
  return message.parts
    .map((part) => (part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : ''))
    .filter(Boolean)
    .join('\n');
}

/** Words too common to say anything about what a text is about. */
const COMMON = new Set('the and what which for our you are this that with please use did does'.split(' '));

function terms(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const word of text.toLowerCase().match(/[\p{Script=Han}]+|[\p{L}\p{N}]+/gu) ?? []) {
    if (/^\p{Script=Han}/u.test(word)) {
      const characters = [...word];
      for (let index = 0; index + 1 < characters.length; index += 1) {
        found.add(`${characters[index] ?? ''}${characters[index + 1] ?? ''}`);
      }
    } else if (word.length > 2 && !COMMON.has(word)) {
      found.add(word);
    }
  }
  return found;
}
