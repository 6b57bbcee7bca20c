/**
 * Secrets that are neither of a known format nor named: the private members of a JSON Web Key, the words from which a wallet
 * is restored, the body of an encrypted file.
 */
import { looksRandom } from './secret-values.ts';

/** A line break, as it is or as JSON writes it, with its indentation. */
const BREAK = '(?:\\r?\\n|(?:\\\\+r)?\\\\+n)[ \\t]*';

const PRIVATE_MEMBERS = 'd|p|q|dp|dq|qi|k';
const MEMBER = new RegExp(
  `(\\\\{0,7}["'](?:${PRIVATE_MEMBERS})\\\\{0,7}["']\\s{0,4}:\\s{0,4}\\\\{0,7}["'])([A-Za-z0-9_+/=-]{16,20000})(?=\\\\{0,7}["'])`,
  'g',
);
export function redactJsonWebKeys(text: string): string {
  if (!/["']kty\\{0,7}["']/.test(text)) return text;
  return text
    .split(/(?<=\})/)
    .map((part) => {
      const start = part.lastIndexOf('{');
      return start === -1 || !/["']kty\\{0,7}["']/.test(part.slice(start))
        ? part
        : part.slice(0, start) + part.slice(start).replace(MEMBER, '$1[redacted:private-key]');
    })
    .join('');
}

/** True for the member of a JSON Web Key that only its owner may know. */
export function isPrivateMember(siblings: object, name: string): boolean {
  return 'kty' in siblings && new RegExp(`^(?:${PRIVATE_MEMBERS})$`).test(name);
}

const SEED_WORD = /mnemonic|seed phrase|seed words|recovery phrase|助记词|助記詞/gi;
/** Twelve words or more, perhaps numbered, on one line or on several. */
const SEED = new RegExp(
  `(?:[a-z]{3,8}(?:(?:[ \\t,]|${BREAK}|[0-9]{1,2}[.)])+(?=[a-z]))){11,23}[a-z]{3,8}(?![a-z])`,
  'y',
);
/** What stands between the name and the first word. */
const SEED_HEAD = new RegExp(`^[^a-z\\n]?(?:(?:is|are|words?)[ \\t:]+|${BREAK}|\\\\+["']|[^A-Za-z\\n\\\\]){0,20}`);
/** Ordinary sentences have one of these; the list of words for wallets has none. */
const NO_SEED = /(?:^|[\s,.])(?:the|and|for|are|not|with|from|was|has|its|but|our|your|which)(?=[\s,.]|$)/;

export function redactSeeds(text: string): string {
  let result = '';
  let from = 0;
  for (const { 0: word, index } of text.matchAll(SEED_WORD)) {
    const end = index + word.length;
    const head = SEED_HEAD.exec(text.slice(end, end + 60))?.[0] ?? '';
    SEED.lastIndex = end + head.length;
    const seed = SEED.exec(text)?.[0];
    if (seed === undefined || end < from || NO_SEED.test(seed)) continue;
    result += `${text.slice(from, end + head.length)}[redacted:seed-phrase]`;
    from = end + head.length + seed.length;
  }
  return from === 0 ? text : result + text.slice(from);
}

const VAULT = new RegExp(`\\$ANSIBLE_VAULT;[\\w.;-]{1,100}(?:${BREAK}[0-9a-f]{2,200}(?![0-9A-Za-z]))+`, 'g');
const STATIC_KEY = new RegExp(
  `(-----BEGIN OpenVPN Static key V1-----)(?:${BREAK}[0-9a-f]{16,64}(?![0-9A-Za-z]))+`,
  'g',
);

export function redactEncrypted(text: string): string {
  return text.replace(VAULT, '[redacted:ansible-vault]').replace(STATIC_KEY, '$1 [redacted:private-key]');
}

const DIGEST_RESPONSE = /(\bresponse=\\{0,7}["']?)([0-9a-f]{32,64})(?![0-9a-f])/g;

/** The answer to a challenge, which can be tried against all words. */
export function redactDigest(text: string): string {
  return text.replace(DIGEST_RESPONSE, (match: string, before: string, value: string) =>
    looksRandom(value) ? `${before}[redacted:authorization]` : match,
  );
}
