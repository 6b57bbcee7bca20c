/**
 * The stub as a process of its own, for benchmarks: inside the measuring process it would compete with the measurement
 * for the same thread. Prints its URL as the first line and ends when stdin closes.
 */
import { startStubServer } from './stub-server.ts';

const latencyMs = Number(process.argv[2] ?? '0');
const server = await startStubServer({ latencyMs });
server.store.profile = '# Profile\nPrefers short answers and small commits.\n';
server.store.listings.set('viking://~/memories/preferences', [
  { name: 'package-manager.md', abstract: 'Uses pnpm for every JavaScript project' },
  { name: 'language.md', abstract: '回答用中文' },
]);
server.store.listings.set('viking://~/memories/entities', [{ name: 'billing.md', abstract: 'The billing service' }]);
server.store.skills.push({
  name: 'release',
  description: 'How a release is cut',
  uri: 'viking://~/skills/release',
});
server.store.memories.push({
  uri: 'viking://~/memories/preferences/package-manager.md',
  category: 'preferences',
  abstract: 'Uses pnpm for every JavaScript project',
  text: 'Uses pnpm for every JavaScript project.',
  score: 0.9,
});
process.stdout.write(`${server.url}\n`);
process.stdin.resume();
process.stdin.once('end', () => {
  void server.close().then(() => process.exit(0));
});
