/**
 * Passwords that only their place gives away: options of commands, whether as a line or as a list of arguments, statements
 * of databases, calls, files of credentials. One row per place; a row costs nothing where its word does not occur.
 */
import { isPlaceholder } from './secret-values.ts';

/** What stands between two arguments: blanks, or the end of one string of a list and the beginning of the next. */
const NEXT = `(?:[ \\t]{1,8}|\\\\{0,7}["'],(?:\\s|\\\\+n){0,40}\\\\{0,7}["'])`;
/** Any arguments between a command and its option; they end with the line or, in a list, go on in the next one. */
const THEN = `(?:[^\\n|;]|(?<=,)\\n){0,300}?${NEXT}`;

/** In the patterns below: `~~` any arguments up to the next one, `~` the step to the next one. */
function written(pattern: string): string {
  return pattern.replaceAll('~~', THEN).replaceAll('~', NEXT);
}

interface Place {
  /** A word in lower case without which the pattern matches nowhere, or what is simpler to look for than the pattern. */
  readonly word: string | RegExp;
  /** What stands before the secret, up to its quotation mark. */
  readonly before: string;
  /** What must follow it. */
  readonly behind?: string;
  /** Set where anything else than a simple word stands there: the secret must have a digit or a special character. */
  readonly mixed?: boolean;
}

/** Options that carry a password and whose name does not say so. */
const OPTIONS: readonly Place[] = [
  { word: 'mysql', before: '\\bmysql[\\w-]{0,20}~~-p' },
  { word: 'mariadb', before: '\\bmariadb[\\w-]{0,20}~~-p' },
  // In a list of arguments many take the one behind `-p` for the password.
  { word: 'mysql', before: `\\bmysql[\\w-]{0,20}~~-p\\\\{0,7}["'],\\s{0,40}\\\\{0,7}["'](?![0-9]+\\b)` },
  { word: 'sshpass', before: '\\bsshpass~-p(?:~|[ \\t]{0,4})' },
  { word: 'mongo', before: '\\bmongo[a-z]{0,10}~~-p~' },
  {
    word: 'login',
    before: '\\b(?:docker|podman|nerdctl|helm|oras|crane|skopeo|az|oc)~~login\\b~~-p(?:~|[ \\t=]{0,4})',
  },
  { word: 'redis-cli', before: '\\bredis-cli~~-a~' },
  { word: 'ldap', before: '\\bldap[a-z]{1,10}~~-w~' },
  {
    word: 'curl',
    before: `\\bcurl\\b~~(?:-u|-U|--user|--proxy-user)(?:~|[ \\t=]{0,4})\\\\{0,3}["']?[^\\s:"'\\\\$]{1,100}:`,
  },
  { word: 'http ', before: `\\bhttp~~(?:-a|--auth)(?:~|=)\\\\{0,3}["']?[^\\s:"'\\\\$]{1,100}:` },
  { word: 'smb', before: `\\bsmb(?:client|map|get)~~-[Uu]~[^\\s%"'\\\\]{1,100}%` },
  { word: 'zip -', before: '\\b(?:un)?zip~~-P~' },
  { word: '7z ', before: '\\b7z[ar]?~~-p' },
  { word: 'openssl', before: '\\bopenssl~~-(?:k~|pass(?:in|out)?~pass:)' },
  ...['storepass', 'keypass', 'ks-pass', 'key-pass'].map((name) => ({
    word: name,
    before: `[ \\t"']--?(?:src|dest)?${name}~(?:pass:)?`,
  })),
  { word: 'htpasswd', before: '\\bhtpasswd~-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}~[\\w./-]{1,200}~[\\w.@-]{1,100}~' },
  { word: 'from-literal', before: `--from-literal(?:=|~)\\\\{0,7}["']?[\\w.-]{1,100}=` },
  { word: 'secret set', before: '\\bgh~secret~set\\b~~(?:-b|--body)(?:~|=)' },
];

/** Statements, calls, lines of files. */
const PLACES: readonly Place[] = [
  { word: 'sqlplus', before: '\\bsqlplus~~[\\w.]{1,60}/', behind: '@' },
  { word: 'oracle', before: '\\bjdbc:oracle:[a-z0-9]{1,8}:[\\w.]{1,60}/', behind: '@' },
  { word: 'nmcli', before: '\\bnmcli~~password~' },
  { word: 'net use', before: '\\bnet~user?~[\\w.:\\\\-]{1,100}~(?:[\\\\\\w.$-]{1,200}~)?', mixed: true },
  // A word that is piped into what reads a password.
  {
    word: 'chpasswd',
    before: `\\becho[ \\t]+["']?[\\w.-]{1,60}:`,
    behind: `["']?[ \\t]*\\|[ \\t]*(?:sudo[ \\t]+)?chpasswd`,
  },
  {
    word: 'echo',
    before: '\\becho[ \\t]+(?:-n[ \\t]+)?',
    behind: `["']?[ \\t]*\\|[ \\t]*(?:sudo[ \\t]+-S|(?:sudo[ \\t]+)?passwd[ \\t]+--stdin|[^|\\n]{1,200}--password-stdin)`,
  },
  {
    word: 'dentified',
    before: '\\b[Ii]dentified[ \\t]+(?:with[ \\t]+\\S{1,60}[ \\t]+)?(?:by|as)[ \\t]+(?=\\\\{0,7}[\'"])',
  },
  {
    word: 'identified',
    before: '\\bIDENTIFIED[ \\t]+(?:WITH[ \\t]+\\S{1,60}[ \\t]+)?(?:BY|AS)[ \\t]+(?=\\\\{0,7}[\'"])',
  },
  { word: 'identified', before: '\\bIDENTIFIED[ \\t]+BY[ \\t]+', behind: '(?:;|\\s|$)', mixed: true },
  { word: 'requirepass', before: '\\brequirepass[ \\t]{1,8}' },
  { word: 'auth ', before: '\\bAUTH[ \\t]{1,3}', behind: '(?:$|\\s|["\'\\\\])', mixed: true },
  { word: 'masterauth', before: '\\bmasterauth[ \\t]{1,8}' },
  { word: 'rootpw', before: '\\brootpw(?:[ \\t]{1,8}(?:--plaintext[ \\t]{1,8})?|=)' },
  { word: '::add-mask::', before: '::add-mask::' },
  // `host:port:database:user:password`
  {
    word: /:(?:[0-9]{4,5}|\*):/,
    before:
      ':(?:[0-9]{4,5}|\\*):(?:[\\w-]{1,100}|\\*):(?=[0-9A-Fa-f]{0,4}[^0-9A-Fa-f:])(?:[\\w-]{1,100}|\\*):' +
      // Looked at last: every line may begin like that.
      '(?<=(?:^|["\'`\\s]|\\\\n)(?:[\\w.-]{1,200}|\\*):[^:\\s]{1,5}:[^:\\s]{1,100}:[^:\\s]{1,100}:)',
    behind: '(?:$|["\'`\\\\])',
  },
  // Calls that are given a user and a password.
  ...['Password', 'Secret', 'ApiKey', 'Token'].map((name) => ({
    word: `${name.toLowerCase()}(`,
    before: `\\bset\\w{0,30}${name}\\(\\s{0,4}(?=\\\\{0,7}["'])`,
  })),
  { word: 'password(', before: `\\bPASSWORD\\((?=\\\\{0,7}["'])` },
  {
    word: 'define(',
    before: `\\bdefine\\([ \\t]?["'][A-Z_]{0,40}(?:PASSWORD|SECRET|KEY|TOKEN|SALT|AUTH)["'],[ \\t]{0,8}(?=["'])`,
  },
  { word: 'securestring', before: '\\bConvertTo-SecureString[ \\t]+(?:-String[ \\t]+)?(?=\\\\{0,7}["\'])' },
  {
    word: 'redential(',
    before: `\\bNetworkCredential\\(\\s{0,8}\\\\{0,7}["'][^"'\\n]{0,100}["'],[ \\t]{0,8}(?=\\\\{0,7}["'])`,
  },
  { word: 'asicauth(', before: `BasicAuth\\(\\s{0,8}\\\\{0,7}["'][^"'\\n]{0,100}["'],[ \\t]{0,8}(?=\\\\{0,7}["'])` },
  {
    word: /\bauth[ \t]{0,3}=/,
    before: `\\bauth[ \\t]{0,3}=[ \\t]{0,3}[([]\\\\{0,7}["'][^"'\\n]{0,100}["'],[ \\t]{0,8}(?=\\\\{0,7}["'])`,
  },
];

/** A secret as an argument: nothing that a shell, JSON or a manual would read as something else. */
const ARGUMENT = `(\\\\{0,7}["'\`]?)([^\\s"'\\\\\`;|<>()[\\]{}]{1,200})`;

/** Words without which there is nothing to redact here. */
export const PLACE_WORDS: readonly string[] = [...OPTIONS, ...PLACES].flatMap(({ word }) =>
  typeof word === 'string' ? word : [],
);

/** Made where its word is first met. */
const expressions = new Map<Place, RegExp>();

/** Most texts name no option. */
const OPTION = /[\s"']--?[A-Za-z]/;

/** `text` with the secrets redacted that stand where one is given; `occurring` has the words that may stand in it. */
export function redactPlaces(text: string, occurring: ReadonlySet<string>): string {
  const step = (result: string, place: Place): string =>
    (typeof place.word === 'string' ? occurring.has(place.word) : place.word.test(result))
      ? redactPlace(result, place)
      : result;
  return PLACES.reduce(step, OPTION.test(text) ? OPTIONS.reduce(step, text) : text);
}

function redactPlace(text: string, place: Place): string {
  let expression = expressions.get(place);
  if (expression === undefined) {
    const behind = place.behind === undefined ? '' : `(?=${place.behind})`;
    expression = new RegExp(`(${written(place.before)})${ARGUMENT}${behind}`, 'gm');
    expressions.set(place, expression);
  }
  return text.replace(expression, (match: string, before: string, quote: string, secret: string) =>
    isStandIn(secret) ||
    isPlaceholder(`-${secret}`) ||
    (quote !== '' && isPlaceholder(secret)) ||
    /^your/i.test(secret) ||
    (place.mixed === true && !(/[0-9]/.test(secret) && /[A-Za-z]/.test(secret)))
      ? match
      : `${before}${quote}[redacted:password]`,
  );
}

/** Nobody's password: a variable, a template, dots. Simple words are redacted, as they are real ones too often. */
export function isStandIn(password: string): boolean {
  return /^(?:\$.*|\{.*\}|%[A-Z_]+%|[x*.•]{3,}|\[redacted:.*)$/i.test(password);
}
