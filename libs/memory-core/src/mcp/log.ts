/** What the proxy writes to its log: the user's own mistakes and the server's as errors, what healed by itself as information. */
export type Log = (level: 'error' | 'info', text: string) => void;
