/**
 * A stable 64-bit fingerprint (FNV-1a over UTF-8) for file names and identifiers. Not for secrets: it is here because
 * loading the crypto module costs a hook more than everything else that identity needs.
 */
const OFFSET_BASIS = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** 16 lower-case hexadecimal digits. */
export function shortHash(text: string): string {
  let hash = OFFSET_BASIS;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  }
  return hash.toString(16).padStart(16, '0');
}
