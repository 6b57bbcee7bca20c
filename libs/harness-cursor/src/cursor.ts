/** The whole harness, for the entries that read the client's transcript. */
import type { Harness } from '../vendor/memory-core/hot.ts';
import { cursorWithoutParser } from './cursor-without-parser.ts';
import { cursorTranscript } from './transcript.ts';

export const cursor: Harness = { ...cursorWithoutParser, transcript: cursorTranscript };
