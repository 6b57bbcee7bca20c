/**
 * `npm run e2e:clients`: the product inside real clients, offline; see README.md in this folder. Exit code 1 when something
 * does not hold, or when the client cannot be had.
 *
 *   node e2e/real-clients/run.mjs [options of jest]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { claudeCode } from './client-cache.mjs';
import { OWN_NETWORK, ownNetwork } from './own-network.mjs';

const E2E = join(import.meta.dirname, '..');
const JEST = join(E2E, '..', 'node_modules', 'jest', 'bin', 'jest.js');

const client = claudeCode();
if ('reason' in client) {
  console.error(`Claude Code cannot be had: ${client.reason}`);
  process.exit(1);
}
const network = ownNetwork();
console.log(`Claude Code ${client.version}: ${client.command}`);
console.log(
  'prefix' in network
    ? 'Network: a namespace with loopback only.'
    : `Network: the machine's own, a namespace is not permitted (${network.reason}). Nothing but loopback is used.`,
);

// jest does not make the folder of its report.
mkdirSync(join(E2E, 'coverage'), { recursive: true });
const [program = '', ...args] = [
  ...('prefix' in network ? network.prefix : []),
  process.execPath,
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  JEST,
  '--config',
  join(import.meta.dirname, 'jest.config.mjs'),
  '--runInBand',
  ...process.argv.slice(2),
];
const { status, signal, error } = spawnSync(program, args, {
  cwd: E2E,
  stdio: 'inherit',
  env: {
    ...process.env,
    OPENVIKING_E2E_CLAUDE: client.command,
    ...('prefix' in network ? { [OWN_NETWORK]: '1' } : {}),
  },
});
if (error !== undefined) console.error(error.message);
process.exitCode = signal === null ? (status ?? 1) : 130;
