/**
 * One positive and one negative example per format. They live outside the rules so that they weigh nothing in a hook, and
 * are put together from pieces so that no scanner takes this file for a leak. Only tests import this.
 */

export interface FormatExample {
  readonly id: string;
  readonly secret: string;
  /** Much like it, and no secret. */
  readonly ordinary: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const ALNUM = LOWER + UPPER + DIGITS;
const BIG = UPPER + DIGITS;

let state = 20_240_607;

/** The same characters at every run: a failing example can be looked at. */
function some(length: number, alphabet = ALNUM): string {
  let text = '';
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += alphabet[(state >>> 16) % alphabet.length];
  }
  return text;
}

/** JSON in base64url, as the parts of a JWT are. */
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const UUID = `${some(8, HEX)}-${some(4, HEX)}-${some(4, HEX)}-${some(4, HEX)}-${some(12, HEX)}`;

export const FORMAT_EXAMPLES: readonly FormatExample[] = [
  { id: 'aws-access-key', secret: `AKIA${'IOSFODNN7'}${'EXAMPLE'}`, ordinary: 'AKIA_REGION_NAMES' },
  { id: 'aws-access-key', secret: `ASIA${some(16, BIG)}`, ordinary: 'ASIAPACIFICREGIONSLIST' },
  { id: 'aws-access-key', secret: `A3T${some(17, BIG)}`, ordinary: 'A3T-2024' },
  { id: 'aws-bedrock-key', secret: `ABSK${some(120)}=`, ordinary: 'ABSKbase' },
  { id: 'aws-bedrock-key', secret: `bedrock-api-key-${some(60)}`, ordinary: 'bedrock-api-key-rotation' },
  { id: 'signed-url', secret: `X-Amz-Signature=${some(64, HEX)}`, ordinary: 'X-Amz-Signature=hex' },
  { id: 'google-api-key', secret: `AIza${some(35)}`, ordinary: 'AIzawa-san' },
  { id: 'google-oauth-token', secret: `ya29.${some(60)}`, ordinary: 'ya29.example' },
  { id: 'google-oauth-secret', secret: `GOCSPX-${some(28)}`, ordinary: 'GOCSPX-prefix' },
  { id: 'google-refresh-token', secret: `1//0${some(40)}`, ordinary: '1//0.5' },
  { id: 'azure-account-key', secret: `AccountKey=${some(86)}==`, ordinary: 'AccountKey=value' },
  { id: 'azure-sas-signature', secret: `sig=${some(43)}%3D`, ordinary: 'sig=name' },
  { id: 'alibaba-access-key', secret: `LTAI5t${some(18)}`, ordinary: 'LTAImplementationNotes' },
  { id: 'tencent-secret-id', secret: `AKID${some(32)}`, ordinary: 'AKIDENTIFIER' },
  { id: 'volcengine-access-key', secret: `AKLT${some(43)}==`, ordinary: 'AKLT_PREFIX' },
  { id: 'baidu-api-key', secret: `bce-v3/ALTAK-${some(21)}/${some(40, HEX)}`, ordinary: 'bce-v3/ALTAK-id/key' },
  { id: 'digitalocean-token', secret: `dop_v1_${some(64, HEX)}`, ordinary: 'dop_v1_docs' },
  { id: 'heroku-key', secret: `HRKU-${some(60)}`, ordinary: 'HRKU-docs' },
  { id: 'fly-token', secret: `fm2_${some(120)}`, ordinary: 'fm2_station' },
  { id: 'cloudflare-origin-key', secret: `v1.0-${some(24, HEX)}-${some(146, HEX)}`, ordinary: 'v1.0-beta-2' },
  { id: 'vercel-token', secret: `vercel_blob_rw_${some(40)}`, ordinary: 'vercel_blob_rw_docs' },
  { id: 'netlify-token', secret: `nfp_${some(36)}`, ordinary: 'nfp_count' },
  { id: 'supabase-key', secret: `sbp_${some(40, HEX)}`, ordinary: 'sbp_docs' },
  { id: 'supabase-key', secret: `sb_secret_${some(31)}`, ordinary: 'sb_secret_name' },
  { id: 'planetscale-token', secret: `pscale_tkn_${some(43)}`, ordinary: 'pscale_tkn_id' },
  { id: 'databricks-token', secret: `dapi${some(32, HEX)}`, ordinary: 'dapi-deadbeef' },
  { id: 'openshift-token', secret: `sha256~${some(43)}`, ordinary: `sha256:${some(64, HEX)}` },
  { id: 'github-token', secret: `ghp_${some(36)}`, ordinary: 'ghp_example' },
  { id: 'github-token', secret: `github_pat_${some(22)}_${some(59)}`, ordinary: 'github_pat_expiry' },
  { id: 'gitlab-token', secret: `glpat-${some(20)}`, ordinary: 'glpat-token' },
  { id: 'gitlab-runner-token', secret: `GR1348941${some(20)}`, ordinary: 'GR1348941' },
  { id: 'bitbucket-token', secret: `ATBB${some(32)}`, ordinary: 'ATBBS' },
  { id: 'atlassian-token', secret: `ATATT3${some(186)}`, ordinary: 'ATATT3-prefix' },
  { id: 'npm-token', secret: `npm_${some(36)}`, ordinary: 'npm_config_registry_with_a_long_name_indeed' },
  { id: 'pypi-token', secret: `pypi-AgEIcHlwaS5vcmc${some(100)}`, ordinary: 'pypi-publish-action' },
  { id: 'rubygems-key', secret: `rubygems_${some(48, HEX)}`, ordinary: 'rubygems_version' },
  { id: 'crates-token', secret: `cio${some(32)}`, ordinary: 'cioccolatocioccolatocioccolatocioccol' },
  { id: 'nuget-key', secret: `oy2${some(43, LOWER + DIGITS)}`, ordinary: 'oy2m' },
  { id: 'clojars-token', secret: `CLOJARS_${some(60, HEX)}`, ordinary: 'CLOJARS_USERNAME' },
  { id: 'docker-token', secret: `dckr_pat_${some(27)}`, ordinary: 'dckr_pat_docs' },
  { id: 'artifactory-key', secret: `AKCp${some(69)}`, ordinary: 'AKCprefix' },
  { id: 'sonar-token', secret: `squ_${some(40, HEX)}`, ordinary: 'squ_are' },
  { id: 'circleci-token', secret: `CCIPAT_${some(22)}_${some(40, HEX)}`, ordinary: 'CCIPAT_docs' },
  { id: 'buildkite-token', secret: `bkua_${some(40, HEX)}`, ordinary: 'bkua_docs' },
  { id: 'pulumi-token', secret: `pul-${some(40, HEX)}`, ordinary: 'pul-request' },
  { id: 'terraform-token', secret: `${some(14)}.atlasv1.${some(67)}`, ordinary: 'x.atlasv1.y' },
  { id: 'doppler-token', secret: `dp.pt.${some(43)}`, ordinary: 'dp.pt.x' },
  { id: 'vault-token', secret: `hvs.${some(95)}`, ordinary: 'hvs.length' },
  { id: 'prefect-key', secret: `pnu_${some(36)}`, ordinary: 'pnu_matic' },
  { id: 'tailscale-key', secret: `tskey-auth-${some(12)}CNTRL-${some(32)}`, ordinary: 'tskey-auth-docs' },
  { id: '1password-token', secret: `ops_eyJ${some(250)}`, ordinary: 'ops_eyJ' },
  {
    id: '1password-key',
    secret: `A3-${some(6, BIG)}-${some(6, BIG)}-${some(5, BIG)}-${some(5, BIG)}-${some(5, BIG)}-${some(5, BIG)}`,
    ordinary: 'A3-SIZE-PAPER',
  },
  { id: 'age-secret-key', secret: `AGE-SECRET-KEY-1${some(58, BIG)}`, ordinary: 'AGE-SECRET-KEY-1...' },
  { id: 'wallet-key', secret: `xprv${some(107)}`, ordinary: 'xprv9s21ZrQ' },
  { id: 'signing-key', secret: `RWRTY0Iy${some(202)}==`, ordinary: 'RWRTY0Iy' },
  {
    id: 'otp-secret',
    secret: `otpauth-migration://offline?data=${some(60)}%3D`,
    ordinary: 'otpauth-migration://offline?data=',
  },
  { id: 'jenkins-secret', secret: `{AQAAABAAAA${some(43)}=}`, ordinary: '{AQAAABAAAA}' },
  { id: 'anthropic-key', secret: `sk-ant-api03-${some(93)}AA`, ordinary: 'sk-ant-docs' },
  { id: 'openai-key', secret: `sk-proj-${some(74)}T3BlbkFJ${some(74)}`, ordinary: 'sk-proj-settings' },
  { id: 'openrouter-key', secret: `sk-or-v1-${some(64, HEX)}`, ordinary: 'sk-or-v1-docs' },
  { id: 'model-provider-key', secret: `sk-${some(48)}`, ordinary: 'sk-fading-circle-animation-delay' },
  { id: 'zhipu-key', secret: `${some(32, HEX)}.${some(16)}`, ordinary: `${some(32, HEX)}.js` },
  { id: 'huggingface-token', secret: `hf_${some(34)}`, ordinary: 'hf_hub_download' },
  { id: 'replicate-token', secret: `r8_${some(37)}`, ordinary: 'r8_dex' },
  { id: 'groq-key', secret: `gsk_${some(52)}`, ordinary: 'gsk_renderer' },
  { id: 'xai-key', secret: `xai-${some(80)}`, ordinary: 'xai-org' },
  { id: 'perplexity-key', secret: `pplx-${some(48)}`, ordinary: 'pplx-70b-online' },
  { id: 'nvidia-key', secret: `nvapi-${some(64)}`, ordinary: 'nvapi-docs' },
  { id: 'langsmith-key', secret: `lsv2_pt_${some(32, HEX)}_${some(10, HEX)}`, ordinary: 'lsv2_pt_docs' },
  { id: 'tavily-key', secret: `tvly-${some(32)}`, ordinary: 'tvly-development-keys-and-more' },
  { id: 'slack-token', secret: `xoxb-${some(12, DIGITS)}-${some(12, DIGITS)}-${some(24)}`, ordinary: 'xoxb-docs' },
  {
    id: 'slack-token',
    secret: `xapp-1-${some(11, BIG)}-${some(13, DIGITS)}-${some(64, HEX)}`,
    ordinary: 'xapp-1-docs',
  },
  {
    id: 'slack-webhook',
    secret: `hooks.slack.com/services/T${some(8, BIG)}/B${some(10, BIG)}/${some(24)}`,
    ordinary: 'hooks.slack.com/services/T/B/x',
  },
  {
    id: 'discord-bot-token',
    secret: `${Buffer.from(`1${some(17, DIGITS)}`).toString('base64url')}.G${some(5)}.${some(38)}`,
    ordinary: 'MTAwMDAw.txt',
  },
  {
    id: 'discord-webhook',
    secret: `discord.com/api/webhooks/${some(18, DIGITS)}/${some(68)}`,
    ordinary: 'discord.com/api/webhooks/id/token',
  },
  {
    id: 'teams-webhook',
    secret: `webhook.office.com/webhookb2/${UUID}@${UUID}/IncomingWebhook/${some(32, HEX)}/${UUID}`,
    ordinary: 'webhook.office.com/webhookb2/docs',
  },
  {
    id: 'feishu-webhook',
    secret: `open.feishu.cn/open-apis/bot/v2/hook/${UUID}`,
    ordinary: 'open.feishu.cn/open-apis/bot/v2/hook/xxx',
  },
  {
    id: 'dingtalk-webhook',
    secret: `oapi.dingtalk.com/robot/send?access_token=${some(64, HEX)}`,
    ordinary: 'oapi.dingtalk.com/robot/send',
  },
  {
    id: 'wecom-webhook',
    secret: `qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${UUID}`,
    ordinary: 'qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x',
  },
  { id: 'telegram-bot-token', secret: `${some(9, '123456789')}:AA${some(33)}`, ordinary: '12:AA:BB:CC' },
  { id: 'sendgrid-key', secret: `SG.${some(22)}.${some(43)}`, ordinary: 'SG.name' },
  { id: 'mailgun-key', secret: `key-${some(32, HEX)}`, ordinary: 'key-value' },
  { id: 'mailchimp-key', secret: `${some(32, HEX)}-us21`, ordinary: 'en-us21' },
  { id: 'brevo-key', secret: `xkeysib-${some(64, HEX)}-${some(16)}`, ordinary: 'xkeysib-docs' },
  { id: 'twilio-key', secret: `SK${some(32, HEX)}`, ordinary: 'SKELETON' },
  { id: 'stripe-key', secret: `sk_live_${some(24)}`, ordinary: 'sk_live_key' },
  { id: 'webhook-secret', secret: `whsec_${some(32)}`, ordinary: 'whsec_name' },
  { id: 'shopify-token', secret: `shpat_${some(32, HEX)}`, ordinary: 'shpat_docs' },
  { id: 'square-token', secret: `sq0atp-${some(22)}`, ordinary: 'sq0atp-docs' },
  { id: 'square-token', secret: `EAAA${some(60)}`, ordinary: 'EAAAAAA' },
  { id: 'easypost-key', secret: `EZAK${some(54)}`, ordinary: 'EZAKwords' },
  { id: 'grafana-token', secret: `glsa_${some(32)}_${some(8, HEX)}`, ordinary: 'glsa_docs' },
  { id: 'grafana-token', secret: `glc_${some(80)}`, ordinary: 'glc_docs' },
  { id: 'newrelic-key', secret: `NRAK-${some(27, BIG)}`, ordinary: 'NRAK-docs' },
  { id: 'sentry-token', secret: `sntryu_${some(64, HEX)}`, ordinary: 'sntryu_docs' },
  { id: 'dynatrace-token', secret: `dt0c01.${some(24, BIG)}.${some(64, BIG)}`, ordinary: 'dt0c01.public.secret' },
  { id: 'notion-token', secret: `ntn_${some(46)}`, ordinary: 'ntn_docs' },
  { id: 'notion-token', secret: `secret_${some(43)}`, ordinary: 'secret_manager_client' },
  { id: 'linear-key', secret: `lin_api_${some(40)}`, ordinary: 'lin_api_docs' },
  { id: 'figma-token', secret: `figd_${some(43)}`, ordinary: 'figd_docs' },
  { id: 'airtable-token', secret: `pat${some(14)}.${some(64, HEX)}`, ordinary: 'pattern.match' },
  { id: 'asana-token', secret: `1/${some(16, DIGITS)}:${some(32, HEX)}`, ordinary: '1/2:3' },
  { id: 'postman-key', secret: `PMAK-${some(24, HEX)}-${some(34, HEX)}`, ordinary: 'PMAK-docs' },
  { id: 'readme-key', secret: `rdme_${some(70, LOWER + DIGITS)}`, ordinary: 'rdme_docs' },
  { id: 'typeform-token', secret: `tfp_${some(59)}`, ordinary: 'tfp_docs' },
  { id: 'dropbox-token', secret: `sl.${some(135)}`, ordinary: 'sl.length' },
  { id: 'facebook-token', secret: `EAACEdEose0cBA${some(100)}`, ordinary: 'EAAccess' },
  { id: 'adobe-secret', secret: `p8e-${some(32)}`, ordinary: 'p8e-docs' },
  { id: 'azure-client-secret', secret: `${some(3)}8Q~${some(34)}`, ordinary: 'Q~A' },
  { id: 'azure-devops-token', secret: `${some(76)}AZDO${some(4)}`, ordinary: 'AZDO_TOKEN' },
  { id: 'password-hash', secret: `$2b$10$${some(53)}`, ordinary: '$2b$10$' },
  { id: 'password-hash', secret: `$apr1$${some(8)}$${some(22)}`, ordinary: '$apr1$salt$hash' },
  { id: 'password-hash', secret: `$6$rounds=5000$${some(12)}$${some(86)}`, ordinary: '$6$salt$hash' },
  { id: 'password-hash', secret: `$y$j9T$${some(22)}$${some(43)}`, ordinary: '$y$j9T' },
  {
    id: 'password-hash',
    secret: `$argon2id$v=19$m=65536,t=3,p=4$${some(22)}$${some(43)}`,
    ordinary: '$argon2id$v=19$m=65536',
  },
  { id: 'password-hash', secret: `{SHA}${some(27)}=`, ordinary: '{SHA}base64' },
  { id: 'password-hash', secret: `{SSHA}${some(40)}`, ordinary: '{SSHA}base64' },
  {
    id: 'jwt',
    secret: `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: '1234567890' })}.${some(43)}`,
    ordinary: 'eyJhbGciOi...',
  },
  {
    id: 'private-key',
    secret: Buffer.from(`-----BEGIN RSA ${'PRIVATE'} KEY-----\n${some(200)}`)
      .toString('base64')
      .replace(/=+$/, ''),
    ordinary: Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64'),
  },
];
