/**
 * How the formats of secrets begin, and what is rare inside those that begin with anything: the part of the tables that the
 * first look (`secret-suspicion.ts`) and the search itself (`formats.ts`) share. Said twice, one of them forgets a format.
 */

/**
 * Starts of formats, one group a line: the length of the shortest secret that begins with one of them, and the literal
 * texts. A rule in `rules.ts` names its group by the first of them. A start has at least two characters, or it would be
 * looked for everywhere.
 */
export const FORMAT_STARTS = `20 AKIA ASIA ABIA ACCA
20 A3T
44 ABSK bedrock-api-key-
56 X-Amz-Signature= X-Goog-Signature= X-Amz-Security-Token=
39 AIza
25 ya29.
27 GOCSPX-
34 1//0
51 AccountKey= SharedAccessKey=
44 sig=
16 LTAI
36 AKID
36 AKLT
62 bce-v3/ALTAK-
71 doo_v1_ dop_v1_ dor_v1_
41 HRKU-
44 fo1_ fm1a_ fm1r_ fm2_
130 v1.0-
34 vercel_blob_rw_ vcp_ vck_ vca_ vci_ vcr_
40 nfp_ nfc_ nfo_ nfu_ nfb_
44 sbp_ sbp_v0_
30 sb_secret_
42 pscale_tkn_ pscale_pw_ pscale_oauth_
36 dapi dose
50 sha256~
112 IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz
30 da2-
80 amzn1.oa2-cs.v1.
65 Atza| Atzr|
47 AQ.Ab8R
118 AAAA
256 0.A 1.A
44 cfut_ cfat_ cfk_
88 eyJhIjoi
38 akab-
31 K00
32 rnd_
40 ddp_ ddo_ ddw_
55 napi_
21 AVNS_
50 mdb_sa_sk_
63 CCDB1_
42 4b1d
64 cflt
45 essu_
47 sk.eyJ tk.eyJ
46 p.eyJ
39 AQVN
53 y0_
117 t1.9eu
36 private_
46 sec-c-
50 prod: dev: preview:
62 token-
78 K10
70 SWMTKN-1-
40 nbp_
44 e2b_
68 dtn_
44 rpa_
25 ak- as-
28 bb_live_ bb_test_
46 apify_api_
83 castai_v1_
40 ghp_ gho_ ghu_ ghs_ ghr_
51 github_pat_
25 glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- glwt-
29 GR1348941
32 ATBB ATCTT3
66 ATATT3
40 npm_
55 pypi-
57 rubygems_
35 cio
46 oy2
68 CLOJARS_
29 dckr_pat_ dckr_oat_
64 AKCp
64 cmVmd
44 squ_ sqp_ sqa_
49 CCIPAT_ CCIPRJ_
37 bkua_ bkaa_ bkaj_ bkar_ bkct_ bkpt_ bkpat_ bkps_
44 pul-
46 dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.
28 hvs. hvb. hvr.
26 s.
40 pnu_ pnb_
37 tskey-
87 ops_eyJ
32 A3-
74 AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1
111 xprv yprv zprv tprv
106 RWRTY0Iy RWRCSw
53 otpauth-migration://offline?data=
44 {AQAAABAAAA
45 BBDC-
68 ATTA
33 perm- perm:
72 pat. sat.
29 API-
44 sgp_
72 sgamp_user_
68 slk_
42 ovsxp_ ovsxat_ ovsxp- ovsxat-
35 jsrp_ jsrd_
53 packagist_
45 dbtu_ dbtc_ dbts_
45 sqco_
46 snyk_uat. snyk_sat.
47 sktsec_
27 bitwat_
50 depot_
40 sdk-
36 ico-
49 CFPAT-
54 tk-us-
45 kpat_ spat_
46 zpka_
26 unkey_
32 ajkey_
42 signkey-
27 tr_prod_ tr_dev_ tr_stg_ tr_preview_ tr_pat_
29 retool_01
27 ory_pat_ ory_at_ ory_rt_ ory_st_ ory_ac_
42 secret-live- secret-test-
50 secret-
29 sk-ant-
28 sk-proj- sk-svcacct- sk-admin- sk-None-
38 sk-or-v1- sk-or-
25 sk_
45 crsr_
43 ctx7sk-
35 fc-
55 jina_
45 pcsk_
47 tgp_v1_
44 csk-
25 fw_
44 llx-
46 pa-
46 nk-
47 ck-
35 tpuf_
35 LLM|
28 esecret_
78 luma-
69 wandb_v1_
37 KGAT_
39 ms-
68 pat_
56 cztei_
28 app- dataset-
43 m0-
31 BSA
23 sk-
37 hf_ api_org_
40 r8_
44 gsk_
64 xai-
45 pplx-
66 nvapi-
51 lsv2_pt_ lsv2_sk_
29 tvly-
15 xoxa- xoxb- xoxe- xoxe.xoxb- xoxe.xoxp- xoxo- xoxp- xoxr- xoxs- xoxc-
27 xapp-
38 hooks.slack.com
45 xoxd-
84 mfa.
87 outlook.office.com outlook.office365.com
37 hooks.zapier.com
67 SEC
18 WPL_AP1.
69 mlsn.
25 md-
36 re_
37 pk_
55 dG9rO
58 MD MT Mj Mz ND NT Nj Nz OD OT Oj Oz
83 discord.com discordapp.com
89 webhook.office.com
69 open.feishu.cn open.larksuite.com
82 oapi.dingtalk.com
77 qyapi.weixin.qq.com
40 SG.
36 key-
89 xkeysib- xsmtpsib-
34 SK
18 sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ sk_org_live_ sk_org_test_
30 whsec_
38 shpat_ shpca_ shppa_ shpss_ shpua_ shptka_
29 sq0atp- sq0csp- sq0idp-
64 EAAA
58 EZAK EZTK
51 pi_ seti_
70 access_token$production$ access_token$sandbox$
85 A21AA
59 AQE
51 pdl_live_apikey_ pdl_sdbx_apikey_ pdl_ntfset_
39 polar_oat_ polar_pat_ polar_at_ polar_whs_
51 access-production- access-sandbox- access-development-
20 FLWSECK- FLWSECK_TEST-
52 shippo_live_ shippo_test_
55 duffel_live_ duffel_test_
49 ramp_sec_
35 live_
38 ak_live_ ak_test_
63 nsec1
46 glsa_
36 glc_ eyJrIjoi
24 NRAK- NRII- NRJS- NRRA- NRSP- NRAA- NRIQ-
67 sntrys_ sntryu_
96 dt0
44 phx_ phs_
56 hcaik_ hcxik_ hcbik_
41 xaat- xapt-
71 rootly_
44 ntn_
50 secret_
40 lin_api_ lin_oauth_
45 figd_ figo_ figr_ figp_
82 pat
51 1/ 2/
64 PMAK-
65 rdme_
44 tfp_
103 sl. sl.u.
83 EAA
36 p8e-
44 pat-na1- pat-na2- pat-eu1- pat-ap1-
96 00D
67 5AEP861
70 1000.
41 cal_live_
70 fio-u-
32 aio_
60 $2a$ $2b$ $2y$
27 $apr1$ $1$
48 $5$ $6$
50 $y$
33 $argon2i$ $argon2d$ $argon2id$
33 {SHA}
36 {SSHA}
61 $8$ $9$
17 eyJ
82 LS0tLS1CRUdJTiBSU0EgUF LS0tLS1CRUdJTiBQUklWQV LS0tLS1CRUdJTiBFQyBQUk LS0tLS1CRUdJTiBPUEVOU1 LS0tLS1CRUdJTiBFTkNSWV LS0tLS1CRUdJTiBEU0EgUF LS0tLS1CRUdJTiBQR1AgUF`;

/** What is looked for to find a shape, by its place in the table of `rules.ts`: sources of expressions, fast ones. */
export const SHAPE_ANCHORS = {
  terraform: '\\.atlasv1\\.',
  azure: 'Q~',
  devops: 'AZDO',
  telegram: ':AA',
  mailchimp: '-us',
  zhipu: '\\.(?<=[0-9a-f]{8}\\.)[A-Za-z0-9]{16}',
  microsoft: 'JQQJ9',
  azureService: 'Az(?:Fu|Se|Ca)',
  azureRegistry: '\\+ACR',
  newrelic: 'FFFFNRAL',
  mailgun: '-(?<=[0-9a-f]{12}-)[0-9a-f]{8}-[0-9a-f]{8}',
  maxmind: '_mmk',
} as const;
export type ShapeName = keyof typeof SHAPE_ANCHORS;

/**
 * A secret is at least so many visible ASCII characters in a row: the shortest format, the shortest shape. Most sentences
 * have no such run. A test holds every rule against them.
 */
export const SHORTEST_FORMAT = 15;
export const SHORTEST_SHAPE = 36;

export const FORMAT_RUN = new RegExp(`[!-~]{${SHORTEST_FORMAT}}`);
export const FORMAT_RUNS = new RegExp(`[!-~]{${SHORTEST_FORMAT},}`, 'g');
export const SHAPE_RUN = new RegExp(`[!-~]{${SHORTEST_SHAPE}}`);

export interface StartGroup {
  /** Shortest secret that begins with one of the starts, in UTF-16 units. */
  readonly shortest: number;
  readonly starts: readonly string[];
}

/** All starts, in no groups: a hook's first look, which most texts end with, has them in a fifth of the time. */
export function formatStarts(): readonly string[] {
  return FORMAT_STARTS.split(/\n\d+ | /).slice(1);
}

export function startGroups(): readonly StartGroup[] {
  return FORMAT_STARTS.split('\n').map((line) => {
    const [shortest, ...starts] = line.split(' ');
    return { shortest: Number(shortest), starts };
  });
}

/**
 * Source of an expression for a place where a new word may begin: not behind a letter or digit, unless those belong to an
 * escape (`\n`, `\u0022`, `%3D`) as JSON texts and addresses have them.
 */
export const WORD_BEGINNING = '(?:(?<![A-Za-z0-9])|(?<=\\\\[nrtbfv0]|\\\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}))';
