// Jest's global teardown: takes away what build-fixture.mjs has built.
import { rmSync } from 'node:fs';
import endWhatHangs from '../../../../jest.teardown.mjs';

export default function removeInstallers() {
  const root = process.env.OPENVIKING_TEST_INSTALLERS;
  if (root !== undefined) rmSync(root, { recursive: true, force: true });
  endWhatHangs();
}
