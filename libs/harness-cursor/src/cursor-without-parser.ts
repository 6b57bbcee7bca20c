/**
 * The harness as most hooks see it: facts and dialect of one client, the version that ships, and where the transcript
 * lies – without the parser, which only captures and the worker need and every prompt would pay for.
 */
import type { Harness } from '../vendor/memory-core/hot.ts';
import { cursorDialect } from './dialect.ts';
import { hostFacts } from './host-facts.ts';
import { locateTranscript } from './transcript-place.ts';

/** Set by the bundler from package.json. */
declare const PACKAGE_VERSION: string;

export const cursorWithoutParser: Harness = {
  declaration: hostFacts,
  dialect: cursorDialect,
  transcript: { identity: 'content', locate: locateTranscript },
  version: PACKAGE_VERSION,
};
