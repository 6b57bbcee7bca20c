/**
 * Parts of Node that it uses itself and has no public door to that is as cheap. They are deprecated for us (DEP0111) and not
 * to be relied on: who asks for one has a public way to the same end, and takes it when asking fails in whatever manner.
 */

/** Release lines on which what we ask for was tried: https://nodejs.org/api/deprecations.html#DEP0111. */
const TRIED = /^v2[024]\./;

interface Bindings {
  /** `lib/net.js` of Node is written on it. */
  readonly pipe_wrap: {
    readonly Pipe: new (type: number) => { open(descriptor: number): number };
    readonly constants: { readonly SOCKET: number };
  };
  /** `lib/internal/child_process.js` of Node is written on it. */
  readonly spawn_sync: {
    spawn(options: {
      readonly file: string;
      readonly args: readonly string[];
      readonly cwd: string;
      readonly envPairs: readonly string[];
      readonly detached: boolean;
      readonly stdio: readonly { readonly type: 'ignore' }[];
      /** ms. */
      readonly timeout: number;
      readonly killSignal: number;
    }): { readonly status: number | null };
  };
}

/** Throws where it was not tried (Windows, too), under the permission model, and where Node has it no more. */
export function nodeBinding<K extends keyof Bindings>(name: K): Bindings[K] {
  if (process.platform === 'win32' || !TRIED.test(process.version)) throw new Error(`${name} was not tried here`);
  // With `--pending-deprecation` Node warns of it on stderr, with `--throw-deprecation` it ends the process, both later on.
  const silenced = process.noDeprecation === true;
  process.noDeprecation = true;
  try {
    return (process as unknown as { binding(name: K): Bindings[K] }).binding(name);
  } finally {
    process.noDeprecation = silenced;
  }
}
