/**
 * The formats by which keys and tokens of common services are known, one rule each. Formats are facts that the services
 * publish; every rule has a positive and a negative example in `rules.examples.ts`, which only tests load.
 */

/** One format: `[id, starts, rest, random]`, in a form that costs a hook's bundle few bytes. */
type FormatRow = readonly [
  /** Stands in the mark: `[redacted:<id>]`. Several rows may share one. */
  id: string,
  /**
   * The literal texts with which the secret begins, separated by blanks: each of at least two characters, or it would be
   * looked for everywhere. A start counts behind anything but a letter or digit.
   */
  starts: string,
  /**
   * Source of a regular expression for what follows, without groups that capture. It must not match quotes or blanks,
   * nor end on a backslash: a mark in its place leaves JSON valid.
   */
  rest: string,
  /** Set where words could have the same form: the whole must also look random. */
  random?: 'random',
];

export interface FormatRule {
  readonly id: string;
  readonly starts: readonly string[];
  readonly rest: string;
  readonly random: boolean;
}

/** Formats that begin with anything: found by something rare inside them, at most 100 characters from either end. */
export interface ShapeRule {
  readonly id: string;
  /** Source of a regular expression that is fast to look for: it begins with a literal. */
  readonly anchor: string;
  /** Source of a regular expression, under the same conditions as above. */
  readonly pattern: string;
  readonly random?: true;
}

/**
 * A secret is at least so many visible ASCII characters in a row: the shortest format, the shortest shape. Most sentences
 * have no such run. A test holds every rule against them.
 */
export const SHORTEST_FORMAT = 15;
export const SHORTEST_SHAPE = 36;

/** Ends a format of fixed length. */
const END = '(?![A-Za-z0-9])';
const WORD = '[A-Za-z0-9_-]';
const ALNUM = '[A-Za-z0-9]';
const HEX = '[0-9a-f]';
const BASE64 = '[A-Za-z0-9+/]';
/** A slash of an address, which some write as `\/` in JSON. */
const SLASH = '\\\\?/';

const FORMATS: readonly FormatRow[] = [
  // Clouds
  ['aws-access-key', 'AKIA ASIA ABIA ACCA', `[A-Z0-9]{16}${END}`],
  ['aws-access-key', 'A3T', `[A-Z0-9]{17}${END}`],
  ['aws-bedrock-key', 'ABSK bedrock-api-key-', `${BASE64}{40,}={0,2}`],
  ['signed-url', 'X-Amz-Signature= X-Goog-Signature= X-Amz-Security-Token=', '[A-Za-z0-9%+/=_-]{40,}'],
  ['google-api-key', 'AIza', `${WORD}{35}`],
  ['google-oauth-token', 'ya29.', `${WORD}{20,}`],
  ['google-oauth-secret', 'GOCSPX-', `${WORD}{20,}`],
  ['google-refresh-token', '1//0', `${WORD}{30,}`],
  ['azure-account-key', 'AccountKey= SharedAccessKey=', `${BASE64}{40,}={0,2}`],
  ['azure-sas-signature', 'sig=', '[A-Za-z0-9%+/]{40,}={0,2}'],
  ['alibaba-access-key', 'LTAI', `${ALNUM}{12,26}${END}`, 'random'],
  ['tencent-secret-id', 'AKID', `${ALNUM}{32}${END}`],
  ['volcengine-access-key', 'AKLT', `${BASE64}{32,}={0,2}`],
  ['baidu-api-key', 'bce-v3/ALTAK-', `${ALNUM}{16,}/${HEX}{32,}`],
  ['digitalocean-token', 'doo_v1_ dop_v1_ dor_v1_', `${HEX}{64}`],
  ['heroku-key', 'HRKU-', `${WORD}{36,}`],
  ['fly-token', 'fo1_ fm1a_ fm1r_ fm2_', '[A-Za-z0-9+/_-]{40,}={0,2}'],
  ['cloudflare-origin-key', 'v1.0-', `${HEX}{24}-${HEX}{100,}`],
  ['vercel-token', 'vercel_blob_rw_ vcp_ vck_ vca_ vci_ vcr_', '[A-Za-z0-9_]{30,}'],
  ['netlify-token', 'nfp_ nfc_ nfo_ nfu_', `${ALNUM}{36,}`],
  ['supabase-key', 'sbp_ sbp_v0_', `${HEX}{40}`],
  ['supabase-key', 'sb_secret_', `${WORD}{20,}`],
  ['planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', '[A-Za-z0-9._=-]{32,}'],
  ['databricks-token', 'dapi', `${HEX}{32}(?:-[0-9])?${END}`],
  ['openshift-token', 'sha256~', `${WORD}{43}`],

  // Code hosting, packages, builds
  ['github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', '[A-Za-z0-9_]{36,}'],
  ['github-token', 'github_pat_', '[A-Za-z0-9_]{40,}'],
  [
    'gitlab-token',
    'glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- glwt-',
    `[A-Za-z0-9_.-]{19,}${WORD}`,
  ],
  ['gitlab-runner-token', 'GR1348941', `${WORD}{20,}`],
  ['bitbucket-token', 'ATBB ATCTT3', '[A-Za-z0-9_=-]{28,}'],
  ['atlassian-token', 'ATATT3', '[A-Za-z0-9_=-]{60,}'],
  ['npm-token', 'npm_', `${ALNUM}{36,}`],
  ['pypi-token', 'pypi-', `${WORD}{50,}`],
  ['rubygems-key', 'rubygems_', `${HEX}{48}`],
  ['crates-token', 'cio', `${ALNUM}{32}${END}`, 'random'],
  ['nuget-key', 'oy2', `[a-z0-9]{43}${END}`],
  ['clojars-token', 'CLOJARS_', '[a-z0-9]{60}'],
  ['docker-token', 'dckr_pat_ dckr_oat_', `${WORD}{20,}`],
  ['artifactory-key', 'AKCp', `${ALNUM}{60,}`],
  ['artifactory-key', 'cmVmd', `${ALNUM}{59}${END}`],
  ['sonar-token', 'squ_ sqp_ sqa_', `${HEX}{40}${END}`],
  ['circleci-token', 'CCIPAT_ CCIPRJ_', `${ALNUM}+_${HEX}{40}`],
  ['buildkite-token', 'bkua_', `${HEX}{40}`],
  ['pulumi-token', 'pul-', `${HEX}{40}${END}`],
  ['doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', `[A-Za-z0-9._-]{39,}${WORD}`],
  ['vault-token', 'hvs. hvb. hvr.', `${WORD}{24,}`],
  ['prefect-key', 'pnu_ pnb_', `${ALNUM}{36}${END}`],
  ['tailscale-key', 'tskey-', `[a-z]+-${ALNUM}{8,}-${ALNUM}{20,}`],
  ['1password-token', 'ops_eyJ', '[A-Za-z0-9+/_-]{80,}={0,3}'],
  ['1password-key', 'A3-', `(?:[A-Z0-9]{5,6}-){4,5}[A-Z0-9]{5}${END}`],
  ['age-secret-key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{58}'],

  // Language models
  ['anthropic-key', 'sk-ant-', `[a-z0-9]+-${WORD}{20,}`],
  ['openai-key', 'sk-proj- sk-svcacct- sk-admin- sk-None-', `${WORD}{20,}`],
  ['openrouter-key', 'sk-or-v1- sk-or-', `${ALNUM}{32,}`],
  // OpenAI's first form, and the many services that copied it.
  ['model-provider-key', 'sk-', `${ALNUM}{32,}`],
  ['model-provider-key', 'sk-', `${WORD}{20,200}`, 'random'],
  ['huggingface-token', 'hf_ api_org_', `${ALNUM}{34,}`],
  ['replicate-token', 'r8_', `${ALNUM}{37,}`],
  ['groq-key', 'gsk_', `${ALNUM}{40,}`],
  ['xai-key', 'xai-', `${ALNUM}{60,}`],
  ['perplexity-key', 'pplx-', `${ALNUM}{40,}`],
  ['nvidia-key', 'nvapi-', `${WORD}{60,}`],
  ['langsmith-key', 'lsv2_pt_ lsv2_sk_', `${HEX}{32}_${HEX}{10}`],
  ['tavily-key', 'tvly-', '[A-Za-z0-9-]{24,}', 'random'],

  // Messages and mail
  ['slack-token', 'xoxa- xoxb- xoxe- xoxe.xoxb- xoxe.xoxp- xoxo- xoxp- xoxr- xoxs-', '[A-Za-z0-9-]{10,}'],
  ['slack-token', 'xapp-', '[0-9]-[A-Za-z0-9-]{20,}'],
  ['slack-webhook', 'hooks.slack.com', `${SLASH}(?:services|workflows|triggers)(?:${SLASH}${ALNUM}{6,}){2,}`],
  // The first part is the bot's decimal id in base64: two letters out of twelve pairs.
  ['discord-bot-token', 'MD MT Mj Mz ND NT Nj Nz OD OT Oj Oz', `${WORD}{21,25}\\.${WORD}{6}\\.${WORD}{27,}`],
  [
    'discord-webhook',
    'discord.com discordapp.com',
    `${SLASH}api${SLASH}webhooks${SLASH}[0-9]{17,20}${SLASH}${WORD}{40,}`,
  ],
  ['teams-webhook', 'webhook.office.com', `${SLASH}webhookb2${SLASH}(?:[A-Za-z0-9@-]|${SLASH}){60,}`],
  [
    'feishu-webhook',
    'open.feishu.cn open.larksuite.com',
    `${SLASH}open-apis${SLASH}bot${SLASH}v2${SLASH}hook${SLASH}[0-9a-f-]{32,}`,
  ],
  ['dingtalk-webhook', 'oapi.dingtalk.com', `${SLASH}robot${SLASH}send\\?access_token=${HEX}{40,}`],
  ['wecom-webhook', 'qyapi.weixin.qq.com', `${SLASH}cgi-bin${SLASH}webhook${SLASH}send\\?key=[0-9a-f-]{32,}`],
  ['sendgrid-key', 'SG.', `${WORD}{16,}\\.${WORD}{20,}`],
  ['mailgun-key', 'key-', `${HEX}{32}${END}`],
  ['brevo-key', 'xkeysib-', `${HEX}{64}-${ALNUM}{16}`],
  ['twilio-key', 'SK', `${HEX}{32}${END}`],

  // Money and shops
  ['stripe-key', 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_', `${ALNUM}{10,}`],
  ['webhook-secret', 'whsec_', `${BASE64}{24,}={0,2}`],
  ['shopify-token', 'shpat_ shpca_ shppa_ shpss_', '[0-9a-fA-F]{32}'],
  ['square-token', 'sq0atp- sq0csp- sq0idp-', `${WORD}{22,}`],
  ['square-token', 'EAAA', `${WORD}{60}${END}`],
  ['easypost-key', 'EZAK EZTK', `${ALNUM}{54}${END}`],

  // Watching and measuring
  ['grafana-token', 'glsa_', `${ALNUM}{32}_[0-9a-fA-F]{8}`],
  ['grafana-token', 'glc_ eyJrIjoi', `${BASE64}{32,}={0,2}`],
  ['newrelic-key', 'NRAK- NRII- NRJS- NRRA- NRSP- NRAA-', '[A-Za-z0-9-]{19,}'],
  ['sentry-token', 'sntrys_ sntryu_', '[A-Za-z0-9+/=_-]{60,}'],
  ['dynatrace-token', 'dt0', '[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}'],

  // Work
  ['notion-token', 'ntn_', `${ALNUM}{40,}`],
  ['notion-token', 'secret_', `${ALNUM}{43}${END}`],
  ['linear-key', 'lin_api_ lin_oauth_', `${ALNUM}{32,}`],
  ['figma-token', 'figd_ figo_ figr_', `${WORD}{40,}`],
  ['airtable-token', 'pat', `${ALNUM}{14}\\.${HEX}{64}`],
  ['asana-token', '1/ 2/', `[0-9]{16}(?:/[0-9]{16})?:${HEX}{32}${END}`],
  ['postman-key', 'PMAK-', `${HEX}{24}-${HEX}{34}`],
  ['readme-key', 'rdme_', '[a-z0-9]{60,}'],
  ['typeform-token', 'tfp_', `${WORD}{40,}`],
  ['dropbox-token', 'sl. sl.u.', `${WORD}{100,}`],
  ['facebook-token', 'EAA', `${ALNUM}{80,}`],
  ['adobe-secret', 'p8e-', `${WORD}{32}${END}`],

  // Of no single service. A JWT has two or four dots; cut off in a log, perhaps one.
  ['jwt', 'eyJ', `${WORD}{10,}(?:\\.${WORD}*){4}`],
  ['jwt', 'eyJ', `${WORD}{10,}\\.eyJ${WORD}{8,}\\.?${WORD}*`],
  // The first lines of PEM keys in base64, as Kubernetes and build systems keep them.
  [
    'private-key',
    'LS0tLS1CRUdJTiBSU0EgUF LS0tLS1CRUdJTiBQUklWQV LS0tLS1CRUdJTiBFQyBQUk LS0tLS1CRUdJTiBPUEVOU1 LS0tLS1CRUdJTiBFTkNSWV LS0tLS1CRUdJTiBEU0EgUF LS0tLS1CRUdJTiBQR1AgUF',
    `${BASE64}{60,}={0,2}`,
  ],
];

/** The table above as rules; made when a text needs them, which most do not. */
export function formatRules(): readonly FormatRule[] {
  return FORMATS.map(([id, starts, rest, random]) => ({
    id,
    starts: starts.split(' '),
    rest,
    random: random !== undefined,
  }));
}

export const SHAPE_RULES: readonly ShapeRule[] = [
  { id: 'terraform-token', anchor: '\\.atlasv1\\.', pattern: `${ALNUM}{14}\\.atlasv1\\.${WORD}{50,}` },
  { id: 'azure-client-secret', anchor: 'Q~', pattern: `[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}${END}` },
  { id: 'azure-devops-token', anchor: 'AZDO', pattern: `${ALNUM}{76}AZDO${ALNUM}{4}${END}` },
  { id: 'telegram-bot-token', anchor: ':AA', pattern: `[0-9]{8,10}:AA${WORD}{33}${END}` },
  { id: 'mailchimp-key', anchor: '-us', pattern: `${HEX}{32}-us[0-9]{1,2}${END}` },
  {
    id: 'zhipu-key',
    anchor: `\\.(?<=[0-9a-f]{8}\\.)${ALNUM}{16}`,
    pattern: `${HEX}{32}\\.${ALNUM}{16}${END}`,
    random: true,
  },
];
