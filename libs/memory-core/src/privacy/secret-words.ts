/**
 * The words by which secrets are known, said once: the first look (`secret-suspicion.ts`), which every hook carries, and the
 * search itself (`secrets.ts`), which few load, go by the same tables. Said twice, a secret that one of them forgets is kept.
 */

/** In lower case and of the same length: only İ would become two. */
export function lowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

// ------------------------------------------------------------------------------------------------ names of secrets

/** What is always called so that stands beside it is a password; a person may say it in a sentence. */
export const PASSWORD_WORDS: readonly string[] = [
  ...'password passwd passphrase passcode passwort kennwort wachtwoord contraseña senha hasło пароль'.split(' '),
  ...['mot de passe', 'lösenord', 'şifre', 'mật khẩu', '密码', '密碼', '口令', 'パスワード', '비밀번호'],
];

/** Another one, too short to be looked for in every text; with what stands between it and the value. */
export const SHORT_NAME = /[Pp][Ww](?<!\w..)[ \t]?(?:[:=]|is |was )[ \t]{0,3}(?=\S)/;

/** One of these stands where it does, in lower case. */
export const SHORT_NAME_WORDS: readonly string[] = ['pw:', 'pw=', 'pw ', 'pw\t'];

/** What a name of a secret contains, in lower case; of two that begin alike, the longer one first. */
export const NAME_WORDS: readonly string[] = [
  ...PASSWORD_WORDS,
  ...'pass pwd _pw psk secret token key credentials credential _auth'.split(' '),
  ...'密钥 密鑰 秘钥 私钥 私鑰 令牌 金鑰 凭证 憑證'.split(' '),
];

/** What makes a key a secret one; a plain key is a name of something. */
export const KEY_OF: readonly string[] = (
  'api access secret private sign signing signature encrypt encryption crypto master auth shared account subscription ' +
  'service application app admin license licence deploy client webhook hmac jwt consumer storage function host'
).split(' ');

/** Longest of them, with the mark that joins it to the word. */
const LONGEST_KEY_OF = 16;

/** Parts that may follow the word and do not change what the value is. */
const SUFFIX =
  /(?:[_-]?(?:prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|test(?:ing)?|live|old|new|main|primary|secondary|backup|local|base|v?[0-9]{1,3})(?![A-Za-z0-9]))?/iy;

/** End of the name whose word ends at `wordEnd`; undefined where the word goes on and is another one: `tokens`. */
export function endOfName(text: string, wordEnd: number): number | undefined {
  let end = wordEnd;
  if (/[\w-]/.test(text.charAt(wordEnd))) {
    SUFFIX.lastIndex = wordEnd;
    end += SUFFIX.exec(text)?.[0].length ?? 0;
  }
  return /[A-Za-z0-9_]/.test(text.charAt(end)) ? undefined : end;
}

/** What stands before the word `key` at `index` and says what it opens (`api_`); undefined where nothing does. */
export function qualifierOfKey(text: string, index: number): string | undefined {
  const qualifier = text.slice(Math.max(0, index - LONGEST_KEY_OF), index);
  // There may be one mark that joins it to the word.
  const word = qualifier.replace(/[_\-. ]$/, '').toLowerCase();
  return KEY_OF.some((of) => word.endsWith(of)) ? qualifier : undefined;
}

// ------------------------------------------------------------------------------------------------- steps and places

/** What each step of the search looks for, in lower case; without one of its words a step changes nothing. */
export const STEP_WORDS = {
  privateKeys: ['private key', 'private-lines:', 'vpn static key', '$ansible_vault;'],
  logins: ['_auth', '"auth', "'auth", 'authident'],
  headers: ['authorization', 'cookie', 'bearer'],
  manifests: ['secret'],
  jsonWebKeys: ['"kty', "'kty"],
  seeds: ['mnemonic', 'seed phrase', 'seed words', 'recovery phrase', '助记词', '助記詞'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Options of commands: one of these, in lower case, stands wherever a row of `secret-commands.ts` finds a password. */
export const OPTION_TRACES = [
  ...(['mysql', 'mariadb', 'sshpass', 'mongo', 'login', 'redis-cli', 'ldap', 'curl', 'openssl', 'htpasswd'] as const),
  ...(['http ', 'http"', "http'", 'http\\', 'smb', 'zip', '7z ', '7z"', "7z'", '7z\\', '7za', '7zr'] as const),
  ...(['storepass', 'keypass', 'ks-pass', 'key-pass', 'from-literal', 'secret', 'nuget', 'etcdctl', 'lftp'] as const),
  ...(['cqlsh', 'cypher-shell', 'ncftp', 'evil-winrm', 'psexec', 'airflow', 'twine'] as const),
  ...(['sqlcmd', 'bcp ', 'mosquitto', 'ipmitool'] as const),
] as const;
export type OptionTrace = (typeof OPTION_TRACES)[number];

/** The same for statements, calls, lines of files. */
export const PLACE_TRACES = [
  ...(['sqlplus', 'oracle', 'nmcli', 'net use', 'net"', "net'", 'net\\', 'chpasswd', 'sudo', '-stdin'] as const),
  ...(['identified', 'requirepass', 'auth ', 'auth\t', 'masterauth', 'rootpw', '::add-mask::'] as const),
  ...(['password(', 'secret(', 'apikey(', 'token(', 'define(', 'securestring'] as const),
  ...(['networkcredential(', 'basicauth(', 'sendline(', 'send "', "send '", 'send \\', 'send -'] as const),
  ...(['-basic.', 'mc alias', 'rabbitmqctl', 'auth digest', 'passphrase-fd', 'cryptsetup', 'wifi:', 'snmp'] as const),
  ...([
    'schtasks',
    'freerdp',
    '/pass:',
    '/password:',
    '_salt=',
    '_pepper=',
    'bw_session',
    'master.key',
    'vault login',
  ] as const),
  ...(['cargo login', 'bw login', 'wrangler', 'ssl passwd', 'secure-password', 'password 7 ', 'eg_sz'] as const),
  ...(['::set-output', '<auth-user-pass>', '-oauth"', '-oauth\\', '"password', "'password"] as const),
] as const;
export type PlaceTrace = (typeof PLACE_TRACES)[number];

/** Places that have no word of their own, but a sign; where `of` does not occur, in lower case, there is none. */
export const PLACE_SIGNS = {
  colons: { of: ':', sign: /:(?:[0-9]{4,5}|\*):/ },
  pair: { of: 'auth', sign: /auth[ \t]{0,3}=[ \t]{0,3}[([]/ },
  authAndPassword: { of: 'auth', sign: /uth[\\"']{0,8}[ \t]{0,3}[:=][ \t]{0,3}[\\"']{0,8}[\w.@+-]{1,60}:[^\s/]/ },
  credentialAndPassword: {
    of: 'cred',
    sign: /red(?:ential)?s?[\\"']{0,8}[ \t]{0,3}[:=][ \t]{0,3}[\\"']{0,8}[\w.@+-]{1,60}:[^\s/]/,
  },
} as const satisfies Readonly<Record<string, { readonly of: string; readonly sign: RegExp }>>;
export type PlaceSign = keyof typeof PLACE_SIGNS;

/** Most texts name no option. */
export const OPTION = /[\s"']--?[A-Za-z]/;

// ------------------------------------------------------------------------------------------------------- addresses

/** Parameters that carry a secret although their names do not say so. */
export const PARAMETER = '[?&](?:key|sig|signature|code|appid|auth|hmac)=';
export const PASSWORD_PARAMETER = '[?&]pw=';
/** User and password before a host. */
export const USER_INFO = /:(?:\\?\/){2}([^\s:/@"'`<>\\|]{0,200})(?::([^\s/"'`<>\\|]{1,300}))?@(?=[\w[$%{])/;

// -------------------------------------------------------------------------------------------------------- disguises

/**
 * What gives a secret away that is not written as it is used: full-width letters, characters that nobody sees, an encoding
 * with percent signs. Full-width punctuation does not: Chinese texts are full of it.
 */
export const DISGUISE = /[\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A\u00AD\u200B-\u200D\u2060\uFEFF]|%[2-7][0-9A-Fa-f]/;
