/** What doctor finds, as `--json` prints it: every test that reads it goes by this one shape, and a change of it is made once. */

export interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly client?: string;
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
  readonly fix?: string;
  readonly fixable: boolean;
}

/** Calls doctor with `more`; `run` starts the program with the arguments, in whatever home and shell the test has for it. */
export async function findingsOf(
  run: (args: readonly string[]) => Promise<{ readonly stdout: string }>,
  ...more: readonly string[]
): Promise<readonly Finding[]> {
  const { stdout } = await run(['doctor', '--json', ...more]);
  return (JSON.parse(stdout) as { findings: readonly Finding[] }).findings;
}
