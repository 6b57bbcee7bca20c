/** What tests of any package may use: scratch homes, a hook driver, a misbehaving server, fake hosts, the conformance suite. */
export * from './outside-jest.ts';
export { runConformance } from './conformance.ts';
export type {
  ConformanceContext,
  ConformanceHost,
  ConformanceOptions,
  ConformanceSession,
} from './conformance/options.ts';
export { FORMAT_EXAMPLES } from '../src/privacy/rules.examples.ts';
export { ORDINARY_TEXTS, PLACE_EXAMPLES } from '../src/privacy/secret-places.examples.ts';
export type { FormatExample } from '../src/privacy/rules.examples.ts';
