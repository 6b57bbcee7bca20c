/** What capture is given: said once for the hooks and the worker, so that both say the same things about a conversation. */
import type { Harness } from '../contract/harness.ts';
import type { Settings } from '../contract/settings.ts';
import type { SanitiseRules } from '../privacy/pipeline.ts';
import type { Conversation, Meanwhile } from '../spool/conversation.ts';
import type { Origin } from '../spool/record.ts';
import type { TranscriptSource } from './transcript-source.ts';

/** One look at a conversation: whose it is, where its record lies, and what the caller knows of its turns. */
export interface CaptureInput {
  readonly harness: Harness;
  readonly conversation: Conversation;
  readonly source: TranscriptSource;
  readonly settings: Settings;
  readonly rules: SanitiseRules;
  readonly home: string;
  /** Working directory of the conversation. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of turns whose prompt was not noted. */
  readonly origin: () => Origin;
  /** The turn that the host has just ended; without an id, the last one of the record. */
  readonly ended?: { readonly turnId?: string; readonly answer?: string; readonly prompt?: string };
  /** A hook captures, to which memory is switched on in this conversation. */
  readonly isOn?: boolean;
  /** The conversation is over: its running turn has ended, too. */
  readonly over?: boolean;
  /** Prompts older than this (ISO 8601) count as ended. */
  readonly abandonedBefore?: string;
  /** ms since 1970. */
  readonly now: number;
  /** What the caller gets done while the disk works. */
  readonly meanwhile?: Meanwhile;
}
