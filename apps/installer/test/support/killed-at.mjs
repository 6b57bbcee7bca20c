// Loaded in front of the shipped program: ends it like a power failure, just before its n-th change to the disk (KILLED_AT),
// or writes down which changes it makes (CHANGES_FILE), one a line: the call and what it was given first.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const at = Number(process.env.KILLED_AT ?? 'Infinity');
const log = process.env.CHANGES_FILE;
const CHANGES = [
  'chmodSync',
  'chownSync',
  'copyFileSync',
  'fsyncSync',
  'linkSync',
  'mkdirSync',
  'renameSync',
  'rmdirSync',
  'rmSync',
  'unlinkSync',
  'utimesSync',
  'writeFileSync',
  'writeSync',
];

// What the program starts lives on.
delete process.env.NODE_OPTIONS;
const writeFile = fs.writeFileSync;
const changes = [];
let isWithin = false;
for (const name of CHANGES) {
  const real = fs[name];
  fs[name] = function (...args) {
    // Some are made of others.
    if (isWithin) return real.apply(this, args);
    if (changes.length === at) process.kill(process.pid, 'SIGKILL');
    changes.push(`${name} ${String(args[0])}`);
    isWithin = true;
    try {
      return real.apply(this, args);
    } finally {
      isWithin = false;
    }
  };
}
syncBuiltinESMExports();
process.on('exit', () => {
  isWithin = true;
  if (log !== undefined) writeFile(log, changes.join('\n'));
});
