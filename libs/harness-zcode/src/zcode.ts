/** The harness as the runtime sees it: declaration, dialect and transcript of one client, and the version that ships. */
import type { Harness } from '../vendor/memory-core/hot.ts';
import { zcodeDialect } from './dialect.ts';
import { zcode as declaration } from './harness.ts';
import { zcodeTranscript } from './transcript.ts';

/** Set by the bundler from package.json. */
declare const PACKAGE_VERSION: string;

export const zcode: Harness = {
  declaration,
  dialect: zcodeDialect,
  transcript: zcodeTranscript,
  version: PACKAGE_VERSION,
};
