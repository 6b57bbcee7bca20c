/**
 * How a client's own clone gets out of a network with a proxy or a certificate authority of its own. The variables lie in
 * the journal while the command runs, so an address with a password in it is left out.
 */

const ADDRESSES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'] as const;
const OTHERS = [
  'NO_PROXY',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
  'NODE_EXTRA_CA_CERTS',
] as const;

/** Those that are set, and that git does not ask anybody anything. Pure. */
export function networkVariables(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const kept = [...ADDRESSES, ...OTHERS].flatMap((name) => {
    const value = env[name];
    const isSecret = value?.includes('@') === true && (ADDRESSES as readonly string[]).includes(name);
    return value === undefined || value === '' || isSecret ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0' };
}
