/**
 * The ways in which a host can hand a hook its input, the broken ones included. A hook that waits for the end of stdin
 * hangs its host on half of these.
 */

/** What the driver does with a hook's stdin. */
export interface StdinMode {
  readonly name: string;
  /**
   * What a correct hook does: `answers` as to the whole value; `silent`: empty stdout; `either` where both are right
   * (the input is readable by a lenient parser only, or says too little).
   */
  readonly expected: 'answers' | 'silent' | 'either';
  /** `pipe` gets the chunks; `file` is an open file with the payload; `null-device` is `/dev/null`. */
  readonly channel: 'pipe' | 'file' | 'null-device';
  /** Chunks in order, written with `pauseMs` between them. */
  chunks(payload: string): Iterable<string | Uint8Array>;
  readonly pauseMs: number;
  /** Whether stdin is closed after the last chunk. */
  readonly close: boolean;
}

function mode(
  name: string,
  expected: StdinMode['expected'],
  close: boolean,
  chunks: (payload: string) => Iterable<string | Uint8Array>,
  more: Partial<Pick<StdinMode, 'channel' | 'pauseMs'>> = {},
): StdinMode {
  return { name, expected, close, chunks, channel: 'pipe', pauseMs: 0, ...more };
}

const half = (payload: string): string => payload.slice(0, Math.floor(payload.trimEnd().length / 2));

/** The usual way: the whole value, then the end of the stream. */
export const WHOLE_THEN_CLOSED = mode('whole value, closed', 'answers', true, (payload) => [payload]);

/** Every way, the usual one first. */
export const STDIN_MODES: readonly StdinMode[] = [
  WHOLE_THEN_CLOSED,
  mode('whole value, kept open', 'answers', false, (payload) => [payload]),
  mode('whole value without a final newline, kept open', 'answers', false, (payload) => [payload.trimEnd()]),
  mode('byte by byte, kept open', 'answers', false, (payload) => bytes(payload), { pauseMs: 0 }),
  mode('split inside a character, with a pause', 'answers', true, (payload) => splitCharacter(payload), {
    pauseMs: 30,
  }),
  mode('from a file', 'answers', true, (payload) => [payload], { channel: 'file' }),
  mode('half a value, kept open', 'silent', false, (payload) => [half(payload)]),
  mode('half a value, closed', 'silent', true, (payload) => [half(payload)]),
  mode('nothing, kept open', 'silent', false, () => []),
  mode('nothing, closed', 'silent', true, () => []),
  mode('null device', 'silent', true, () => [], { channel: 'null-device' }),
  mode('garbage, closed', 'silent', true, () => ['\u0000\u0001 not json {{{ ]]\n']),
  mode('garbage, kept open', 'silent', false, () => ['not json at all\n']),
  mode('an array', 'silent', true, () => ['[1,2,3]\n']),
  mode('null', 'silent', true, () => ['null\n']),
  // Objects without anything to go by: a hook may take the session from its environment or its folder instead.
  mode('an empty object', 'either', true, () => ['{}\n']),
  mode('fields of the wrong kind', 'either', true, () => [
    '{"session_id":{},"sessionId":[],"cwd":7,"prompt":{"a":1},"tool_name":[],"tool_input":"x","hook_event_name":0}\n',
  ]),
  mode('nested 20,000 deep', 'silent', true, () => [`${'['.repeat(20_000)}${']'.repeat(20_000)}\n`]),
  mode('prototype keys only', 'either', true, () => [
    '{"__proto__":{"session_id":"sess_x","prompt":"polluted"},"constructor":{"prototype":{"cwd":"/"}}}\n',
  ]),
  mode('byte order mark', 'either', true, (payload) => [`\uFEFF${payload}`]),
  mode('invalid UTF-8 inside the value', 'either', true, (payload) => invalidUtf8(payload)),
  mode('50 MB', 'either', true, (payload) => fiftyMegabytes(payload)),
];

function* bytes(payload: string): Iterable<Uint8Array> {
  for (const byte of Buffer.from(payload)) yield Uint8Array.of(byte);
}

/** Cuts behind the first byte of the first multi-byte character, or in the middle when there is none. */
function splitCharacter(payload: string): Iterable<Uint8Array> {
  const all = Buffer.from(payload);
  const lead = all.findIndex((byte) => byte >= 0xc0);
  const cut = lead === -1 ? Math.floor(all.length / 2) : lead + 1;
  return [all.subarray(0, cut), all.subarray(cut)];
}

function invalidUtf8(payload: string): Iterable<Uint8Array> {
  const all = Buffer.from(payload.trimEnd());
  return [all.subarray(0, -1), Buffer.from(',"extra":"'), Uint8Array.of(0xff, 0xfe, 0xc3), Buffer.from('"}\n')];
}

function* fiftyMegabytes(payload: string): Iterable<string> {
  yield `${payload.trimEnd().slice(0, -1)},"attachmentsSummary":"`;
  const block = 'x'.repeat(1024 * 1024);
  for (let count = 0; count < 50; count += 1) yield block;
  yield '"}\n';
}
