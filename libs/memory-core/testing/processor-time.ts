/**
 * What a piece of work costs by itself. The clock on the wall also counts what other programs of the machine do meanwhile,
 * so that a limit on it fails on a busy build server and says nothing on a fast one.
 */

/** Runs `work`: its result, and how long it kept this process busy, in ms; the threads of the runtime are counted in. */
export function processorTime<T>(work: () => T): { readonly result: T; readonly milliseconds: number } {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { result, milliseconds: (user + system) / 1_000 };
}
