/**
 * The questions as @clack/prompts draws them: the entry of the bundle that is loaded only where somebody is asked. The library
 * does not notice the end of input; a program whose terminal was closed would end in the middle without a word.
 */
import { confirm, intro, isCancel, log, multiselect, password, select, text } from '@clack/prompts';
import { drawnOutput } from './drawn-output.ts';
import type { Option } from '@clack/prompts';
import type { Choice, Prompter, PrompterOptions } from './prompter.ts';

export function createPrompter({ input, output: terminal, colours, signal }: PrompterOptions): Prompter {
  const output = drawnOutput(terminal, colours);

  /** Undefined when the user has left. A signal of its own for each question: the library forgets to let go of one. */
  const ask = async <Answer>(
    question: (common: { input: typeof input; output: typeof output; signal: AbortSignal }) => Promise<Answer | symbol>,
  ): Promise<Answer | undefined> => {
    const left = new AbortController();
    const leave = (): void => left.abort();
    // Ctrl+D ends the library's own line, of which it says nothing.
    const leaveOnEnd = (_: unknown, key?: { readonly ctrl?: boolean; readonly name?: string }): void => {
      if (key?.ctrl === true && key.name === 'd') leave();
    };
    if (signal.aborted || input.readableEnded || input.destroyed) return undefined;
    signal.addEventListener('abort', leave);
    for (const event of ['end', 'close']) input.once(event, leave);
    input.on('keypress', leaveOnEnd);
    try {
      const answer = await question({ input, output, signal: left.signal });
      return isCancel(answer) ? undefined : (answer as Answer);
    } finally {
      signal.removeEventListener('abort', leave);
      for (const event of ['end', 'close']) input.off(event, leave);
      input.off('keypress', leaveOnEnd);
    }
  };

  return {
    open: (title) => intro(title, { output }),
    tell: (message) => log.message(message, { output }),
    chooseOne: ({ message, choices, preset }) =>
      ask((common) =>
        select({ ...common, message, options: choices.map(asOption), initialValue: preset, showInstructions: false }),
      ),
    chooseSeveral: ({ message, choices, preset }) =>
      ask((common) =>
        multiselect({
          ...common,
          message,
          options: choices.map(asOption),
          initialValues: [...preset],
          // The library's complaint about an empty answer exists in English only.
          required: false,
          showInstructions: false,
        }),
      ),
    write: ({ message, example, complain }) =>
      ask((common) =>
        text({ ...common, message, placeholder: example, validate: (typed) => complain((typed ?? '').trim()) }),
      ),
    writeHidden: ({ message, complain }) =>
      ask((common) => password({ ...common, message, validate: (typed) => complain((typed ?? '').trim()) })),
    agree: ({ message, yes, no }) => ask((common) => confirm({ ...common, message, active: yes, inactive: no })),
  };
}

function asOption<Value extends string>({ value, label, hint }: Choice<Value>): Option<Value> {
  return { value, label, ...(hint === undefined ? {} : { hint }) } as Option<Value>;
}
