// Loaded in front of the shipped program: creates TELLS_IN as soon as the program looks at a file whose path ends with
// TELLS_OF. A test that wants to do something at that moment needs no guess about how fast the machine is.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { TELLS_OF: name, TELLS_IN: mark } = process.env;
const { writeFileSync } = fs;
delete process.env.NODE_OPTIONS;
for (const call of ['existsSync', 'openSync', 'readFileSync', 'lstatSync']) {
  const real = fs[call];
  fs[call] = function (...args) {
    if (String(args[0]).endsWith(name)) writeFileSync(mark, '');
    return real.apply(this, args);
  };
}
syncBuiltinESMExports();
