/**
 * The harness as most hooks see it: facts and dialect of one client, the version that ships, and where the transcript
 * lies – without the parser, which only a turn's end and the worker need and every prompt would pay for.
 */
import type { Harness } from '../vendor/memory-core/hot.ts';
import { zcodeDialect } from './dialect.ts';
import { hostFacts } from './host-facts.ts';
import { locateRollout } from './rollout-place.ts';

/** Set by the bundler from package.json. */
declare const PACKAGE_VERSION: string;

export const zcodeWithoutParser: Harness = {
  declaration: hostFacts,
  dialect: zcodeDialect,
  transcript: { locate: locateRollout },
  version: PACKAGE_VERSION,
};
