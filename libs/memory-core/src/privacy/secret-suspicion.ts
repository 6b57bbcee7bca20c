/**
 * A first look that settles most texts: without a trace of a secret, nothing that finds secrets is loaded or run, which
 * would cost a hook more than all else that it does. It may be wrong in one direction only: a test holds whatever the
 * rules of `secrets.ts` find against it.
 */

/** What the name of a secret contains, in lower case. */
const NAME = `(?:${[
  'pass(?:w(?:or[dt]|d)|phrase|code)?|pwd|_pw|psk|secret|token|credentials?|authorization|cookie|_key|["\'_]auth',
  '(?:api|access|private|sign|signing|signature|encrypt|encryption|crypto|master|auth|shared|account|subscription|service',
  'application|app|admin|licen[sc]e|deploy|client|webhook|hmac|jwt|consumer|storage|function|host)[_. -]?key',
].join('|')})`;

/** Parts of a name that may follow. */
const NAME_ENDING =
  '(?:[_-]?(?:prod|dev|stag|test|live|old|new|main|primary|secondary|backup|local|base|v?[0-9])[a-z0-9]*)?';

/** What stands between a name and its value: closing quotes and brackets, blanks, a default, and a mark. */
const ASSIGNED =
  '[\\s"\'`\\])?!\\\\]{0,60}(?:\\[[^\\]\\n]{0,40}\\])?(?:[=:,<>{|&：＝]|u003e|\\w{0,12}value)|\\(\\s{0,4}\\\\{0,7}["\']';

/** What is in a value that follows without a mark between: a simple word is taken for none. */
const VALUE = '(?:[0-9!@#$%^&*~+?"\'`]|[!-~]{20})';

/** A value behind blanks, perhaps with a verb between. */
const SAID = `[ \\t]{1,40}(?:[!-~]{0,200}?${VALUE}|(?:for|of|to|on|is|was)[ \\t:][^\\n]{0,200}?${VALUE})|[ \\t]{0,3}[^\\0-\\x7f][^\\n]{0,99}?${VALUE}`;

/** One of these stands in every text that the expression below is true of; most texts need no expression. In lower case. */
const TRACES =
  'pass pwd _pw pw= psk secret token credential key cookie auth bearer identified private- @ curl mysql mariadb mongo login ' +
  'redis-cli ldap http smb zip 7z openssl -literal user nmcli sqlplus oracle sudo rootpw add-mask define( securestring ' +
  '码 碼 钥 鑰 令 证 證 パスワード 비밀번호';

/** In lower case. */
const inWords = (): RegExp =>
  new RegExp(
    [
      `${NAME}${NAME_ENDING}(?:${ASSIGNED}|${SAID})`,
      // Any value of an option, of a variable that is set, of a login.
      `(?:-[\\w.-]{0,40}?|(?:env|arg|setx|set[ \\t]+-\\w{1,4})[ \\t]+\\w{0,40}?)${NAME}${NAME_ENDING}[\\s\\\\]`,
      'login[ \\t]+\\S{1,80}?(?:\\s|\\\\+n)+pass|nmcli[^\\n]{0,300}?password|\\bauth[ \\t]{1,3}[!-~]{0,99}[0-9]',
      '(?:[密秘私金][码碼钥鑰]|口令|令牌|[凭憑][证證]|パスワード|비밀번호)[^]{0,99}?[!-~]',
      'bearer[ \\t]+[!-~]{16}|private(?: key|-lines:)|kind\\\\{0,7}["\']?[ \\t]*:[ \\t]*\\\\{0,7}["\']?secret',
      // A password in an address, among the options of a command, in a pipe, in a statement or call.
      '/\\\\?/[^\\s/"\'`<>\\\\|]{0,520}@|[?&]pw=|jdbc:oracle:|sqlplus[\\s"\']',
      '(?:curl|mysql|mariadb|sshpass|mongo|login|redis-cli|ldap|http(?= )|smb|zip(?= )|7z|openssl|htpasswd|secret\\W{1,20}set)(?:[^\\n|;]|(?<=,)\\n){0,330}?[\\s"\']-',
      'chpasswd|passwd[ \\t]+--stdin|password-stdin|sudo[ \\t]+-s|from-literal|net\\W{1,20}user?\\b|::add-mask::',
      'identified[ \\t]+(?:by|as|with)[ \\t]|requirepass|masterauth|rootpw|define\\(|securestring|networkcredential\\(|basicauth\\(|\\bauth[ \\t]{0,3}=[ \\t]{0,3}[([]',
    ].join('|'),
  );

/** How the formats of `rules.ts` begin, at the start of a word; those with short beginnings in more of their length. */
const BEGINNINGS =
  'A(?:[KSB]IA|CCA|3T|BSK|Iza|K(?:LT|ID|Cp)|TBB|TCTT3|TATT3|3-|GE-SECRET-KEY-1|ccountKey=)|LTAI|bedrock-api-key-|' +
  'X-(?:Amz|Goog)-S|ya29\\.|GOCSPX-|1//0|SharedAccessKey=|sig=|bce-v3/|do[opr]_v1_|HRKU-|fo1_|fm[12][ar]?_|v1\\.0-|' +
  'vercel_|vc[pkair]_|nf[pcou]_|sbp_|sb_secret_|pscale_|dapi|sha256~|gh[pousr]_|github_pat_|' +
  'gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct|oas|wt)-|GR13|npm_|pypi-|rubygems_|cio|oy2|CLOJARS_|dckr_|cmVmd|' +
  'sq[upa]_|CCIP|bkua_|pul-|dp\\.[a-z]|hv[sbr]\\.|pn[ub]_|tskey-|ops_eyJ|sk-|hf_|api_org_|r8_|gsk_|xai-|pplx-|nvapi-|' +
  'lsv2_|tvly-|xox[abeoprs][-.]|xapp-|[MNO][DTjz][\\w-]{20}|hooks\\.slack|discord(?:app)?\\.com|webhook\\.office|' +
  'open\\.(?:feishu|larks)|oapi\\.ding|qyapi\\.w|SG\\.|key-[0-9a-f]|xkeysib-|SK[0-9a-f]{9}|[sr]k_(?:live|test|prod)_|whsec_|shp[acps]|' +
  'sq0|EAA|EZ[AT]K|glsa_|glc_|eyJ|NR[A-Z]{2}-|sntry|dt0|ntn_|secret_|lin_|fig[dor]_|pat[A-Za-z0-9]{14}|[12]/[0-9]{16}|' +
  'PMAK-|rdme_|tfp_|sl\\.|p8e-|LS0tLS1CRUdJTi';

/** What gives a secret away that is not written as it is used. */
const DISGUISE = /%[2-7][0-9A-Fa-f]|[\u00ad\u200b-\u200d\u2060\ufeff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/;

const inFormats = (): RegExp =>
  new RegExp(
    [
      `(?:(?<![A-Za-z0-9])|(?<=\\\\[nrtbfv0]|\\\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}))(?:${BEGINNINGS})[!-~]{5}`,
      // Shapes, which are known by something inside them.
      '[?&]\\w{2,9}=[!-~]{16}|:(?:[0-9]{4,5}|\\*):[\\w*-]+:[\\w*-]+:|\\$(?:2[aby]|apr1|[156y]|argon2\\w+)\\$|\\{S?SHA\\}',
      '\\.atlasv1\\.|[0-9]Q~|AZDO|:AA[\\w-]{9}|-us[0-9]|[0-9a-f]{8}\\.[A-Za-z0-9]{16}',
      DISGUISE.source,
    ].join('|'),
  );

/** So long a text nearly always shows a trace: to search it twice would take longer, in UTF-16 units. */
const LONG = 20_000;

/** Made at first use: to read them takes longer than to search a short text. */
let words: RegExp | undefined;
let formats: RegExp | undefined;

/** False where no rule would find a secret in `text`; nearly always, for what people and models say to each other. */
export function mayHoldSecret(text: string): boolean {
  if (text.length > LONG) return true;
  const lower = text.toLowerCase();
  if (TRACES.split(' ').some((trace) => lower.includes(trace)) && (words ??= inWords()).test(lower)) return true;
  return (/[!-~]{15}/.test(text) || DISGUISE.test(text)) && (formats ??= inFormats()).test(text);
}
