/** The client's record in every shape that builds write, and what a reader must not take for conversation. */
import { describe, expect, it } from '@jest/globals';
import { processorTime } from '@openviking/memory-core/testing';
import { cursorTranscript } from '../src/transcript.ts';
import type { TranscriptTurn } from '../vendor/memory-core/hot.ts';
import { linesOf } from './lines-of.ts';

const ID = '74676b03-4a44-4d6e-9c1f-2f8d1c0a9e11';
const CHILD = '0b0f1a52-77aa-4e0e-a8ff-5f3f2d9c4e21';

const parse = (text: string): readonly TranscriptTurn[] => cursorTranscript.parse(linesOf(text), ID);
const spoken = (text: string) =>
  parse(text).map(({ userText, assistant, closed }) => ({
    user: userText,
    assistant: assistant.map((part) => (part.type === 'text' ? part.text : part.tool_name)),
    closed,
  }));

const user = (text: string): string =>
  `${JSON.stringify({ role: 'user', message: { content: [{ type: 'text', text }] } })}\n`;
const wrapped = (text: string): string =>
  user(`<timestamp>Sunday, Jul 26, 2026, 1:06 PM (UTC+3)</timestamp>\n<user_query>\n${text}\n</user_query>`);
const assistant = (...content: readonly object[]): string =>
  `${JSON.stringify({ role: 'assistant', message: { content } })}\n`;
const said = (text: string): string => assistant({ type: 'text', text });
const END = '{"type":"turn_ended","status":"success"}\n';

describe('turns', () => {
  it('reads a turn as cursor-agent writes it, without its calls of tools', () => {
    const text =
      wrapped('Read probe.txt and tell me what it says.') +
      assistant(
        { type: 'text', text: 'I will read it.' },
        { type: 'tool_use', name: 'Read', input: { path: 'probe.txt' } },
      ) +
      assistant({ type: 'tool_use', name: 'Write', input: { path: 'a.ts', contents: 'a whole file' } }) +
      said('It says DONE.') +
      END;
    expect(spoken(text)).toEqual([
      {
        user: 'Read probe.txt and tell me what it says.',
        assistant: ['I will read it.', 'It says DONE.'],
        closed: true,
      },
    ]);
  });

  it('closes a turn at its mark, or where the next one begins', () => {
    const open = wrapped('one') + said('first');
    expect(spoken(open)[0]?.closed).toBe(false);
    expect(spoken(open + END)[0]?.closed).toBe(true);
    expect(spoken(open + wrapped('two')).map(({ closed }) => closed)).toEqual([true, false]);
    expect(spoken(`${open}{"type":"turn_ended","status":"aborted"}\n`)[0]?.closed).toBe(true);
  });

  it('tells equal prompts apart', () => {
    const file = wrapped('continue') + said('a') + END + wrapped('other') + END + wrapped('continue') + said('b') + END;
    expect(new Set(parse(file).map(({ turnId }) => turnId)).size).toBe(3);
  });

  it('says where each turn begins, in bytes', () => {
    const first = wrapped('größer 项目') + END;
    const [one, two] = parse(first + wrapped('next'));
    expect([one?.offset, two?.offset]).toEqual([0, Buffer.byteLength(first)]);
  });

  it('leaves out the rest of a turn whose prompt it has not read', () => {
    expect(spoken(said('the end of something') + END + wrapped('new') + said('answer'))).toEqual([
      { user: 'new', assistant: ['answer'], closed: false },
    ]);
  });

  it.each([
    ['half a line', '{"role":"user","mess'],
    ['a number', '17'],
    ['null', 'null'],
    ['a list', '[{"role":"user"}]'],
    ['an unknown role', '{"role":"tool","message":{"content":"output"}}'],
    ['a system message', '{"role":"system","message":{"content":"You are an agent."}}'],
    ['no message', '{"role":"user"}'],
    ['a message that is text', '{"role":"user","message":"hi"}'],
    ['content that is a number', '{"role":"assistant","message":{"content":7}}'],
    [
      'parts that are no parts',
      '{"role":"assistant","message":{"content":[null,7,"x",{"type":"text"},{"type":"text","text":5}]}}',
    ],
    ['a prototype', '{"__proto__":{"role":"user"},"constructor":1}'],
    ['deep nesting', `${'['.repeat(50_000)}`],
    ['nothing', ''],
    ['plain text', 'user: not in this kind of file'],
  ])('passes over a line with %s', (_what, junk) => {
    const text = `${junk}\n${wrapped('one')}${junk}\n${said('first')}${junk}\n${END}${junk}\n`;
    const turns = spoken(junk.startsWith('user:') ? text.slice(junk.length + 1) : text);
    expect(turns).toEqual([{ user: 'one', assistant: ['first'], closed: true }]);
  });

  it('reads content that is one text, and a file that begins with a byte order mark', () => {
    const text =
      '\uFEFF{"role":"user","message":{"content":"hi there"}}\n{"role":"assistant","message":{"content":"hello"}}\n';
    expect(spoken(text)).toEqual([{ user: 'hi there', assistant: ['hello'], closed: false }]);
  });
});

describe('what the user typed', () => {
  const typed = (text: string) => spoken(user(text))[0]?.user;

  it.each([
    ['nothing around it', 'hi there', 'hi there'],
    ['a wrapper', '<user_query>\nhi there\n</user_query>', 'hi there'],
    ['a wrapper on one line', '<user_query>hi there</user_query>', 'hi there'],
    ['a time and a wrapper', '<timestamp>Sunday</timestamp>\n<user_query>\nhi there\n</user_query>', 'hi there'],
    ['a time and no wrapper', '<timestamp>Sunday</timestamp>\nhi there', 'hi there'],
    [
      'blocks of the host before and behind',
      '<open_and_recently_viewed_files>\na.ts\n</open_and_recently_viewed_files>\n<user_query>\nhi there\n</user_query>\n<system_reminder>\nbe brief\n</system_reminder>',
      'hi there',
    ],
    [
      'a block that no build had before',
      '<brand_new>\nx\n</brand_new>\n<user_query>\nhi there\n</user_query>',
      'hi there',
    ],
    [
      'leading blocks and no wrapper',
      '<user_info>\nOS: linux\n</user_info>\n<attached_files a="1">\nb.ts\n</attached_files>\nhi there',
      'hi there',
    ],
    [
      'words about the wrapper',
      '<user_query>\nWhat is a </user_query> tag?\n</user_query>',
      'What is a </user_query> tag?',
    ],
    ['words about the wrapper in a sentence', 'What does <user_query> mean?', 'What does <user_query> mean?'],
    ['words about a time', 'Parse <timestamp>1</timestamp> for me', 'Parse <timestamp>1</timestamp> for me'],
    ['a block that never ends', '<timestamp>Sunday\nhi there', '<timestamp>Sunday\nhi there'],
    ['a wrapper that never ends', '<user_query>\nhi there', '<user_query>\nhi there'],
  ])('is found with %s', (_what, recorded, expected) => {
    expect(typed(recorded)).toBe(expected);
  });

  it('is nothing in a message of the host alone, which begins no turn', () => {
    const host = user('<user_info>\nOS: linux\n</user_info>\n<rules>\nbe kind\n</rules>');
    expect(spoken(host + wrapped('one') + said('first') + host + said('second'))).toEqual([
      { user: 'one', assistant: ['first', 'second'], closed: false },
    ]);
  });

  it('is found in linear time', () => {
    const hostile = [
      '<timestamp>'.repeat(50_000),
      '<rules></rules>'.repeat(50_000),
      '\n<user_query>'.repeat(50_000),
      `${'\n\t'.repeat(100_000)}<user_query>`,
    ];
    const { milliseconds } = processorTime(() => {
      for (const text of hostile) parse(user(text));
    });
    expect(milliseconds).toBeLessThan(3_000);
  });
});

describe('the older form', () => {
  it('is read by its marks, without what was done and thought', () => {
    const text = [
      'user:',
      '<user_query>',
      'Fix the bug',
      'in the parser.',
      '</user_query>',
      '',
      'assistant:',
      '[Thinking] where is it',
      'hm',
      '',
      'I look first.',
      '[Tool call] Read',
      '  path: a.ts',
      '',
      '[Tool result] Read',
      'a whole file',
      '',
      'Fixed.',
      '',
      'user: thanks',
      'assistant: welcome',
    ].join('\r\n');
    expect(spoken(`${text}\r\n`)).toEqual([
      { user: 'Fix the bug\nin the parser.', assistant: ['I look first.\nFixed.'], closed: true },
      { user: 'thanks', assistant: ['welcome'], closed: false },
    ]);
  });
});

describe('where it lies', () => {
  const home = '/home/u';
  const locate = (context: object) => cursorTranscript.locate({ nativeId: ID, home, env: {}, ...context });
  const folder = '/home/u/.cursor/projects/work-app/agent-transcripts';

  it('is where the event says, before any other place', () => {
    const path = `${folder}/${ID}/${ID}.jsonl`;
    expect(locate({ transcriptPath: path })[0]).toBe(path);
    expect(locate({ transcriptPath: '/elsewhere/renamed.jsonl' })[0]).toBe('/elsewhere/renamed.jsonl');
    expect(locate({})).toEqual([]);
  });

  it('is looked for in every layout of the folder', () => {
    const forms = [`${folder}/${ID}/${ID}.jsonl`, `${folder}/${ID}.jsonl`, `${folder}/${ID}.txt`];
    for (const transcriptPath of forms) expect(locate({ transcriptPath })).toEqual(expect.arrayContaining(forms));
  });

  it('is looked for under both forms of a folder name', () => {
    const transcriptPath = `/home/u/.cursor/projects/work--my-app-/agent-transcripts/${ID}/${ID}.jsonl`;
    expect(locate({ transcriptPath })).toContain(
      `/home/u/.cursor/projects/work-my-app/agent-transcripts/${ID}/${ID}.jsonl`,
    );
  });

  it('is of a subagent its own file, whichever of the two is named', () => {
    const own = `${folder}/${ID}/subagents/${CHILD}.jsonl`;
    expect(locate({ subagentId: CHILD, transcriptPath: own })[0]).toBe(own);
    expect(locate({ subagentId: CHILD, transcriptPath: `${folder}/${ID}/${ID}.jsonl` })[0]).toBe(own);
    expect(locate({ transcriptPath: own })).toEqual(expect.not.arrayContaining([own]));
  });
});
