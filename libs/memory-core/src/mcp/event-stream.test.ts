import { describe, expect, it } from '@jest/globals';
import { EventStreamReader, type ServerEvent } from './event-stream.ts';

function read(text: string, step: number): { events: ServerEvent[]; reader: EventStreamReader } {
  const reader = new EventStreamReader();
  const bytes = Buffer.from(text);
  const events: ServerEvent[] = [];
  for (let at = 0; at < bytes.length; at += step)
    events.push(...reader.push(Buffer.from(bytes.subarray(at, at + step))));
  events.push(...reader.finish());
  return { events, reader };
}

function texts(events: readonly ServerEvent[]): unknown[] {
  return events.map(({ type, data }) =>
    data.kind === 'message' ? [type, JSON.parse(Buffer.concat(data.message.chunks).toString())] : [type, data.kind],
  );
}

describe.each([1, 2, 3, 11, 100_000])('EventStreamReader, %i bytes at a time', (step) => {
  it.each(['\n', '\r\n', '\r'])('reads fields, comments and several data lines with line end %j', (end) => {
    const lines = [
      ': hello',
      'event: message',
      'id: 41',
      'data: {"id":1,',
      'data:"result":{"text":"é😀"}}',
      '',
      'retry: 250',
      'unknown: x',
      'data: {"method":"notifications/progress"}',
      '',
      '',
      'id: 42',
      'data',
      '',
      'event: ping',
      'data: {"id":3,"result":{}}',
      '',
    ];
    const { events, reader } = read(lines.map((line) => line + end).join(''), step);
    expect(texts(events)).toEqual([
      ['message', { id: 1, result: { text: 'é😀' } }],
      ['message', { method: 'notifications/progress' }],
      ['message', 'empty'],
      ['ping', { id: 3, result: {} }],
    ]);
    expect(reader.lastEventId).toBe('42');
    expect(reader.retryMs).toBe(250);
  });

  it('takes a byte order mark, a missing final blank line and data that is no JSON', () => {
    expect(texts(read('\ufeffdata: {"id":1,"result":1}', step).events)).toEqual([['message', { id: 1, result: 1 }]]);
    expect(texts(read('data: hello\n\ndata: {"id":1,\n\n', step).events)).toEqual([
      ['message', 'invalid'],
      ['message', 'invalid'],
    ]);
  });
});
