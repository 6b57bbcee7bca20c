/**
 * The formats by which keys and tokens of common services are known, one rule each. Formats are facts that the services
 * publish; every rule has a positive and a negative example in `rules.examples.ts`, which only tests load.
 */

import { SHAPE_ANCHORS, startGroups, type ShapeName } from './format-starts.ts';

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
  readonly random: boolean;
}

/** What a pattern in the tables below may call by a short name: a hook's bundle carries them all. */
const NAMES: Readonly<Record<string, string>> = {
  a: '[A-Za-z0-9]',
  b: '[A-Za-z0-9+/]',
  h: '[0-9a-f]',
  w: '[A-Za-z0-9_-]',
  /** A UUID. */
  u: '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  /** Inside of brackets. */
  z: 'A-Za-z0-9',
  '.': '\\.',
  '?': '\\?',
  /** A slash of an address, which some write as `\/` in JSON. */
  '/': '\\\\?/',
  /** What base64 is filled up with. */
  '=': '={0,2}',
  /** Ends a format of fixed length. */
  $: '(?![A-Za-z0-9])',
};

function written(pattern: string): string {
  return pattern.replace(/@([abhuwz.?/=$])/g, (_short, name: string) => NAMES[name] ?? '');
}

/**
 * One format a line: the id that stands in the mark (several lines may share one), a regular expression for what follows,
 * and the first of the literal texts with which the secret begins (`format-starts.ts`). `?` before the id: words could have
 * the same form, so the whole must also look random.
 *
 * A start counts behind anything but a letter or digit. What follows must not match quotes or blanks, nor end on a
 * backslash: a mark in its place leaves JSON valid.
 */
const FORMATS: readonly string[] = [
  // Clouds
  `aws-access-key [A-Z0-9]{16}@$ AKIA
aws-access-key [A-Z0-9]{17}@$ A3T
aws-bedrock-key @b{40,}@= ABSK
signed-url [@z%+/=_-]{40,} X-Amz-Signature=
google-api-key @w{35} AIza
google-oauth-token @w{20,} ya29.
google-oauth-secret @w{20,} GOCSPX-
google-refresh-token @w{30,} 1//0
azure-account-key @b{40,}@= AccountKey=
azure-sas-signature [@z%+/]{40,}@= sig=
?alibaba-access-key @a{12,26}@$ LTAI
tencent-secret-id @a{32}@$ AKID
volcengine-access-key @b{32,}@= AKLT
baidu-api-key @a{16,}/@h{32,} bce-v3/ALTAK-
digitalocean-token @h{64} doo_v1_
heroku-key @w{36,} HRKU-
fly-token [@z+/_-]{40,}@= fo1_
cloudflare-origin-key @h{24}-@h{100,} v1.0-
vercel-token [@z_]{30,} vercel_blob_rw_
netlify-token @a{36,} nfp_
supabase-key @h{40} sbp_
supabase-key @w{20,} sb_secret_
planetscale-token [@z._=-]{32,} pscale_tkn_
databricks-token @h{32}(?:-[0-9])?@$ dapi
openshift-token @w{43} sha256~
aws-session-token @b{100,}@= IQoJb3JpZ2lu
aws-appsync-key [a-z0-9]{26}@$ da2-
amazon-login-secret @h{64} amzn1.oa2-cs.v1.
amazon-login-token [@z+/=_-]{60,} Atza|
google-api-key @w{40,} AQ.Ab8R
google-push-key @w{7}:APA91b@w{100,} AAAA
entra-refresh-token @w{50,}(?:@.[0-9])?@.Ag@w{200,}(?:@.@w+)* 0.A
cloudflare-token @w{40,} cfut_
cloudflare-tunnel-token [@z+/_-]{80,}@=(?:@.@w+)* eyJhIjoi
akamai-token [a-z0-9]{16}-[a-z0-9]{16}@$ akab-
?backblaze-key [0-9]@b{27}@$ K00
?render-key @a{28,} rnd_
deno-token @a{36}@$ ddp_
neon-key [a-z0-9]{50,} napi_
aiven-password @w{16,} AVNS_
mongodb-atlas-secret @w{40} mdb_sa_sk_
cockroach-key @a{20,}_@a{36,} CCDB1_
?clickhouse-key (?!@h{38})@a{38}@$ 4b1d
confluent-key @b{60}@$ cflt
elastic-key @b{40,}@= essu_
mapbox-token @w{20,}@.@w{20,} sk.eyJ
tinybird-token @w{20,}@.@w{20,} p.eyJ
yandex-key @w{35,} AQVN
yandex-token @w{50,} y0_
yandex-iam-token @w{30,}@=@.@w{80,}@= t1.9eu
?imagekit-key @b{27}= private_
pubnub-key @b{40,}@= sec-c-
convex-key [a-z]+-[a-z]+-[0-9]+\\|@b{40,}@= prod:
rancher-token [a-z0-9]{5}:[a-z0-9]{50,}@$ token-
k3s-token @h{64}::[@z:._-]{8,}@a K10
swarm-token [a-z0-9]{40,}-[a-z0-9]{20,} SWMTKN-1-
netbird-token @a{36}@$ nbp_
e2b-key @h{40}@$ e2b_
daytona-key @h{64}@$ dtn_
runpod-key @a{40,} rpa_
?modal-token @a{22}@$ ak-
browserbase-key @w{20,} bb_live_
apify-token @a{36} apify_api_
castai-key @h{64}_@h{8} castai_v1_`,
  // Code hosting, packages, builds
  `github-token [@z_]{36,}(?:@.eyJ@w+@.@w+)? ghp_
github-token [@z_]{40,} github_pat_
gitlab-token [@z_.-]{19,}@w glpat-
gitlab-runner-token @w{20,} GR1348941
bitbucket-token [@z_=-]{28,} ATBB
atlassian-token [@z_=-]{60,} ATATT3
npm-token @a{36,} npm_
pypi-token @w{50,} pypi-
rubygems-key @h{48} rubygems_
?crates-token @a{32}@$ cio
nuget-key [a-z0-9]{43}@$ oy2
clojars-token [a-z0-9]{60} CLOJARS_
docker-token @w{20,} dckr_pat_
artifactory-key @a{60,} AKCp
artifactory-key @a{59}@$ cmVmd
sonar-token @h{40}@$ squ_
circleci-token @a+_@h{40} CCIPAT_
buildkite-token @a{32,} bkua_
pulumi-token @h{40}@$ pul-
doppler-token [@z._-]{39,}@w dp.pt.
vault-token @w{24,} hvs.
?vault-token @a{24}@$ s.
prefect-key @a{36}@$ pnu_
tailscale-key [a-z]+-@a{8,}-@a{20,} tskey-
1password-token [@z+/_-]{80,}={0,3} ops_eyJ
1password-key (?:[A-Z0-9]{5,6}-){4,5}[A-Z0-9]{5}@$ A3-
age-secret-key [0-9A-Z]{58} AGE-SECRET-KEY-1
wallet-key @a{107}@$ xprv
signing-key @b{100,}@= RWRTY0Iy
otp-secret [@z%+/_-]{20,}@= otpauth-migration://offline?data=
jenkins-secret @b{32,}@=\\} {AQAAABAAAA
bitbucket-token [@z+/_-]{40,} BBDC-
trello-token @h{64}@a* ATTA
jetbrains-token [@z+/=_-]{4,}@.[@z+/=_-]{2,}@.[@z+/_-]{20,} perm-
harness-token @w{22}@.@a{24}@.@a{20}@$ pat.
?octopus-key [A-Z0-9]{25,26}@$ API-
sourcegraph-token (?:(?:@h{16}|local)_)?@a{40,} sgp_
sourcegraph-token @a{20,}_@h{40,} sgamp_user_
sourcegraph-token @h{64} slk_
openvsx-token @u ovsxp_
jsr-token @a{30,} jsrp_
packagist-token [a-z]{2,4}_@a{40,} packagist_
dbt-token @w{40,} dbtu_
sonar-token [@z=_-]{40,} sqco_
snyk-token @w{6,}@.@w{30,} snyk_uat.
socket-token @w{40,} sktsec_
bitrise-token @w{20,} bitwat_
depot-token (?:org|project|user)_@h{40,} depot_
launchdarkly-key @u sdk-
?infracost-key @a{32}@$ ico-
contentful-token @w{43} CFPAT-
scalingo-token @w{48} tk-us-
konnect-token @a{40,} kpat_
zuplo-key @h{32}_@h{8} zpka_
unkey-key @a{20,} unkey_
arcjet-key [a-z0-9]{26}@$ ajkey_
inngest-key [a-z]+-@h{32,} signkey-
?trigger-key @a{20,} tr_prod_
retool-token [a-z0-9]{20,} retool_01
ory-token @w{20,}(?:@.@w+)? ory_pat_
stytch-secret @w{30,}@= secret-live-
?statsig-secret @a{43}@$ secret-`,
  // Language models
  `anthropic-key [a-z0-9]+-@w{20,} sk-ant-
openai-key @w{20,} sk-proj-
openrouter-key @a{32,} sk-or-v1-
?model-provider-key (?:(?:dev|prod|test)_@w{20,}|(?:[a-z]{2,8}_)?@a{22,}) sk_
cursor-key @a{40,} crsr_
context7-key @u ctx7sk-
firecrawl-key @h{32}@$ fc-
jina-key @a{50,} jina_
pinecone-key [@z_]{40,} pcsk_
together-key @w{40,} tgp_v1_
cerebras-key [a-z0-9]{40,} csk-
?fireworks-key @a{22,24}@$ fw_
llamacloud-key @a{40,} llx-
?voyage-key @w{43}@$ pa-
?nomic-key @w{43}@$ nk-
?chroma-key @a{44}@$ ck-
turbopuffer-key @w{30,} tpuf_
meta-llama-key [0-9]{10,}\\|@w{20,} LLM|
anyscale-key @a{20,} esecret_
luma-key @u-@u luma-
wandb-key [@z_]{60,} wandb_v1_
kaggle-token @h{32}@$ KGAT_
modelscope-token @u ms-
coze-token @a{64}@$ pat_
coze-token @a{50,} cztei_
?dify-key (?!@h{24})@a{24}@$ app-
?mem0-key @a{40}@$ m0-
?brave-key @w{28}@$ BSA`,
  // OpenAI's first form, and the many services that copied it.
  `model-provider-key @a{32,} sk-
?model-provider-key @w{20,200} sk-
huggingface-token @a{34,} hf_
replicate-token @a{37,} r8_
groq-key @a{40,} gsk_
xai-key [@z_]{60,} xai-
perplexity-key @a{40,} pplx-
nvidia-key @w{60,} nvapi-
langsmith-key @h{32}_@h{10} lsv2_pt_
?tavily-key [@z-]{24,} tvly-`,
  // Messages and mail
  `slack-token [@z-]{10,} xoxa-
slack-token [0-9]-[@z-]{20,} xapp-
slack-webhook @/(?:services|workflows|triggers)(?:@/@a{6,}){2,} hooks.slack.com
slack-token [@z%+/=_-]{40,} xoxd-
discord-token @w{80,} mfa.
teams-webhook @/webhook@/(?:[@z@-]|@/){60,} outlook.office.com
zapier-webhook @/hooks@/catch@/[0-9]+@/[a-z0-9]{6,} hooks.zapier.com
dingtalk-secret @h{64}@$ SEC
linkedin-secret @w{10,}(?:@.@w{4,})?@= WPL_AP1.
mailersend-key @h{64} mlsn.
?mandrill-key @w{22}@$ md-
resend-key @a{8}_@a{24}@$ re_
klaviyo-key (?:@h{34}|@a{6}_@h{34}|[0-9]{5,}_[A-Z0-9]{32})@$ pk_
?intercom-token @b{50,}@= dG9rO`,
  // The first part is the bot's decimal id in base64: two letters out of twelve pairs.
  `discord-bot-token @w{21,25}@.@w{6}@.@w{27,} MD
discord-webhook @/api@/webhooks@/[0-9]{17,20}@/@w{40,} discord.com
teams-webhook @/webhookb2@/(?:[@z@-]|@/){60,} webhook.office.com
feishu-webhook @/open-apis@/bot@/v2@/hook@/[0-9a-f-]{32,} open.feishu.cn
dingtalk-webhook @/robot@/send@?access_token=@h{40,} oapi.dingtalk.com
wecom-webhook @/cgi-bin@/webhook@/send@?key=[0-9a-f-]{32,} qyapi.weixin.qq.com
sendgrid-key @w{16,}@.@w{20,} SG.
mailgun-key @h{32}@$ key-
brevo-key @h{64}-@a{16} xkeysib-
twilio-key @h{32}@$ SK`,
  // Money and shops
  `stripe-key @a{10,} sk_live_
webhook-secret @b{24,}@= whsec_
shopify-token [0-9a-fA-F]{32} shpat_
square-token @w{22,} sq0atp-
square-token @w{60}@$ EAAA
easypost-key @a{54}@$ EZAK
stripe-client-secret @a{20,}_secret_@a{20,} pi_
braintree-token [a-z0-9]{16}\\$@h{32} access_token$production$
paypal-token @w{80,} A21AA
adyen-key [a-z0-9]{5,}@.[@z_=-]{50,} AQE
paddle-key @w{40,} pdl_live_apikey_
polar-token @w{30,} polar_oat_
plaid-token @u access-production-
flutterwave-key @a{12,}(?:-X)? FLWSECK-
shippo-token @h{40} shippo_live_
duffel-token @w{43} duffel_live_
ramp-secret @a{40,} ramp_sec_
?payment-key @w{30,} live_
?payment-key @a{30}@$ ak_live_
wallet-key [a-z0-9]{58}@$ nsec1`,
  // Watching and measuring
  `grafana-token @a{32}_[0-9a-fA-F]{8} glsa_
grafana-token @b{32,}@= glc_
newrelic-key [@z-]{19,} NRAK-
sentry-token [@z+/=_-]{60,} sntrys_
dynatrace-token [a-z][0-9]{2}@.[A-Z0-9]{24}@.[A-Z0-9]{64} dt0
posthog-key [@z_]{40,} phx_
honeycomb-key [a-z0-9]{50,} hcaik_
axiom-token @u xaat-
rootly-token @h{64} rootly_`,
  // Work
  `notion-token @a{40,} ntn_
notion-token @a{43}@$ secret_
linear-key @a{32,} lin_api_
figma-token @w{40,} figd_
airtable-token @a{14}@.@h{64} pat
asana-token [0-9]{16}(?:/[0-9]{16})?:@h{32}@$ 1/
postman-key @h{24}-@h{34} PMAK-
readme-key [a-z0-9]{60,} rdme_
typeform-token @w{40,} tfp_
dropbox-token @w{100,} sl.
facebook-token @a{80,} EAA
adobe-secret @w{32}@$ p8e-
hubspot-token @u pat-na1-
salesforce-token @a{12}(?:@a{3})?![@z._]{80,} 00D
salesforce-token [@z._=]{60,} 5AEP861
zoho-token @h{32}@.@h{32}@$ 1000.
calcom-key @h{32}@$ cal_live_
frameio-token @w{64} fio-u-
adafruit-key @a{28}@$ aio_`,
  // How systems keep passwords: whoever has such a line may try all words.
  `password-hash \\$?[0-9]{2}\\$\\$?[@z./]{53} $2a$
password-hash \\$?[@z./]{1,8}\\$\\$?[@z./]{22} $apr1$
password-hash (?:rounds=[0-9]+\\$)?[@z./]{1,16}\\$[@z./]{43,86} $5$
password-hash [@z./]{1,8}\\$[@z./]{1,86}\\$[@z./]{43} $y$
password-hash (?:v=[0-9]+\\$)?[a-z0-9=,]+\\$@b+\\$@b{20,} $argon2i$
password-hash @b{27}= {SHA}
password-hash @b{30,}@= {SSHA}
password-hash [@z./]{14}\\$[@z./]{43} $8$`,
  // Of no single service. A JWT has two or four dots; cut off in a log, perhaps one.
  `jwt @w{10,}(?:@.@w*){4} eyJ
jwt @w{10,}@.eyJ@w{8,}@.?@w* eyJ`,
  // The first lines of PEM keys in base64, as Kubernetes and build systems keep them.
  `private-key @b{60,}@= LS0tLS1CRUdJTiBSU0EgUF`,
];

/** The table above as rules; made when a text needs them, which most do not. */
export function formatRules(): readonly FormatRule[] {
  const groups = new Map(startGroups().map(({ starts }) => [starts[0], starts]));
  return FORMATS.join('\n')
    .split('\n')
    .map((line) => {
      const [name = '', rest = '', first = ''] = line.split(' ');
      const starts = groups.get(first);
      if (starts === undefined) throw new Error(`no group of starts begins with ${first}, which ${name} names`);
      return { id: name.replace('?', ''), starts, rest: written(rest), random: name.startsWith('?') };
    });
}

/** The same for shapes; the first column names what to look for. */
const SHAPES: Readonly<Record<ShapeName, string>> = {
  terraform: 'terraform-token @a{14}@.atlasv1@.@w{50,}',
  azure: 'azure-client-secret [@z_~.]{3}[0-9]Q~[@z_~.-]{31,34}@$',
  devops: 'azure-devops-token @a{76}AZDO@a{4}@$',
  telegram: 'telegram-bot-token [0-9]{8,10}:AA@w{33}@$',
  mailchimp: 'mailchimp-key @h{32}-us[0-9]{1,2}@$',
  zhipu: '?zhipu-key @h{32}@.@a{16}@$',
  // Microsoft's newer keys carry a mark of their kind in the middle.
  microsoft: 'azure-key @a{52}JQQJ9[9D]@a{26,}',
  azureService: 'azure-key (?:@w{44}AzFu@w{5}[AQgw]==|@a{42}AzSe@a{6}@$|@a{33}AzCa@a{6}=)',
  azureRegistry: 'azure-key @b{42}\\+ACR@a{6}@$',
  newrelic: 'newrelic-key (?:@h{32}|eu01xx@h{26})FFFFNRAL@$',
  mailgun: 'mailgun-key @h{32}-@h{8}-@h{8}@$',
  maxmind: 'maxmind-key @a{6}_@a{29}_mmk@$',
};

/** Made when a text needs them. */
export function shapeRules(): readonly ShapeRule[] {
  return Object.entries(SHAPE_ANCHORS).map(([shape, anchor]) => {
    const [name = '', pattern = ''] = SHAPES[shape as ShapeName].split(' ');
    return { id: name.replace('?', ''), anchor, pattern: written(pattern), random: name.startsWith('?') };
  });
}
