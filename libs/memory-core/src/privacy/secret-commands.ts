/**
 * Passwords that only their place gives away: options of commands, whether as a line or as a list of arguments, statements
 * of databases, calls, files of credentials. One row per place; a row costs nothing where its word does not occur.
 */
import { isPlaceholder } from './secret-values.ts';
import {
  lowerCase,
  OPTION,
  OPTION_TRACES,
  PLACE_SIGNS,
  PLACE_TRACES,
  type OptionTrace,
  type PlaceSign,
  type PlaceTrace,
} from './secret-words.ts';

/** What stands between two arguments: blanks, or the end of one string of a list and the beginning of the next. */
const NEXT = `(?:[ \\t]{1,8}|\\\\{0,7}["'],(?:\\s|\\\\+n){0,40}\\\\{0,7}["'])`;
/** Any arguments between a command and its option; they end with the line or, in a list, go on in the next one. */
const THEN = `(?:[^\\n|;]|(?<=,)\\n){0,300}?${NEXT}`;

/** In the patterns below: `~~` any arguments up to the next one, `~` the step to the next one. */
function written(pattern: string): string {
  return pattern.replaceAll('~~', THEN).replaceAll('~', NEXT);
}

/** `Trace`: one of the words that the first look knows, so that no row can be added behind its back. */
interface Place<Trace extends string> {
  /** One of these, in lower case, stands in whatever the pattern matches; a sign where there is no such word. */
  readonly trace: readonly Trace[] | { readonly sign: PlaceSign };
  /** What stands before the secret, up to its quotation mark. */
  readonly before: string;
  /** What must follow it. */
  readonly behind?: string;
  /** Set where anything else than a simple word stands there: the secret must have a digit or a special character. */
  readonly mixed?: boolean;
}

/** Options that carry a password and whose name does not say so. */
const OPTIONS: readonly Place<OptionTrace>[] = [
  { trace: ['mysql'], before: '\\bmysql[\\w-]{0,20}~~-p' },
  { trace: ['mariadb'], before: '\\bmariadb[\\w-]{0,20}~~-p' },
  // In a list of arguments many take the one behind `-p` for the password.
  { trace: ['mysql'], before: `\\bmysql[\\w-]{0,20}~~-p\\\\{0,7}["'],\\s{0,40}\\\\{0,7}["'](?![0-9]+\\b)` },
  { trace: ['sshpass'], before: '\\bsshpass~-p(?:~|[ \\t]{0,4})' },
  { trace: ['mongo'], before: '\\bmongo[a-z]{0,10}~~-p~' },
  {
    trace: ['login'],
    before: '\\b(?:docker|podman|nerdctl|helm|oras|crane|skopeo|az|oc)~~login\\b~~-p(?:~|[ \\t=]{0,4})',
  },
  { trace: ['redis-cli'], before: '\\bredis-cli~~-a~' },
  { trace: ['ldap'], before: '\\bldap[a-z]{1,10}~~-w~' },
  {
    trace: ['curl'],
    before: `\\bcurl\\b~~(?:-u|-U|--user|--proxy-user)(?:~|[ \\t=]{0,4})\\\\{0,3}["']?[^\\s:"'\\\\$]{1,100}:`,
  },
  {
    trace: ['http ', 'http"', "http'", 'http\\'],
    before: `\\bhttp(?=[ "'\\\\])~~(?:-a|--auth)(?:~|=)\\\\{0,3}["']?[^\\s:"'\\\\$]{1,100}:`,
  },
  { trace: ['smb'], before: `\\bsmb(?:client|map|get)~~-[Uu]~[^\\s%"'\\\\]{1,100}%` },
  { trace: ['zip'], before: '\\b(?:un)?zip~~-P~' },
  { trace: ['7z ', '7z"', "7z'", '7z\\', '7za', '7zr'], before: `\\b7z(?:[ar]|(?=[ "'\\\\]))~~-p` },
  { trace: ['openssl'], before: '\\bopenssl~~-(?:k~|pass(?:in|out)?~pass:)' },
  ...(['storepass', 'keypass', 'ks-pass', 'key-pass'] as const).map((name) => ({
    trace: [name],
    before: `[ \\t"']--?(?:src|dest)?${name}~(?:pass:)?`,
  })),
  { trace: ['htpasswd'], before: '\\bhtpasswd~-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}~[\\w./-]{1,200}~[\\w.@-]{1,100}~' },
  { trace: ['from-literal'], before: `--from-literal(?:=|~)\\\\{0,7}["']?[\\w.-]{1,100}=` },
  { trace: ['secret'], before: '\\bgh~secret~set\\b~~(?:-b|--body)(?:~|=)' },
];

/** Statements, calls, lines of files. */
const PLACES: readonly Place<PlaceTrace>[] = [
  { trace: ['sqlplus'], before: '\\bsqlplus~~[\\w.]{1,60}/', behind: '@' },
  { trace: ['oracle'], before: '\\bjdbc:oracle:[a-z0-9]{1,8}:[\\w.]{1,60}/', behind: '@' },
  { trace: ['nmcli'], before: '\\bnmcli~~password~' },
  {
    trace: ['net use', 'net"', "net'", 'net\\'],
    before: `\\bnet(?: |\\\\{0,7}["'],(?:\\s|\\\\+n){0,40}\\\\{0,7}["'])user?~[\\w.:\\\\-]{1,100}~(?:[\\\\\\w.$-]{1,200}~)?`,
    mixed: true,
  },
  // A word that is piped into what reads a password.
  {
    trace: ['chpasswd'],
    before: `\\becho[ \\t]+["']?[\\w.-]{1,60}:`,
    behind: `["']?[ \\t]*\\|[ \\t]*(?:sudo[ \\t]+)?chpasswd`,
  },
  ...(
    [
      { trace: ['sudo'], reader: 'sudo[ \\t]+-S' },
      { trace: ['-stdin'], reader: '(?:(?:sudo[ \\t]+)?passwd[ \\t]+--stdin|[^|\\n]{1,200}--password-stdin)' },
    ] as const
  ).map(({ trace, reader }) => ({
    trace,
    before: '\\becho[ \\t]+(?:-n[ \\t]+)?',
    behind: `["']?[ \\t]*\\|[ \\t]*${reader}`,
  })),
  {
    trace: ['identified'],
    before: '\\b[Ii]dentified[ \\t]+(?:with[ \\t]+\\S{1,60}[ \\t]+)?(?:by|as)[ \\t]+(?=\\\\{0,7}[\'"])',
  },
  {
    trace: ['identified'],
    before: '\\bIDENTIFIED[ \\t]+(?:WITH[ \\t]+\\S{1,60}[ \\t]+)?(?:BY|AS)[ \\t]+(?=\\\\{0,7}[\'"])',
  },
  { trace: ['identified'], before: '\\bIDENTIFIED[ \\t]+BY[ \\t]+', behind: '(?:;|\\s|$)', mixed: true },
  { trace: ['requirepass'], before: '\\brequirepass[ \\t]{1,8}' },
  { trace: ['auth ', 'auth\t'], before: '\\bAUTH[ \\t]{1,3}', behind: '(?:$|\\s|["\'\\\\])', mixed: true },
  { trace: ['masterauth'], before: '\\bmasterauth[ \\t]{1,8}' },
  { trace: ['rootpw'], before: '\\brootpw(?:[ \\t]{1,8}(?:--plaintext[ \\t]{1,8})?|=)' },
  { trace: ['::add-mask::'], before: '::add-mask::' },
  // `host:port:database:user:password`
  {
    trace: { sign: 'colons' },
    before:
      ':(?:[0-9]{4,5}|\\*):(?:[\\w-]{1,100}|\\*):(?=[0-9A-Fa-f]{0,4}[^0-9A-Fa-f:])(?:[\\w-]{1,100}|\\*):' +
      // Looked at last: every line may begin like that.
      '(?<=(?:^|["\'`\\s]|\\\\n)(?:[\\w.-]{1,200}|\\*):[^:\\s]{1,5}:[^:\\s]{1,100}:[^:\\s]{1,100}:)',
    behind: '(?:$|["\'`\\\\])',
  },
  // Calls that are given a user and a password.
  ...(
    [
      ['Password', 'password('],
      ['Secret', 'secret('],
      ['ApiKey', 'apikey('],
      ['Token', 'token('],
    ] as const
  ).map(([name, trace]) => ({
    trace: [trace],
    before: `\\bset\\w{0,30}${name}\\(\\s{0,4}(?=\\\\{0,7}["'])`,
  })),
  { trace: ['password('], before: `\\bPASSWORD\\((?=\\\\{0,7}["'])` },
  {
    trace: ['define('],
    before: `\\bdefine\\([ \\t]?["'][A-Z_]{0,40}(?:PASSWORD|SECRET|KEY|TOKEN|SALT|AUTH)["'],[ \\t]{0,8}(?=["'])`,
  },
  { trace: ['securestring'], before: '\\bConvertTo-SecureString[ \\t]+(?:-String[ \\t]+)?(?=\\\\{0,7}["\'])' },
  {
    trace: ['networkcredential('],
    before: `\\bNetworkCredential\\(\\s{0,8}\\\\{0,7}["'][^"'\\n]{0,100}["'],[ \\t]{0,8}(?=\\\\{0,7}["'])`,
  },
  {
    trace: ['basicauth('],
    before: `BasicAuth\\(\\s{0,8}\\\\{0,7}["'][^"'\\n]{0,100}["'],[ \\t]{0,8}(?=\\\\{0,7}["'])`,
  },
  {
    trace: { sign: 'pair' },
    before: `\\bauth[ \\t]{0,3}=[ \\t]{0,3}[([]\\\\{0,7}["'][^"'\\n]{0,100}["'],[ \\t]{0,8}(?=\\\\{0,7}["'])`,
  },
];

/** A secret as an argument: nothing that a shell, JSON or a manual would read as something else. */
const ARGUMENT = `(\\\\{0,7}["'\`]?)([^\\s"'\\\\\`;|<>()[\\]{}]{1,200})`;

/** Words without which there is nothing to redact here. */
export const PLACE_WORDS: readonly string[] = [...OPTION_TRACES, ...PLACE_TRACES];

/** Made where a word of its place is first met. */
const expressions = new Map<Place<string>, RegExp>();

/** `text` with the secrets redacted that stand where one is given; `occurring` has the words that may stand in it. */
export function redactPlaces(text: string, occurring: ReadonlySet<string>): string {
  const step = (result: string, place: Place<string>): string =>
    isTraced(place, result, (word) => occurring.has(word)) ? redactPlace(result, place) : result;
  return PLACES.reduce(step, OPTION.test(text) ? OPTIONS.reduce(step, text) : text);
}

function isTraced({ trace }: Place<string>, text: string, has: (word: string) => boolean): boolean {
  return 'sign' in trace ? PLACE_SIGNS[trace.sign].test(text) : trace.some(has);
}

/** For the test of the traces: each place with what it matches, as far as it is traced and altogether. */
export function placeExpressions(): readonly {
  readonly expression: RegExp;
  readonly isTracedIn: (text: string) => boolean;
}[] {
  return [...OPTIONS, ...PLACES].map((place) => ({
    expression: expressionOf(place),
    isTracedIn: (text) => isTraced(place, text, (word) => lowerCase(text).includes(word)),
  }));
}

function expressionOf(place: Place<string>): RegExp {
  const made = expressions.get(place);
  if (made !== undefined) return made;
  const behind = place.behind === undefined ? '' : `(?=${place.behind})`;
  const expression = new RegExp(`(${written(place.before)})${ARGUMENT}${behind}`, 'gm');
  expressions.set(place, expression);
  return expression;
}

function redactPlace(text: string, place: Place<string>): string {
  return text.replace(expressionOf(place), (match: string, before: string, quote: string, secret: string) =>
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
