/**
 * Which environment variables move the files of clients. Derived: a declaration that looks at a variable when it says where
 * its files are is asked, so that none is forgotten when a client is added.
 */
import { isAbsolute } from 'node:path';
import type { HarnessDeclaration } from '@openviking/memory-core/full';

/** Where the names of folders differ, other variables may be read. */
const PLATFORMS: readonly NodeJS.Platform[] = ['linux', 'darwin', 'win32'];

export function locationNames(clients: readonly HarnessDeclaration[]): ReadonlySet<string> {
  const names = new Set<string>();
  const env = new Proxy<Readonly<Record<string, string | undefined>>>(
    {},
    {
      get(_target, name) {
        if (typeof name === 'string') names.add(name);
        return undefined;
      },
    },
  );
  for (const client of clients) {
    for (const platform of PLATFORMS) client.wiring({ home: '/', platform, env, launcher: '/launch' });
  }
  return names;
}

/** Declarations read other variables as well, such as the mode that a client runs in. */
export function isPathVariable(name: string): boolean {
  return /_(?:DIR|FILE|HOME|PATH)$|^(?:LOCAL)?APPDATA$/.test(name);
}

/** Whether the value of such a variable means one place, whatever folder a client is started in. */
export function isAbsolutePath(value: string, platform: NodeJS.Platform): boolean {
  return isAbsolute(value) || (platform === 'win32' && /^[a-z]:[\\/]/i.test(value));
}
