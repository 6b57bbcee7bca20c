/**
 * The harness as the hooks see it. Which edition it serves is settled when it is built, not when it runs: a hook that had
 * to find out (an argument that was lost, a folder that was moved) would store one client's turns as the other's.
 */
import type { Harness } from '../vendor/memory-core/hot.ts';
import { traeDialect } from './dialect.ts';
import { TRAE, TRAE_CN } from './edition.ts';
import { hostFactsOf } from './host-facts.ts';

/** Set by the bundler: version from package.json, edition from build.mjs. */
declare const PACKAGE_VERSION: string;
declare const EDITION: 'trae' | 'trae-cn';

/** Without a transcript: the client keeps its conversations encrypted or on a server, so the journal is all there is. */
export const trae: Harness = {
  declaration: hostFactsOf(EDITION === 'trae-cn' ? TRAE_CN : TRAE),
  dialect: traeDialect,
  version: PACKAGE_VERSION,
};
