/**
 * An error that a user can do something about: said in both languages, with the next step and the exit code. Anything else
 * that is thrown is a defect of ours and is shown as one.
 */
import { OpenVikingError } from '@openviking/memory-core/full';
import { ENGLISH } from './messages-en.ts';
import type { Messages } from './messages-en.ts';

/** A text that is chosen when the language is known. */
export type Phrase = (texts: Messages) => string;

/** 0: the user has said no. 1: failed and rolled back. 2: usage. 130: interrupted. */
export type FailureCode = 0 | 1 | 2 | 130;

export class Refusal extends OpenVikingError {
  readonly exitCode: FailureCode;
  readonly say: Phrase;
  readonly nextStep: Phrase | undefined;
  /** The file that it is about, absolute. */
  readonly file: string | undefined;
  /** Where in that file; 1-based. */
  readonly place: { readonly line: number; readonly column: number } | undefined;

  constructor(options: {
    readonly code: string;
    readonly exitCode?: FailureCode;
    readonly say: Phrase;
    /** What the user does about it; undefined only where the user has ended the run. */
    readonly next: Phrase | undefined;
    readonly file?: string;
    readonly place?: { readonly line: number; readonly column: number };
    readonly cause?: unknown;
  }) {
    super({
      code: options.code,
      message: options.say(ENGLISH),
      ...(options.next === undefined ? {} : { next: options.next(ENGLISH) }),
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
    this.name = 'Refusal';
    this.exitCode = options.exitCode ?? 1;
    this.say = options.say;
    this.nextStep = options.next;
    this.file = options.file;
    this.place = options.place;
  }
}
