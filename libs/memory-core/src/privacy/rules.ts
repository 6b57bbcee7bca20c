/**
 * The formats by which keys and tokens of common services are known, one rule each. Formats are facts that the services
 * publish; every rule has a positive and a negative example in `rules.examples.ts`, which only tests load.
 */

export interface FormatRule {
  /** Stands in the mark: `[redacted:<id>]`. Several rules may share one. */
  readonly id: string;
  /**
   * The literal texts with which the secret begins: at least two characters, or it would be looked for everywhere. A
   * start counts behind anything but a letter or digit.
   */
  readonly starts: readonly string[];
  /**
   * Source of a regular expression for what follows, without groups that capture. It must not match quotes or blanks,
   * nor end on a backslash: a mark in its place leaves JSON valid.
   */
  readonly rest: string;
  /** Set where words could have the same form: the whole must also look random. */
  readonly random?: true;
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

/** Ends a format of fixed length. */
const END = '(?![A-Za-z0-9])';
const WORD = '[A-Za-z0-9_-]';
const ALNUM = '[A-Za-z0-9]';
const HEX = '[0-9a-f]';
const BASE64 = '[A-Za-z0-9+/]';
/** A slash of an address, which some write as `\/` in JSON. */
const SLASH = '\\\\?/';

export const FORMAT_RULES: readonly FormatRule[] = [
  // Clouds
  { id: 'aws-access-key', starts: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], rest: `[A-Z0-9]{16}${END}` },
  { id: 'aws-access-key', starts: ['A3T'], rest: `[A-Z0-9]{17}${END}` },
  { id: 'aws-bedrock-key', starts: ['ABSK', 'bedrock-api-key-'], rest: `${BASE64}{40,}={0,2}` },
  {
    id: 'signed-url',
    starts: ['X-Amz-Signature=', 'X-Goog-Signature=', 'X-Amz-Security-Token='],
    rest: '[A-Za-z0-9%+/=_-]{40,}',
  },
  { id: 'google-api-key', starts: ['AIza'], rest: `${WORD}{35}` },
  { id: 'google-oauth-token', starts: ['ya29.'], rest: `${WORD}{20,}` },
  { id: 'google-oauth-secret', starts: ['GOCSPX-'], rest: `${WORD}{20,}` },
  { id: 'google-refresh-token', starts: ['1//0'], rest: `${WORD}{30,}` },
  { id: 'azure-account-key', starts: ['AccountKey=', 'SharedAccessKey='], rest: `${BASE64}{40,}={0,2}` },
  { id: 'azure-sas-signature', starts: ['sig='], rest: '[A-Za-z0-9%+/]{40,}={0,2}' },
  { id: 'alibaba-access-key', starts: ['LTAI'], rest: `${ALNUM}{12,26}${END}`, random: true },
  { id: 'tencent-secret-id', starts: ['AKID'], rest: `${ALNUM}{32}${END}` },
  { id: 'volcengine-access-key', starts: ['AKLT'], rest: `${BASE64}{32,}={0,2}` },
  { id: 'baidu-api-key', starts: ['bce-v3/ALTAK-'], rest: `${ALNUM}{16,}/${HEX}{32,}` },
  { id: 'digitalocean-token', starts: ['doo_v1_', 'dop_v1_', 'dor_v1_'], rest: `${HEX}{64}` },
  { id: 'heroku-key', starts: ['HRKU-'], rest: `${WORD}{36,}` },
  { id: 'fly-token', starts: ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'], rest: '[A-Za-z0-9+/_-]{40,}={0,2}' },
  { id: 'cloudflare-origin-key', starts: ['v1.0-'], rest: `${HEX}{24}-${HEX}{100,}` },
  {
    id: 'vercel-token',
    starts: ['vercel_blob_rw_', 'vcp_', 'vck_', 'vca_', 'vci_', 'vcr_'],
    rest: '[A-Za-z0-9_]{30,}',
  },
  { id: 'netlify-token', starts: ['nfp_', 'nfc_', 'nfo_', 'nfu_'], rest: `${ALNUM}{36,}` },
  { id: 'supabase-key', starts: ['sbp_', 'sbp_v0_'], rest: `${HEX}{40}` },
  { id: 'supabase-key', starts: ['sb_secret_'], rest: `${WORD}{20,}` },
  { id: 'planetscale-token', starts: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], rest: '[A-Za-z0-9._=-]{32,}' },
  { id: 'databricks-token', starts: ['dapi'], rest: `${HEX}{32}(?:-[0-9])?${END}` },
  { id: 'openshift-token', starts: ['sha256~'], rest: `${WORD}{43}` },

  // Code hosting, packages, builds
  { id: 'github-token', starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], rest: '[A-Za-z0-9_]{36,}' },
  { id: 'github-token', starts: ['github_pat_'], rest: '[A-Za-z0-9_]{40,}' },
  {
    id: 'gitlab-token',
    starts: [
      ...[
        'glpat-',
        'gldt-',
        'glrt-',
        'glrtr-',
        'glcbt-',
        'glptt-',
        'glft-',
        'glimt-',
        'glagent-',
        'glsoat-',
        'glffct-',
      ],
      ...['gloas-', 'glwt-'],
    ],
    rest: `[A-Za-z0-9_.-]{19,}${WORD}`,
  },
  { id: 'gitlab-runner-token', starts: ['GR1348941'], rest: `${WORD}{20,}` },
  { id: 'bitbucket-token', starts: ['ATBB', 'ATCTT3'], rest: '[A-Za-z0-9_=-]{28,}' },
  { id: 'atlassian-token', starts: ['ATATT3'], rest: '[A-Za-z0-9_=-]{60,}' },
  { id: 'npm-token', starts: ['npm_'], rest: `${ALNUM}{36,}` },
  { id: 'pypi-token', starts: ['pypi-'], rest: `${WORD}{50,}` },
  { id: 'rubygems-key', starts: ['rubygems_'], rest: `${HEX}{48}` },
  { id: 'crates-token', starts: ['cio'], rest: `${ALNUM}{32}${END}`, random: true },
  { id: 'nuget-key', starts: ['oy2'], rest: `[a-z0-9]{43}${END}` },
  { id: 'clojars-token', starts: ['CLOJARS_'], rest: '[a-z0-9]{60}' },
  { id: 'docker-token', starts: ['dckr_pat_', 'dckr_oat_'], rest: `${WORD}{20,}` },
  { id: 'artifactory-key', starts: ['AKCp'], rest: `${ALNUM}{60,}` },
  { id: 'artifactory-key', starts: ['cmVmd'], rest: `${ALNUM}{59}${END}` },
  { id: 'sonar-token', starts: ['squ_', 'sqp_', 'sqa_'], rest: `${HEX}{40}${END}` },
  { id: 'circleci-token', starts: ['CCIPAT_', 'CCIPRJ_'], rest: `${ALNUM}+_${HEX}{40}` },
  { id: 'buildkite-token', starts: ['bkua_'], rest: `${HEX}{40}` },
  { id: 'pulumi-token', starts: ['pul-'], rest: `${HEX}{40}${END}` },
  {
    id: 'doppler-token',
    starts: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    rest: `[A-Za-z0-9._-]{39,}${WORD}`,
  },
  { id: 'vault-token', starts: ['hvs.', 'hvb.', 'hvr.'], rest: `${WORD}{24,}` },
  { id: 'prefect-key', starts: ['pnu_', 'pnb_'], rest: `${ALNUM}{36}${END}` },
  { id: 'tailscale-key', starts: ['tskey-'], rest: `[a-z]+-${ALNUM}{8,}-${ALNUM}{20,}` },
  { id: '1password-token', starts: ['ops_eyJ'], rest: '[A-Za-z0-9+/_-]{80,}={0,3}' },
  { id: '1password-key', starts: ['A3-'], rest: `(?:[A-Z0-9]{5,6}-){4,5}[A-Z0-9]{5}${END}` },
  { id: 'age-secret-key', starts: ['AGE-SECRET-KEY-1'], rest: '[0-9A-Z]{58}' },

  // Language models
  { id: 'anthropic-key', starts: ['sk-ant-'], rest: `[a-z0-9]+-${WORD}{20,}` },
  { id: 'openai-key', starts: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], rest: `${WORD}{20,}` },
  { id: 'openrouter-key', starts: ['sk-or-v1-', 'sk-or-'], rest: `${ALNUM}{32,}` },
  // OpenAI's first form, and the many services that copied it.
  { id: 'model-provider-key', starts: ['sk-'], rest: `${ALNUM}{32,}` },
  { id: 'model-provider-key', starts: ['sk-'], rest: `${WORD}{20,200}`, random: true },
  { id: 'huggingface-token', starts: ['hf_', 'api_org_'], rest: `${ALNUM}{34,}` },
  { id: 'replicate-token', starts: ['r8_'], rest: `${ALNUM}{37,}` },
  { id: 'groq-key', starts: ['gsk_'], rest: `${ALNUM}{40,}` },
  { id: 'xai-key', starts: ['xai-'], rest: `${ALNUM}{60,}` },
  { id: 'perplexity-key', starts: ['pplx-'], rest: `${ALNUM}{40,}` },
  { id: 'nvidia-key', starts: ['nvapi-'], rest: `${WORD}{60,}` },
  { id: 'langsmith-key', starts: ['lsv2_pt_', 'lsv2_sk_'], rest: `${HEX}{32}_${HEX}{10}` },
  { id: 'tavily-key', starts: ['tvly-'], rest: '[A-Za-z0-9-]{24,}', random: true },

  // Messages and mail
  {
    id: 'slack-token',
    starts: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxe.xoxb-', 'xoxe.xoxp-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'],
    rest: '[A-Za-z0-9-]{10,}',
  },
  { id: 'slack-token', starts: ['xapp-'], rest: '[0-9]-[A-Za-z0-9-]{20,}' },
  {
    id: 'slack-webhook',
    starts: ['hooks.slack.com'],
    rest: `${SLASH}(?:services|workflows|triggers)(?:${SLASH}${ALNUM}{6,}){2,}`,
  },
  {
    // The first part is the bot's decimal id in base64: two letters out of twelve pairs.
    id: 'discord-bot-token',
    starts: ['M', 'N', 'O'].flatMap((first) => ['D', 'T', 'j', 'z'].map((second) => first + second)),
    rest: `${WORD}{21,25}\\.${WORD}{6}\\.${WORD}{27,}`,
  },
  {
    id: 'discord-webhook',
    starts: ['discord.com', 'discordapp.com'],
    rest: `${SLASH}api${SLASH}webhooks${SLASH}[0-9]{17,20}${SLASH}${WORD}{40,}`,
  },
  {
    id: 'teams-webhook',
    starts: ['webhook.office.com'],
    rest: `${SLASH}webhookb2${SLASH}(?:[A-Za-z0-9@-]|${SLASH}){60,}`,
  },
  {
    id: 'feishu-webhook',
    starts: ['open.feishu.cn', 'open.larksuite.com'],
    rest: `${SLASH}open-apis${SLASH}bot${SLASH}v2${SLASH}hook${SLASH}[0-9a-f-]{32,}`,
  },
  {
    id: 'dingtalk-webhook',
    starts: ['oapi.dingtalk.com'],
    rest: `${SLASH}robot${SLASH}send\\?access_token=${HEX}{40,}`,
  },
  {
    id: 'wecom-webhook',
    starts: ['qyapi.weixin.qq.com'],
    rest: `${SLASH}cgi-bin${SLASH}webhook${SLASH}send\\?key=[0-9a-f-]{32,}`,
  },
  { id: 'sendgrid-key', starts: ['SG.'], rest: `${WORD}{16,}\\.${WORD}{20,}` },
  { id: 'mailgun-key', starts: ['key-'], rest: `${HEX}{32}${END}` },
  { id: 'brevo-key', starts: ['xkeysib-'], rest: `${HEX}{64}-${ALNUM}{16}` },
  { id: 'twilio-key', starts: ['SK'], rest: `${HEX}{32}${END}` },

  // Money and shops
  {
    id: 'stripe-key',
    starts: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'],
    rest: `${ALNUM}{10,}`,
  },
  { id: 'webhook-secret', starts: ['whsec_'], rest: `${BASE64}{24,}={0,2}` },
  { id: 'shopify-token', starts: ['shpat_', 'shpca_', 'shppa_', 'shpss_'], rest: '[0-9a-fA-F]{32}' },
  { id: 'square-token', starts: ['sq0atp-', 'sq0csp-', 'sq0idp-'], rest: `${WORD}{22,}` },
  { id: 'square-token', starts: ['EAAA'], rest: `${WORD}{60}${END}` },
  { id: 'easypost-key', starts: ['EZAK', 'EZTK'], rest: `${ALNUM}{54}${END}` },

  // Watching and measuring
  { id: 'grafana-token', starts: ['glsa_'], rest: `${ALNUM}{32}_[0-9a-fA-F]{8}` },
  { id: 'grafana-token', starts: ['glc_', 'eyJrIjoi'], rest: `${BASE64}{32,}={0,2}` },
  { id: 'newrelic-key', starts: ['NRAK-', 'NRII-', 'NRJS-', 'NRRA-', 'NRSP-', 'NRAA-'], rest: '[A-Za-z0-9-]{19,}' },
  { id: 'sentry-token', starts: ['sntrys_', 'sntryu_'], rest: '[A-Za-z0-9+/=_-]{60,}' },
  { id: 'dynatrace-token', starts: ['dt0'], rest: '[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}' },

  // Work
  { id: 'notion-token', starts: ['ntn_'], rest: `${ALNUM}{40,}` },
  { id: 'notion-token', starts: ['secret_'], rest: `${ALNUM}{43}${END}` },
  { id: 'linear-key', starts: ['lin_api_', 'lin_oauth_'], rest: `${ALNUM}{32,}` },
  { id: 'figma-token', starts: ['figd_', 'figo_', 'figr_'], rest: `${WORD}{40,}` },
  { id: 'airtable-token', starts: ['pat'], rest: `${ALNUM}{14}\\.${HEX}{64}` },
  { id: 'asana-token', starts: ['1/', '2/'], rest: `[0-9]{16}(?:/[0-9]{16})?:${HEX}{32}${END}` },
  { id: 'postman-key', starts: ['PMAK-'], rest: `${HEX}{24}-${HEX}{34}` },
  { id: 'readme-key', starts: ['rdme_'], rest: '[a-z0-9]{60,}' },
  { id: 'typeform-token', starts: ['tfp_'], rest: `${WORD}{40,}` },
  { id: 'dropbox-token', starts: ['sl.', 'sl.u.'], rest: `${WORD}{100,}` },
  { id: 'facebook-token', starts: ['EAA'], rest: `${ALNUM}{80,}` },
  { id: 'adobe-secret', starts: ['p8e-'], rest: `${WORD}{32}${END}` },

  // Of no single service. A JWT has two or four dots; cut off in a log, perhaps one.
  { id: 'jwt', starts: ['eyJ'], rest: `${WORD}{10,}(?:\\.${WORD}*){4}` },
  { id: 'jwt', starts: ['eyJ'], rest: `${WORD}{10,}\\.eyJ${WORD}{8,}\\.?${WORD}*` },
  {
    // The first lines of PEM keys in base64, as Kubernetes and build systems keep them.
    id: 'private-key',
    starts: [
      ...['LS0tLS1CRUdJTiBSU0EgUF', 'LS0tLS1CRUdJTiBQUklWQV', 'LS0tLS1CRUdJTiBFQyBQUk', 'LS0tLS1CRUdJTiBPUEVOU1'],
      ...['LS0tLS1CRUdJTiBFTkNSWV', 'LS0tLS1CRUdJTiBEU0EgUF', 'LS0tLS1CRUdJTiBQR1AgUF'],
    ],
    rest: `${BASE64}{60,}={0,2}`,
  },
];

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
