#!/usr/bin/env node
/** Fails when something lies behind a door of memory-core that must not: `check-doors.mjs [--root <folder>]`. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkDoors } from '../src/doors.mjs';
import { filesOnDisk } from '../src/files.mjs';

const { values } = parseArgs({
  options: { root: { type: 'string', default: resolve(import.meta.dirname, '../../..') } },
});
try {
  const offences = checkDoors(filesOnDisk(resolve(values.root)));
  for (const offence of offences) console.error(offence);
  if (offences.length > 0) process.exitCode = 1;
  else console.log('The doors of memory-core are clean.');
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
