/** The whole harness, for the entries that read the client's transcript. */
import type { Harness } from '../vendor/memory-core/hot.ts';
import { zcodeTranscript } from './transcript.ts';
import { zcodeWithoutParser } from './zcode-without-parser.ts';

export const zcode: Harness = { ...zcodeWithoutParser, transcript: zcodeTranscript };
