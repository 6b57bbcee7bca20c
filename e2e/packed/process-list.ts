/** What every user of a machine can see of its processes, watched for a text that must not be there. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessListWatch {
  /** How often it looked, and the command lines that held the text. No look where the system has no `/proc`. */
  stop(): Promise<{ readonly looks: number; readonly offenders: readonly string[] }>;
}

/** Looks again and again, as often as the event loop permits, until it is stopped. */
export function watchProcessList(text: string): ProcessListWatch {
  const offenders = new Set<string>();
  let looks = 0;
  let isOn = process.platform === 'linux';
  const watching = (async () => {
    while (isOn) {
      for (const line of commandLines()) if (line.includes(text)) offenders.add(line);
      looks += 1;
      await new Promise((done) => setTimeout(done, 4));
    }
  })();
  return {
    async stop() {
      isOn = false;
      await watching;
      return { looks, offenders: [...offenders] };
    },
  };
}

function commandLines(): readonly string[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}
