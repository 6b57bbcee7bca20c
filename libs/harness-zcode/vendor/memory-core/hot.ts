/**
 * What a hook process may load: nothing here reaches `fetch`, undici or the full zod. Named exports only.
 */
export type * from './contract/event.ts';
export type * from './contract/finding.ts';
export type * from './contract/harness.ts';
export type * from './contract/message.ts';
export type * from './contract/settings.ts';
export type * from './contract/transcript.ts';
export type { Reply } from './contract/reply.ts';
export { NOTHING } from './contract/reply.ts';
