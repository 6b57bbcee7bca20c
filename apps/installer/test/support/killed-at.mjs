// Loaded in front of the shipped program: ends it like a power failure, just before its n-th change to the disk (KILLED_AT),
// or writes down which changes it makes (CHANGES_FILE), one a line: the call and what it was given first. KILLED_HOW=half: in
// the middle of that change, where it is the writing of bytes; =full: not at all, but the disk is full at that change; =broken:
// not at all, but that change is an input/output error, and the disk is full for all bytes that are written after it.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const at = Number(process.env.KILLED_AT ?? 'Infinity');
const how = process.env.KILLED_HOW;
const log = process.env.CHANGES_FILE;
const CHANGES = [
  'chmodSync',
  'chownSync',
  'copyFileSync',
  'fsyncSync',
  'ftruncateSync',
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
    const isLater = how === 'broken' && changes.length > at && name === 'writeSync';
    if (changes.length === at || isLater) {
      if (how === 'half' && name === 'writeSync') real.call(this, args[0], args[1], 0, args[1].length >> 1, 0);
      if (how !== 'full' && how !== 'broken') process.kill(process.pid, 'SIGKILL');
      changes.push(`${name} failed`);
      const [code, said] = how === 'full' || isLater ? ['ENOSPC', 'no space left on device'] : ['EIO', 'i/o error'];
      throw Object.assign(new Error(`${code}: ${said}`), { code, syscall: name });
    }
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
