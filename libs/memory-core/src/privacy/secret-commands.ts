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
/** Any arguments between a command and its option; they end with the line, unless a list or a backslash goes on. */
const THEN = `(?:[^\\n|;]|(?<=[,\\\\])\\n){0,300}?${NEXT}`;

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
    before: `\\bcurl\\b~~(?:-[a-zA-Z]{0,8}[uU]|--user|--proxy-user)(?:~|[ \\t=]{0,4})\\\\{0,3}["']?[^\\s:"'\\\\$]{1,100}:`,
  },
  {
    trace: ['curl'],
    before: `\\bcurl\\b~~(?:-[a-zA-Z]{0,8}x|--proxy)(?:~|[ \\t=]{0,4})\\\\{0,3}["']?[^\\s:/"'\\\\$]{1,100}:`,
    behind: '@',
  },
  {
    trace: ['curl'],
    before: `\\bcurl\\b~~(?:-[a-zA-Z]{0,8}b|--cookie)(?:~|[ \\t=]{0,4})\\\\{0,3}["']?[\\w.-]{1,100}=`,
    mixed: true,
  },
  {
    trace: ['http ', 'http"', "http'", 'http\\'],
    before: `\\bhttp(?=[ "'\\\\])~~(?:-a|--auth)(?:~|=)\\\\{0,3}["']?[^\\s:"'\\\\$]{1,100}:`,
  },
  { trace: ['smb'], before: `\\bsmb(?:client|map|get)~~-[Uu]~[^\\s%"'\\\\]{1,100}%` },
  { trace: ['zip'], before: '\\b(?:un)?zip~~-P~' },
  { trace: ['7z ', '7z"', "7z'", '7z\\', '7za', '7zr'], before: `\\b7z(?:[ar]|(?=[ "'\\\\]))~~-p` },
  { trace: ['openssl'], before: `\\bopenssl~~-(?:[kK]~|pass(?:in|out)?~\\\\{0,3}["']?pass:)` },
  ...(['storepass', 'keypass', 'ks-pass', 'key-pass'] as const).map((name) => ({
    trace: [name],
    before: `[ \\t"']--?(?:src|dest)?${name}~(?:pass:)?`,
  })),
  {
    trace: ['htpasswd'],
    before:
      '\\bhtpasswd(?:~-[a-zA-Z]{1,8}(?:~[0-9]{1,2})?){0,4}(?<=~-[a-zA-Z]{0,7}b.{0,40})(?:~(?!-)[\\w./-]{1,200})?~(?!-)[\\w.@-]{1,100}~',
  },
  { trace: ['from-literal'], before: `--from-literal(?:=|~)\\\\{0,7}["']?[\\w.-]{1,100}=` },
  { trace: ['secret'], before: '\\bgh~secret~set\\b~~(?:-b|--body)(?:~|=)' },
  { trace: ['mysql'], before: '\\bmysqladmin~~password~(?!-)' },
  {
    trace: ['cqlsh', 'cypher-shell', 'ncftp', 'evil-winrm', 'psexec', 'airflow', 'twine'],
    before: '\\b(?:cqlsh|cypher-shell|ncftp[a-z]{0,3}|evil-winrm|psexec|airflow|twine)\\b~~-p~',
  },
  { trace: ['sqlcmd', 'mosquitto', 'ipmitool'], before: '\\b(?:sqlcmd|mosquitto_\\w{3,4}|ipmitool)~~-P~' },
  { trace: ['bcp '], before: '\\bbcp [^\\n|;]{0,300}?[ \\t]-P~' },
  { trace: ['mosquitto'], before: '\\bmosquitto_passwd~-b~[\\w./-]{1,200}~[\\w.@-]{1,100}~' },
  { trace: ['etcdctl'], before: '\\betcdctl~~--user(?:~|=)[^\\s:]{1,100}:' },
  { trace: ['lftp'], before: '\\blftp~~-u~[^\\s,]{1,100},' },
  { trace: ['nuget'], before: '\\bnuget~push\\b~~(?:-k|--api-key)~' },
];

/** Statements, calls, lines of files. */
const PLACES: readonly Place<PlaceTrace>[] = [
  { trace: ['sqlplus'], before: '\\bsqlplus~~[\\w.]{1,60}/', behind: '(?:@|\\s|$|["\'\\\\])' },
  { trace: ['oracle'], before: '\\bjdbc:oracle:[a-z0-9]{1,8}:[\\w.]{1,60}/', behind: '@' },
  { trace: ['nmcli'], before: '\\bnmcli~~password~' },
  {
    trace: ['net use', 'net"', "net'", 'net\\'],
    before: `\\bnet(?: |\\\\{0,7}["'],(?:\\s|\\\\+n){0,40}\\\\{0,7}["'])user?~[\\w.:\\\\-]{1,100}~(?:[\\\\\\w.$-]{1,200}~)?`,
    mixed: true,
  },
  {
    trace: ['net use'],
    before: '\\b[Nn][Ee][Tt] [Uu][Ss][Ee][Rr]~[\\w.-]{1,100}~(?![/*])',
    behind: '(?: /|\\s*$|["\'\\\\])',
  },
  // Answers to a question for a password, as scripts give them.
  {
    trace: ['send "', "send '", 'send \\', 'send -'],
    before:
      '(?:[Pp]ass(?:word|phrase|wd)?|assword)[^\\n]{0,40}(?:\\s|\\\\+[nrt]|[{}]){1,20}(?:exp_)?send(?: --)? (?=\\\\{0,7}["\'])',
  },
  {
    trace: ['sendline('],
    before: `[Pp]ass(?:word|phrase|wd)?[^\\n]{0,40}(?:\\s|\\\\+[nrt]){1,20}\\w{1,40}\\.sendline\\((?=\\\\{0,7}["'])`,
  },
  { trace: ['-basic.'], before: '\\bpoetry~config~~http-basic\\.[\\w-]{1,60}~[\\w.@-]{1,100}~' },
  { trace: ['mc alias'], before: '\\bmc alias set~\\S{1,60}~\\S{1,200}~\\S{3,100}~' },
  { trace: ['rabbitmqctl'], before: '\\brabbitmqctl~(?:add_user|change_password|authenticate_user)~[\\w.@-]{1,100}~' },
  { trace: ['auth digest'], before: '\\baddauth digest[ \\t]+[\\w.-]{1,100}:' },
  { trace: ['wifi:'], before: '\\bWIFI:(?:[A-OQ-Z]:(?:[^;\\n\\\\]|\\\\[^n]){0,100};){0,4}P:' },
  { trace: ['snmp'], before: '\\bsnmp-server community ' },
  { trace: ['schtasks'], before: '\\bschtasks~~/rp~' },
  { trace: ['freerdp'], before: '\\b[wx]?l?freerdp[0-9]?~~/p:' },
  { trace: ['/pass:', '/password:'], before: '[ \\t"\']/(?:[Pp]ass|[Pp]assword):' },
  { trace: ['_salt=', '_pepper='], before: '_(?:SALT|PEPPER)=', mixed: true },
  { trace: ['ssl passwd'], before: '\\bopenssl passwd(?:~-[\\w-]{1,8})*~(?!-)' },
  { trace: ['secure-password'], before: '\\binsecure-password[ \\t]{1,8}' },
  { trace: ['password 7 '], before: '\\bpassword 7 (?=[0-9A-F]{6})' },
  { trace: ['eg_sz'], before: '[Pp]ass(?:word)?[ \\t]{1,20}REG_SZ[ \\t]{1,20}' },
  {
    trace: ['::set-output'],
    before: '::set-output name=[\\w-]{0,60}(?:[Pp]assword|[Ss]ecret|[Tt]oken|[Kk]ey)[\\w-]{0,20}::',
  },
  {
    trace: ['<auth-user-pass>'],
    before: '<auth-user-pass>(?:\\s|\\\\+[nr]){1,8}[^\\s\\\\]{1,100}(?:\\r?\\n|(?:\\\\+r)?\\\\+n)',
  },
  {
    trace: ['-oauth"', '-oauth\\'],
    before: `-oauth\\\\{0,7}"\\s{0,4}:\\s{0,4}\\{\\s{0,20}\\\\{0,7}"[\\w.-]{1,100}\\\\{0,7}"\\s{0,4}:\\s{0,4}(?=\\\\{0,7}")`,
  },
  {
    trace: ['"password', "'password"],
    before: `<input\\b[^<>\\n]{0,200}\\btype=\\\\{0,7}["']password\\\\{0,7}["'][^<>\\n]{0,200}\\bvalue=(?=\\\\{0,7}["'])`,
  },
  {
    trace: ['"password', "'password"],
    before: `<input\\b[^<>\\n]{0,200}?\\bvalue=(?=\\\\{0,7}["'])`,
    behind: `\\\\{0,7}["'][^<>\\n]{0,200}\\btype=\\\\{0,7}["']password`,
  },
  {
    trace: { sign: 'credentialAndPassword' },
    before: `\\b[Cc]red(?:ential)?s?\\\\{0,7}["']?[ \\t]{0,3}[:=][ \\t]{0,3}\\\\{0,7}["']?[\\w.@+-]{1,60}:(?!//)(?=[^\\s:]{6})`,
    behind: '(?:\\s|$|\\\\|["\',])',
  },
  {
    trace: { sign: 'authAndPassword' },
    before: `\\b(?:[Bb]asic_?)?[Aa]uth\\\\{0,7}["']?[ \\t]{0,3}[:=][ \\t]{0,3}\\\\{0,7}["']?[\\w.@+-]{1,60}:(?!//)(?=[^\\s:]{6})`,
    behind: '(?:\\s|$|\\\\|["\',])',
    mixed: true,
  },
  { trace: ['bw_session'], before: '\\bBW_SESSION=' },
  { trace: ['master.key'], before: '\\bmaster\\.key["\']?(?:\\s|\\\\+[nr]){1,8}(?=[0-9a-f]{32}(?![0-9a-f]))' },
  { trace: ['vault login', 'cargo login'], before: '\\b(?:vault|cargo) login~(?![-\\w]{1,100}=)', mixed: true },
  { trace: ['bw login'], before: '\\bbw login~\\S{1,100}@\\S{1,100}~(?!-)' },
  // A word that is piped into what reads a password.
  {
    trace: ['chpasswd'],
    before: `\\becho[ \\t]+\\\\{0,7}["']?[\\w.-]{1,60}:`,
    behind: `\\\\{0,7}["']?[ \\t]*\\|[ \\t]*(?:sudo[ \\t]+)?chpasswd`,
  },
  ...(
    [
      { trace: ['sudo'], reader: 'sudo[ \\t]+-S' },
      { trace: ['passphrase-fd'], reader: 'gpg2?[^|\\n]{0,200}--passphrase-fd' },
      { trace: ['cryptsetup'], reader: '(?:sudo[ \\t]+)?cryptsetup' },
      { trace: ['wrangler'], reader: '(?:npx[ \\t]+)?wrangler[ \\t]+secret' },
      { trace: ['-stdin'], reader: '(?:(?:sudo[ \\t]+)?passwd[ \\t]+--stdin|[^|\\n]{1,200}--password-stdin)' },
    ] as const
  ).map(({ trace, reader }) => ({
    trace,
    before: '\\b(?:echo[ \\t]+(?:-[ne]{1,2}[ \\t]+)?|printf[ \\t]+(?:["\']?%s(?:\\\\+n)?["\']?[ \\t]+)?)',
    behind: `(?:\\\\+n)?\\\\{0,7}["']?[ \\t]*\\|[ \\t]*${reader}`,
  })),
  { trace: ['sudo'], before: '\\bsudo~-S\\b[^\\n|]{0,200}<<<[ \\t]*' },
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
    before: `\\bdefine\\([ \\t]?\\\\{0,7}["'][A-Z_]{0,40}(?:PASSWORD|SECRET|KEY|TOKEN|SALT|AUTH)\\\\{0,7}["'],[ \\t]{0,40}(?=\\\\{0,7}["'])`,
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
const ARGUMENT = `(\\\\{0,7}["'\`]?)((?:[^\\s"'\\\\\`;|<>()[\\]{}]|\\\\+[:;,@]){1,200})`;

/** The table of words finds one by three of its characters: for a shorter one the sign alone tells. */
function isTabled(word: string): boolean {
  return word.length >= 3;
}

/** Words without which there is nothing to redact here. */
export const PLACE_WORDS: readonly string[] = [
  ...OPTION_TRACES,
  ...PLACE_TRACES,
  ...Object.values(PLACE_SIGNS).flatMap(({ of }) => (isTabled(of) ? [of] : [])),
];

/** Made where a word of its place is first met. */
const expressions = new Map<Place<string>, RegExp>();

/** `text` with the secrets redacted that stand where one is given; `occurring` has the words that may stand in it. */
export function redactPlaces(text: string, occurring: ReadonlySet<string>): string {
  const step = (result: string, place: Place<string>): string =>
    isTraced(place, result, (word) => occurring.has(word)) ? redactPlace(result, place) : result;
  return PLACES.reduce(step, OPTION.test(text) ? OPTIONS.reduce(step, text) : text);
}

function isTraced({ trace }: Place<string>, text: string, has: (word: string) => boolean): boolean {
  if (!('sign' in trace)) return trace.some(has);
  const { of, sign } = PLACE_SIGNS[trace.sign];
  return (!isTabled(of) || has(of)) && sign.test(text);
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
  const expression = expressionOf(place);
  let result = '';
  let from = 0;
  expression.lastIndex = 0;
  for (let found = expression.exec(text); found !== null; found = expression.exec(text)) {
    const [whole, before = '', quote = '', argument = ''] = found;
    const start = found.index + before.length + quote.length;
    const end = quotedEnd(text, start, start + argument.length, quote === '' ? before : quote);
    if (whole === '') expression.lastIndex += 1;
    if (isKept(text.slice(start, end), quote, place)) continue;
    result += `${text.slice(from, start)}[redacted:password]`;
    from = end;
    expression.lastIndex = Math.max(expression.lastIndex, end);
  }
  return from === 0 ? text : result + text.slice(from);
}

/** Where a quoted argument ends, which may hold anything; `end` where it is not quoted. */
function quotedEnd(text: string, start: number, end: number, before: string): number {
  const quote = /["'`](?=[^"'`]*$)/.exec(before)?.[0];
  // In a list of arguments the quotation mark before may be that of an argument that has ended.
  if (quote === undefined || !/(?:^|[\s=(\\,[])\\{0,7}["'`][^"'`\s]*$/.test(before)) return end;
  const close = text.indexOf(quote, end);
  if (close === -1 || close - start > LONGEST_QUOTED) return end;
  // In JSON the mark at its end is escaped.
  const rest = text.slice(end, close).replace(/\\+$/, '');
  return /^[^\\\n"]*$/.test(rest) ? end + rest.length : end;
}

/** Longest quoted argument, in UTF-16 units. */
const LONGEST_QUOTED = 200;

function isKept(secret: string, quote: string, place: Place<string>): boolean {
  return (
    isStandIn(secret) ||
    isPlaceholder(`-${secret}`) ||
    (quote !== '' && isPlaceholder(secret)) ||
    /^your/i.test(secret) ||
    (place.mixed === true && !(/[0-9]/.test(secret) && /[A-Za-z]/.test(secret)))
  );
}

/** Nobody's password: a variable, a template, dots. Simple words are redacted, as they are real ones too often. */
export function isStandIn(password: string): boolean {
  return /^(?:\$.*|\{.*\}|%[A-Z_]+%|[x*.•]{3,}|\[redacted:.*)$/i.test(password);
}
