/**
 * File operations that fail for a moment: on Windows while a virus scanner or an indexer holds the file, on a network share
 * while its server is busy or has forgotten the handle. To give up at once would cost a turn.
 */
import { systemCode } from '../errors/error.ts';

const PASSING: readonly string[] = ['EBUSY', 'ESTALE', 'EACCES', 'EAGAIN', 'EINTR'];
/** To rename or to remove one's own file is forbidden only for a moment, or by a disk that is lost anyway. */
const FORBIDDEN: readonly string[] = ['EPERM', 'EEXIST'];
/** Elsewhere than on Windows most of these are there to stay: a hook must not wait long to be told so again. */
const ATTEMPTS = process.platform === 'win32' ? 9 : 6;

/**
 * Carries `operate` out, again after 5, 10, 20 … ms while it fails in a way that may pass: 155 ms in all, 1.3 s on Windows.
 * `isDone` is asked after a failure: a network share may answer that it failed to do what it has done, for the request
 * reached it twice and the second time it was done already. With `meansIt`, EPERM and EEXIST are the answer that the caller
 * wants to know (a file system without links, a name that is taken) and are thrown at once. Throws the last error.
 */
export function patiently(operate: () => void, isDone: () => boolean, meansIt = false): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      operate();
      return;
    } catch (error) {
      if (isDone()) return;
      const code = systemCode(error) ?? '';
      const mayPass = PASSING.includes(code) || (!meansIt && FORBIDDEN.includes(code));
      if (attempt >= ATTEMPTS || !mayPass) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2.5 * 2 ** attempt);
    }
  }
}
