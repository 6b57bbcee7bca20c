/** The whole harness, for the entries that read the client's record of the conversation. */
import type { Harness } from '../vendor/memory-core/hot.ts';
import { claudeTranscript } from './transcript.ts';
import { claudeWithoutParser } from './claude-without-parser.ts';

export const claude: Harness = { ...claudeWithoutParser, transcript: claudeTranscript };
