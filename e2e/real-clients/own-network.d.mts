/** Tells the tests that they may rely on it. */
export const OWN_NETWORK: string;

/** Words to put before a command so that it runs in a network with nothing but loopback, or why that cannot be had here. */
export function ownNetwork(): { readonly prefix: readonly string[] } | { readonly reason: string };
