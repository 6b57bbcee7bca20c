/**
 * What every client has to do, whatever its payloads look like. A harness runs the suite on its built bundles with one
 * call, so that a tenth client cannot ship with a behaviour that the other nine were cured of.
 *
 * Everything is real: the bundles as processes, a scratch home on disk, an HTTP server on a loopback port. What a client
 * cannot do its declaration says, with the reason; the tests of that are skipped under a name that repeats it.
 */
import { existsSync } from 'node:fs';
import { describe, it } from '@jest/globals';
import { brokenInputConformance } from './conformance/broken-input.ts';
import { captureConformance } from './conformance/capture.ts';
import { courseConformance } from './conformance/course.ts';
import { CONCERNS } from './conformance/options.ts';
import type { Concern, ConformanceOptions } from './conformance/options.ts';
import { recallConformance } from './conformance/recall.ts';
import { Scene } from './conformance/scene.ts';
import { toolGuardConformance } from './conformance/tool-guard.ts';
import { troubleConformance } from './conformance/trouble.ts';

const SUITES: Readonly<Record<Concern, (scene: Scene) => void>> = {
  recall: recallConformance,
  'tool-guard': toolGuardConformance,
  capture: captureConformance,
  course: courseConformance,
  trouble: troubleConformance,
  'broken-input': brokenInputConformance,
};

/** Registers the suite with jest. */
export function runConformance(options: ConformanceOptions): void {
  describe(`${options.declaration.id}: conformance`, () => {
    if (!existsSync(options.payloadDir)) {
      it('has built bundles', () => {
        throw new Error(`${options.payloadDir} does not exist: run the build first.`);
      });
      return;
    }
    const scene = new Scene(options);
    scene.install();
    for (const concern of options.concerns ?? CONCERNS) SUITES[concern](scene);
  });
}
