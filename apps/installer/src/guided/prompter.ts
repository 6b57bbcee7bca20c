/**
 * What the guided run needs of a terminal. The questions know nothing else, so the library that draws them stays in a bundle
 * of its own and no run without questions pays for it.
 */
import type { TerminalOptions } from '../cli/terminal.ts';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** Shown behind the label. */
  readonly hint?: string;
}

/** Asks one question at a time. Every answer is undefined when the user has left: Ctrl+C, Esc, the end of input. */
export interface Prompter {
  /** The first line of all. */
  open(title: string): void;
  /** A text between two questions. */
  tell(text: string): void;
  chooseOne<Value extends string>(question: {
    readonly message: string;
    readonly choices: readonly Choice<Value>[];
    readonly preset: Value;
  }): Promise<Value | undefined>;
  chooseSeveral<Value extends string>(question: {
    readonly message: string;
    readonly choices: readonly Choice<Value>[];
    readonly preset: readonly Value[];
  }): Promise<readonly Value[] | undefined>;
  /** `complain` says what is wrong with what was typed; undefined when nothing is. */
  write(question: {
    readonly message: string;
    readonly example: string;
    readonly complain: (typed: string) => string | undefined;
  }): Promise<string | undefined>;
  /** The same for something that must not be seen. */
  writeHidden(question: {
    readonly message: string;
    readonly complain: (typed: string) => string | undefined;
  }): Promise<string | undefined>;
  agree(question: {
    readonly message: string;
    readonly yes: string;
    readonly no: string;
  }): Promise<boolean | undefined>;
}

export interface PrompterOptions {
  readonly input: TerminalOptions['stdin'];
  readonly output: TerminalOptions['out'];
  readonly colours: boolean;
  /** Ends the question that is being asked. */
  readonly signal: AbortSignal;
}

/** The bundle with the library. */
export interface PromptModule {
  createPrompter(options: PrompterOptions): Prompter;
}
