/**
 * The certificates to trust when a private authority is configured. Node's `ca` option replaces its whole list: that list,
 * and what NODE_EXTRA_CA_CERTS adds to it, are named again beside the private one, so that a public server is still trusted.
 */
import { readFileSync } from 'node:fs';
import { OpenVikingError, systemCode } from '../errors/error.ts';

/** PEM texts. Throws when `caFile` cannot be read. Called only where a private authority is set: it loads `node:tls`. */
export function authorities(caFile: string, env: Readonly<Record<string, string | undefined>>): string[] {
  let own: string;
  try {
    own = readFileSync(caFile, 'utf8');
  } catch (cause) {
    throw new OpenVikingError({
      code: 'http/ca-unreadable',
      message: `The certificate file ${caFile} cannot be read (${systemCode(cause) ?? 'error'}).`,
      next: 'Check OPENVIKING_CA_FILE, or caFile in the plugin section of ovcli.conf.',
      cause,
    });
  }
  const { rootCertificates } = process.getBuiltinModule('node:tls');
  return [...rootCertificates, own, ...extraOf(env['NODE_EXTRA_CA_CERTS'])];
}

function extraOf(path: string | undefined): string[] {
  if (path === undefined || path === '') return [];
  try {
    return [readFileSync(path, 'utf8')];
  } catch {
    // Node itself only warns about it.
    return [];
  }
}
