/**
 * Judges a value that stands beside a secret word. Most of them are no secrets but types, variables, labels and
 * placeholders; redacting those would make captured code unreadable.
 */

/** Words that stand where a secret would, in declarations, forms, schemas and manuals. */
const ORDINARY: ReadonlySet<string> = new Set(
  (
    'string str text varchar char number int integer bool boolean bytes buffer any unknown never void object null nil none ' +
    'undefined true false yes no on off required optional hidden invalid valid missing empty default disabled enabled ' +
    'password passwd passwort passphrase secret token key apikey value name type field label id user username email ' +
    'input output function const let var new this self super return await async static readonly private public protected ' +
    'expired revoked unset set redacted masked hashed encrypted plaintext random generated auto basic bearer digest oauth oauth2 ' +
    'changeme placeholder example sample dummy todo tbd here prompt ask env file vault literal identifier punctuation keyword ' +
    'comment operator variable constant symbol regexp regex newline whitespace eof plain incorrect wrong weak strong short ' +
    'flag option argument parameter arg switch instead credentials details protected private admin confirm confirmation reset'
  ).split(' '),
);

/** Longer values are judged by their shape alone: no placeholder is that long. */
const LONGEST_PLACEHOLDER = 200;

/** True for what only stands for a value: `<your-key>`, `$TOKEN`, `${API_KEY}`, `xxxx`, `process.env.X`, `string`. */
export function isPlaceholder(value: string): boolean {
  if (value.length < 3) return true;
  if (value.includes('[redacted:') || value.includes('[left out:')) return true;
  if (value.length > LONGEST_PLACEHOLDER) return false;
  if (ORDINARY.has(value.toLowerCase().replace(/[?!:;,.]+$/, ''))) return true;
  return PLACEHOLDERS.some((form) => form.test(value));
}

const PLACEHOLDERS: readonly RegExp[] = [
  // One character over and over, or a text that leaves its middle out: xxxx, ****, sk-...abc
  /^(.)\1*.?$/su,
  /^[x*•.…_-]{3,}$/i,
  /\*{3,}|x{4,}|X{4,}|…|\.{3}/,
  // <key>, {key}, %KEY%, $KEY, $key, :key, @key, !key, &key
  /^<.*>?$/s,
  /^\{.*\}$/s,
  /^%[A-Za-z_]\w*%?$/,
  /^\$+\{?(?:[A-Z_][A-Z0-9_]*|[A-Za-z_]+)\}?$/,
  /^[#@:!&*]+[A-Za-z_]+$/,
  /\$\{|\{\{|\$\(|#\{/,
  // ^1.2.3 in a list of packages
  /^[\^~>=v]*[0-9]+(?:\.[0-9]+){1,3}(?:-[\w.]+)?$/,
  // your-api-key, my_token, insert-token-here, ENTER_PASSWORD
  /^(?:your|my|the|some|insert|enter|put|paste|replace|add|use|example|sample|dummy|fake|test)[a-z\s_-]*(?:here|key|token|secret|password|passwd|pass|value)$/i,
  /^(?:process|import|os|env|config|settings|options|opts|props|this|self|ctx|context|req|request|res|args|params)\b\??[.[]/,
];

/** True for code that yields a value: a call, a member, an indexed access, a namespaced name. */
export function isExpression(value: string): boolean {
  // Base64 may end on equals signs.
  if (/&&|[=!<>]=|=>|\?\.|\+\+|=[^=]/.test(value.replace(/={1,2}$/, ''))) return true;
  return (
    /^[!&*-]?[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+[!;,]?$/.test(value) || /^[\w$.]+[([]/.test(value)
  );
}

/** True for paths and addresses: where a secret lies is no secret. */
export function isLocation(value: string): boolean {
  return /^(?:~|\.{1,2})?[\\/][\w.-]*(?:[\\/]|$)|^[A-Za-z]:[\\/]|^[a-z][a-z0-9+.-]*:\/\/|^[\w-]+(?:[\\/][\w.-]+)+\.[a-z]{1,5}$/.test(
    value,
  );
}

/**
 * True when `value` looks made by a generator rather than by a person: long enough, of letters and digits in no order
 * of words. Names such as `oauth2-token-cache` or `getOAuth2Token` are not.
 */
export function looksRandom(value: string, minLength = 16): boolean {
  if (value.length < minLength || !/^[\w+/=.~!@#$%^&*:-]+$/.test(value)) return false;
  const { letters, digits, changes, entropy } = measure(value);
  if (letters === 0) return false;
  // Long and without digits: random letters change between upper and lower case all the time.
  if (digits === 0 && !(value.length >= 20 && changes >= 0.33)) return false;
  return entropy >= Math.min(3, Math.log2(value.length) * 0.7) && !isWords(value);
}

/** True for a name: parts of letters or short numbers, joined by separators or by camel case. */
function isWords(value: string): boolean {
  const parts = value.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== '');
  return (
    parts.every((part) =>
      /^(?:[A-Za-z]?[a-z]*|[A-Z]+s?|[A-Za-z]+[0-9]{1,4}|[0-9]{1,4}[A-Za-z]{0,2}|v[0-9]+)$/.test(part),
    ) &&
    value.length / parts.length >= 3 &&
    !(parts.length === 1 && value.length >= 20 && /[0-9]/.test(value))
  );
}

interface Measures {
  readonly letters: number;
  readonly digits: number;
  /** Share of neighbouring characters that differ in class (lower case, upper case, digit, other). */
  readonly changes: number;
  /** Shannon entropy in bits per character. */
  readonly entropy: number;
}

/** In one walk: hostile texts have a candidate every few characters. For ASCII. */
function measure(value: string): Measures {
  const counts = new Uint32Array(128);
  const ofClass = [0, 0, 0, 0];
  let changes = 0;
  let before = classOf(value.charCodeAt(0));
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charCodeAt(index);
    counts[unit] = (counts[unit] ?? 0) + 1;
    const kind = classOf(unit);
    ofClass[kind] = (ofClass[kind] ?? 0) + 1;
    if (kind !== before) changes += 1;
    before = kind;
  }
  let entropy = 0;
  for (const count of counts) {
    if (count > 0) entropy -= (count / value.length) * Math.log2(count / value.length);
  }
  return {
    letters: (ofClass[0] ?? 0) + (ofClass[1] ?? 0),
    digits: ofClass[2] ?? 0,
    changes: changes / Math.max(1, value.length - 1),
    entropy,
  };
}

function classOf(unit: number): number {
  if (unit >= 97 && unit <= 122) return 0;
  if (unit >= 65 && unit <= 90) return 1;
  return unit >= 48 && unit <= 57 ? 2 : 3;
}
