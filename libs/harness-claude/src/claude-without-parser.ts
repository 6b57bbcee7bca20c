/**
 * The harness for everything that only has to know where the client's record lies: a parser here is code that those
 * processes never need and every prompt would pay for.
 */
import type { Harness } from '../vendor/memory-core/hot.ts';
import { claudeDialect } from './dialect.ts';
import { hostFacts } from './host-facts.ts';
import { locateTranscript } from './transcript-place.ts';

/** Set by the bundler from package.json. */
declare const PACKAGE_VERSION: string;

export const claudeWithoutParser: Harness = {
  declaration: hostFacts,
  dialect: claudeDialect,
  transcript: { identity: 'turn-id', locate: locateTranscript },
  version: PACKAGE_VERSION,
};
