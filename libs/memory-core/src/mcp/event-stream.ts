/**
 * Server-sent events, read from bytes as the HTML standard's event-stream grammar has them. Data goes straight into the
 * message it belongs to: a 20 MB `data:` line is neither joined nor decoded on the way.
 */
import { MessageAssembler, type Assembled } from './message.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
/** Names and values other than data are short; what is longer is cut and thereby unknown. */
const SHORT = 4096;

export interface ServerEvent {
  /** `message` unless the server named another type. */
  readonly type: string;
  /** What its data is; `empty` for an event that only carries an id. */
  readonly data: Assembled;
}

export class EventStreamReader {
  /** The last `id` seen: where a broken stream can be taken up again. */
  lastEventId: string | undefined;
  /** Reconnection time the server asks for, in ms. */
  retryMs: number | undefined;

  private phase: 'name' | 'value-start' | 'value' = 'name';
  private name = '';
  private value = '';
  private data: MessageAssembler | undefined;
  private type = '';
  private afterReturn = false;
  private started = false;

  /** Bytes of the unfinished event. */
  get held(): number {
    return this.data?.held ?? 0;
  }

  /** Events that this chunk completes, in order. The chunk is taken over. */
  push(chunk: Uint8Array): ServerEvent[] {
    const events: ServerEvent[] = [];
    let at = 0;
    if (this.afterReturn && chunk[0] === LINE_FEED) at = 1;
    if (chunk.length > 0) this.afterReturn = false;
    let lineFeed = chunk.indexOf(LINE_FEED, at);
    let carriageReturn = chunk.indexOf(CARRIAGE_RETURN, at);
    while (at < chunk.length) {
      if (lineFeed >= 0 && lineFeed < at) lineFeed = chunk.indexOf(LINE_FEED, at);
      if (carriageReturn >= 0 && carriageReturn < at) carriageReturn = chunk.indexOf(CARRIAGE_RETURN, at);
      const ends = [lineFeed, carriageReturn].filter((position) => position >= 0);
      const end = ends.length === 0 ? -1 : Math.min(...ends);
      this.fragment(chunk, at, end < 0 ? chunk.length : end);
      if (end < 0) return events;
      this.endLine(events);
      at = end + 1;
      if (chunk[end] === CARRIAGE_RETURN) {
        if (at === chunk.length) this.afterReturn = true;
        else if (chunk[at] === LINE_FEED) at++;
      }
    }
    return events;
  }

  /** The stream ended: an event whose final blank line is missing still counts when its data is whole. */
  finish(): ServerEvent[] {
    const events: ServerEvent[] = [];
    if (this.phase !== 'name' || this.name !== '') this.endLine(events);
    this.dispatch(events);
    return events;
  }

  private fragment(chunk: Uint8Array, from: number, to: number): void {
    let at = from;
    if (this.phase === 'name') {
      const colon = chunk.subarray(at, to).indexOf(COLON);
      const nameEnd = colon < 0 ? to : at + colon;
      if (this.name.length < SHORT) this.name += Buffer.from(chunk.subarray(at, nameEnd)).toString('latin1');
      if (colon < 0) return;
      at = nameEnd + 1;
      this.phase = 'value-start';
      if (this.fieldName() === 'data') this.startData();
    }
    if (this.phase === 'value-start' && at < to) {
      if (chunk[at] === SPACE) at++;
      this.phase = 'value';
    }
    if (at >= to) return;
    if (this.fieldName() === 'data') this.data?.push(chunk.subarray(at, to));
    else if (this.value.length < SHORT) this.value += Buffer.from(chunk.subarray(at, to)).toString('latin1');
  }

  private fieldName(): string {
    // A byte order mark may open the stream.
    return this.started ? this.name : this.name.replace(/^\u00ef\u00bb\u00bf/, '');
  }

  private startData(): void {
    if (this.data === undefined) this.data = new MessageAssembler();
    else this.data.push(Buffer.from('\n'));
  }

  private endLine(events: ServerEvent[]): void {
    const name = this.fieldName();
    const value = Buffer.from(this.value, 'latin1').toString('utf8');
    const blank = this.phase === 'name' && name === '';
    if (this.phase === 'name' && name === 'data') this.startData();
    this.phase = 'name';
    this.name = '';
    this.value = '';
    this.started = true;
    if (blank) this.dispatch(events);
    else if (name === 'event') this.type = value;
    else if (name === 'id' && !value.includes('\0')) this.lastEventId = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  private dispatch(events: ServerEvent[]): void {
    if (this.data !== undefined)
      events.push({ type: this.type === '' ? 'message' : this.type, data: this.data.finish() });
    this.data = undefined;
    this.type = '';
  }
}
