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
40 nfp_ nfc_ nfo_ nfu_
44 sbp_ sbp_v0_
30 sb_secret_
42 pscale_tkn_ pscale_pw_ pscale_oauth_
36 dapi
50 sha256~
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
45 bkua_
44 pul-
46 dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.
28 hvs. hvb. hvr.
40 pnu_ pnb_
37 tskey-
87 ops_eyJ
32 A3-
74 AGE-SECRET-KEY-1
111 xprv yprv zprv tprv
106 RWRTY0Iy RWRCSw
53 otpauth-migration://offline?data=
44 {AQAAABAAAA
29 sk-ant-
28 sk-proj- sk-svcacct- sk-admin- sk-None-
38 sk-or-v1- sk-or-
23 sk-
37 hf_ api_org_
40 r8_
44 gsk_
64 xai-
45 pplx-
66 nvapi-
51 lsv2_pt_ lsv2_sk_
29 tvly-
15 xoxa- xoxb- xoxe- xoxe.xoxb- xoxe.xoxp- xoxo- xoxp- xoxr- xoxs-
27 xapp-
38 hooks.slack.com
58 MD MT Mj Mz ND NT Nj Nz OD OT Oj Oz
83 discord.com discordapp.com
89 webhook.office.com
69 open.feishu.cn open.larksuite.com
82 oapi.dingtalk.com
77 qyapi.weixin.qq.com
40 SG.
36 key-
89 xkeysib-
34 SK
18 sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_
30 whsec_
38 shpat_ shpca_ shppa_ shpss_
29 sq0atp- sq0csp- sq0idp-
64 EAAA
58 EZAK EZTK
46 glsa_
36 glc_ eyJrIjoi
24 NRAK- NRII- NRJS- NRRA- NRSP- NRAA-
67 sntrys_ sntryu_
96 dt0
44 ntn_
50 secret_
40 lin_api_ lin_oauth_
45 figd_ figo_ figr_
82 pat
51 1/ 2/
64 PMAK-
65 rdme_
44 tfp_
103 sl. sl.u.
83 EAA
36 p8e-
60 $2a$ $2b$ $2y$
27 $apr1$ $1$
48 $5$ $6$
50 $y$
33 $argon2i$ $argon2d$ $argon2id$
33 {SHA}
36 {SSHA}
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
