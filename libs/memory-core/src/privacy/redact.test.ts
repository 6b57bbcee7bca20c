import { generateKeyPairSync, randomUUID, createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { processorTime } from '../../testing/processor-time.ts';
import { TOO_DEEP } from './deep.ts';
import { redactDeep, redactSecrets } from './redact.ts';
import { FORMAT_EXAMPLES } from './rules.examples.ts';
import { formatRules, shapeRules } from './rules.ts';

// Put together so that no scanner takes this file for a leak.
const PASSWORD = `hunter${2}`;
const RANDOM = `q7Vx9${'LmZ2pK4w'}Tn8RbYc3`;
const HEX40 = createHash('sha1').update('x').digest('hex');

describe('formats', () => {
  it('has at least one example for every rule, and at least forty formats', () => {
    const ids = new Set([...formatRules(), ...shapeRules()].map((rule) => rule.id));
    expect(ids.size).toBeGreaterThanOrEqual(40);
    expect(new Set(FORMAT_EXAMPLES.map((example) => example.id))).toEqual(ids);
  });

  it.each(FORMAT_EXAMPLES)('$id: redacts $secret', ({ id, secret }) => {
    const mark = `[redacted:${id}]`;
    expect(redactSecrets(secret)).toBe(mark);
    expect(redactSecrets(`see ${secret}, please`)).toBe(`see ${mark}, please`);
    expect(redactSecrets(`"${secret}"`)).toBe(`"${mark}"`);
    expect(redactSecrets(`(${secret})\n`)).toBe(`(${mark})\n`);
    // In JSON text, also where an escape stands right before it.
    const json = JSON.stringify({ cmd: `echo "${secret}"\n${secret}\t${secret}`, list: [secret] });
    const redacted = redactSecrets(json);
    expect(redacted).not.toContain(secret);
    expect(JSON.parse(redacted)).toEqual({ cmd: `echo "${mark}"\n${mark}\t${mark}`, list: [mark] });
    expect(redactSecrets(redacted)).toBe(redacted);
  });

  it.each(FORMAT_EXAMPLES)('$id: leaves $ordinary alone', ({ ordinary }) => {
    expect(redactSecrets(`see ${ordinary}, please`)).toBe(`see ${ordinary}, please`);
  });

  it('redacts the secret that an export puts beside its id', () => {
    const id = `AKIA${'IOSFODNN7'}EXAMPLE`;
    const secret = `wJalrXUtnFEMI/K7MDENG/${'bPxRfiCYEXAMPLEKEY'}`;
    expect(redactSecrets(`${id},${secret}\n`)).toBe('[redacted:aws-access-key],[redacted:aws-secret-key]\n');
    expect(redactSecrets(`aws_secret_access_key = ${secret}`)).toBe(
      'aws_secret_access_key = [redacted:aws-secret-key]',
    );
  });

  it('finds a secret behind an escape and inside an address', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    expect(redactSecrets(`x\\u0022${token}`)).toBe('x\\u0022[redacted:github-token]');
    expect(redactSecrets(`https://h/?t%3D${token}&x=1`)).toBe('https://h/?t%3D[redacted:github-token]&x=1');
    expect(redactSecrets(`https://${token}@github.com/a/b.git`)).toBe(
      'https://[redacted:github-token]@github.com/a/b.git',
    );
    expect(redactSecrets(`git clone https://x:${token}@h/r`)).not.toContain(token);
  });
});

describe('private keys', () => {
  const pem = generateKeyPairSync('rsa', { modulusLength: 1024 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  const body = pem.split('\n')[3] ?? '';

  it.each([
    ['as a file', pem, '[redacted:private-key]\n'],
    ['with Windows line ends', pem.replaceAll('\n', '\r\n'), '[redacted:private-key]\r\n'],
    ['indented', pem.replace(/^/gm, '    '), '    [redacted:private-key]\n    '],
    ['with escaped line ends', pem.trimEnd().replaceAll('\n', '\\n'), '[redacted:private-key]'],
    ['cut off', pem.slice(0, 500), '[redacted:private-key]'],
    ['in one line', pem.trimEnd().replaceAll('\n', ' '), '[redacted:private-key]'],
  ])('redacts one %s', (_, text, expected) => expect(redactSecrets(text)).toBe(expected));

  it.each(['RSA', 'EC', 'OPENSSH', 'ENCRYPTED', 'DSA'])('knows the %s form, with headers', (kind) => {
    const text = pem
      .replaceAll('PRIVATE', `${kind} PRIVATE`)
      .replace('\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n');
    expect(redactSecrets(`a\n${text}b`)).toBe('a\n[redacted:private-key]\nb');
  });

  it('knows PGP blocks and PuTTY files', () => {
    const pgp = `-----BEGIN PGP ${'PRIVATE'} KEY BLOCK-----\nVersion: x\n\n${body}\n=aB3d\n-----END PGP ${'PRIVATE'} KEY BLOCK-----`;
    expect(redactSecrets(pgp)).toBe('[redacted:private-key]');
    const putty = `PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n${body}\n${body.slice(0, 20)}==\nPrivate-MAC: 1`;
    const redacted = redactSecrets(putty);
    expect(redacted).not.toContain(body.slice(0, 20));
    expect(redacted).toContain('Private-MAC');
  });

  it('leaves JSON valid, once and twice encoded', () => {
    for (const text of [JSON.stringify({ key: pem, x: 1 }), JSON.stringify({ out: JSON.stringify({ key: pem }) })]) {
      const redacted = redactSecrets(text);
      expect(redacted).not.toContain(body.slice(0, 30));
      expect(() => JSON.parse(redacted)).not.toThrow();
      expect(redactSecrets(redacted)).toBe(redacted);
    }
  });

  it('redacts the pieces of a key that code strings together', () => {
    const code = pem
      .trimEnd()
      .split('\n')
      .map((line) => `  "${line}\\n"`)
      .join(' +\n');
    const redacted = redactSecrets(code);
    for (const line of pem.split('\n').slice(1, -2)) expect(redacted).not.toContain(line);
    expect(redacted.match(/"/g)).toHaveLength(code.match(/"/g)?.length ?? 0);
  });

  it('leaves public keys, certificates and mentions alone', () => {
    const text = `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\nA key starts with -----BEGIN ${'PRIVATE'} KEY----- and ends with -----END ${'PRIVATE'} KEY-----.`;
    expect(redactSecrets(text)).toBe(text);
  });
});

describe('headers and addresses', () => {
  it.each([
    [`Authorization: Bearer ${RANDOM}`, 'Authorization: Bearer [redacted:authorization]'],
    [
      `authorization: Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`,
      'authorization: Basic [redacted:authorization]',
    ],
    [`{"Authorization":"Bearer ${RANDOM}"}`, '{"Authorization":"Bearer [redacted:authorization]"}'],
    [`curl -H "Authorization: token ${RANDOM}" x`, 'curl -H "Authorization: token [redacted:authorization]" x'],
    [`Authorization: ${RANDOM}`, 'Authorization: [redacted:authorization]'],
    [`use bearer ${RANDOM} there`, 'use bearer [redacted:bearer-token] there'],
    [`X-Api-Key: ${RANDOM}`, 'X-Api-Key: [redacted:api-key]'],
    [`X-Vault-Token: ${RANDOM}`, 'X-Vault-Token: [redacted:token]'],
    ['Cookie: sid=8a7b6c5d4e3f; theme=dark', 'Cookie: sid=[redacted:cookie]; theme=dark'],
    [
      'Set-Cookie: sid=8a7b6c5d4e3f; Path=/; Max-Age=3600000; HttpOnly',
      'Set-Cookie: sid=[redacted:cookie]; Path=/; Max-Age=3600000; HttpOnly',
    ],
    [`"cookie": "session=${RANDOM}"`, '"cookie": "session=[redacted:cookie]"'],
    [`postgres://app:${PASSWORD}@db:5432/x`, 'postgres://app:[redacted:url-password]@db:5432/x'],
    ['redis://:p@ss!w@h:1', 'redis://:[redacted:url-password]@h:1'],
    [`https:\\/\\/me:${PASSWORD}@h\\/x`, 'https:\\/\\/me:[redacted:url-password]@h\\/x'],
    [`https://${RANDOM}@h/x`, 'https://[redacted:url-credentials]@h/x'],
    [`https://h/x?access_token=${RANDOM}&page=2`, 'https://h/x?access_token=[redacted:token]&page=2'],
    [`https://h/x?password=${PASSWORD}&page=2`, 'https://h/x?password=[redacted:password]&page=2'],
    [`curl -u me:${PASSWORD} https://h`, 'curl -u me:[redacted:password] https://h'],
  ])('%j', (text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
    expect(redactSecrets(expected)).toBe(expected);
  });

  it.each([
    'Authorization: Bearer <token>',
    'Authorization: Bearer $TOKEN',
    'Authorization: `Bearer ${token}`',
    'authorization: string',
    'Authorization: Basic authentication is used',
    'Cookie: theme=dark',
    'const cookie = parse(header)',
    'the bearer of this letter',
    'https://user@host/x',
    'https://me:$PASSWORD@h',
    'https://${user}:${password}@h',
    'http://localhost:8080/@scope/x',
    'mailto:me@example.com',
    'git@github.com:a/b.git',
    'npm i @scope/name',
    'docker run -u 1000:1000 x',
  ])('leaves %j alone', (text) => expect(redactSecrets(text)).toBe(text));
});

describe('named values', () => {
  it.each([
    [`DB_PASSWORD=${PASSWORD}`, 'DB_PASSWORD=[redacted:password]'],
    ['DB_PASSWORD=correcthorse', 'DB_PASSWORD=[redacted:password]'],
    ['export DB_PASSWORD="ab&cd e"\n', 'export DB_PASSWORD="[redacted:password]"\n'],
    [`A=1\nJWT_SECRET=correcthorsebattery\nB=2`, 'A=1\nJWT_SECRET=[redacted:secret]\nB=2'],
    [`API_KEY_PROD=${RANDOM}`, 'API_KEY_PROD=[redacted:api-key]'],
    [`HEROKU_API_KEY=${randomUUID()}`, 'HEROKU_API_KEY=[redacted:api-key]'],
    [`SECRET_KEY=${HEX40}`, 'SECRET_KEY=[redacted:secret-key]'],
    [`docker run -e MYSQL_ROOT_PASSWORD=${PASSWORD} x`, 'docker run -e MYSQL_ROOT_PASSWORD=[redacted:password] x'],
    [`password: "${PASSWORD}"`, 'password: "[redacted:password]"'],
    [`password: ${PASSWORD}`, 'password: [redacted:password]'],
    [`const dbPassword = '${PASSWORD}';`, "const dbPassword = '[redacted:password]';"],
    [`{"password":"${PASSWORD}","n":1}`, '{"password":"[redacted:password]","n":1}'],
    ['{"password":12345678,"n":1}', '{"password":"[redacted:password]","n":1}'],
    [`{"a":"{\\"password\\":\\"${PASSWORD}\\"}"}`, '{"a":"{\\"password\\":\\"[redacted:password]\\"}"}'],
    [`apiKey: '${RANDOM}'`, "apiKey: '[redacted:api-key]'"],
    [`client_secret = ${RANDOM}`, 'client_secret = [redacted:secret]'],
    [`mysql --password=${PASSWORD} x`, 'mysql --password=[redacted:password] x'],
    [`tool --api-key ${RANDOM} x`, 'tool --api-key [redacted:api-key] x'],
    [`CREATE USER a IDENTIFIED BY '${PASSWORD}'`, "CREATE USER a IDENTIFIED BY '[redacted:password]'"],
    [`machine h login me password ${PASSWORD}`, 'machine h login me password [redacted:password]'],
    [`- name: DB_PASSWORD\n  value: ${PASSWORD}`, '- name: DB_PASSWORD\n  value: [redacted:password]'],
    [`The password is ${PASSWORD}.`, 'The password is [redacted:password].'],
    [`the password for the db is \`${PASSWORD}\``, 'the password for the db is `[redacted:password]`'],
    [`my API key is ${RANDOM}, use it`, 'my API key is [redacted:api-key], use it'],
    [`token ${RANDOM}`, 'token [redacted:token]'],
    [`数据库密码是${PASSWORD}，别忘了`, '数据库密码是[redacted:password]，别忘了'],
    [`İİİ password: ${PASSWORD} İ`, 'İİİ password: [redacted:password] İ'],
    [`密码：${PASSWORD}`, '密码：[redacted:password]'],
    ['密码是 123456', '密码是 [redacted:password]'],
    [`密钥为 ${RANDOM}`, '密钥为 [redacted:secret-key]'],
    [`访问令牌: "${RANDOM}"`, '访问令牌: "[redacted:token]"'],
  ])('%j', (text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
    expect(redactSecrets(expected)).toBe(expected);
  });

  it.each([
    'password: string',
    'password?: string;',
    'interface A { password: string; token: Token }',
    'const token = getToken()',
    'token = user.token',
    'password: process.env.PASSWORD',
    'PASSWORD=$PASSWORD',
    'API_KEY=${API_KEY}',
    'API_KEY=<your-key>',
    'apiKey: "your-api-key"',
    'token: xxxx',
    'password: ********',
    'Please enter your password',
    'The password is required.',
    'Forgot password?',
    '密码不能为空',
    '请输入密码',
    '密码长度为 8 位',
    'MAX_TOKENS=4096',
    'tokens: 12345',
    '"token": "keyword.operator"',
    '{ type: "password", name: "password" }',
    'if (token === "string") return',
    'primaryKey: "id"',
    'key: "value1234567890abcdef"',
    'PRIMARY_KEY=id',
    'cacheKey = a1b2',
    'secretary: Anna1',
    'PWD=/home/me/x1',
    'password_hash',
    'import { token } from "./token2.js"',
    'next token; 16 of 20',
    'passed: 12, failed: 3',
    'password := readPassword()',
    'def login(password=None):',
  ])('leaves %j alone', (text) => expect(redactSecrets(text)).toBe(text));
});

describe('options of commands', () => {
  it.each([
    [`mysql -u root -p${PASSWORD} app < dump.sql`, 'mysql -u root -p[redacted:password] app < dump.sql'],
    [`mysqldump -h db -p'${PASSWORD}' app`, "mysqldump -h db -p'[redacted:password]' app"],
    [`mariadb-admin -psecret status`, 'mariadb-admin -p[redacted:password] status'],
    [`sshpass -p ${PASSWORD} ssh me@h`, 'sshpass -p [redacted:password] ssh me@h'],
    [`sshpass -p'${PASSWORD}' scp a me@h:`, "sshpass -p'[redacted:password]' scp a me@h:"],
    [`docker login -u me -p ${PASSWORD} registry.test`, 'docker login -u me -p [redacted:password] registry.test'],
    [`helm registry login h -u me -p "${PASSWORD}"`, 'helm registry login h -u me -p "[redacted:password]"'],
    [`az acr login -n x -p ${PASSWORD}`, 'az acr login -n x -p [redacted:password]'],
    [`mongosh -u me -p ${PASSWORD} h/db`, 'mongosh -u me -p [redacted:password] h/db'],
    [`redis-cli -h h -a ${PASSWORD} ping`, 'redis-cli -h h -a [redacted:password] ping'],
    [`ldapsearch -D cn=me -w ${PASSWORD} -b dc=x`, 'ldapsearch -D cn=me -w [redacted:password] -b dc=x'],
    [`curl -ume:${PASSWORD} https://h`, 'curl -ume:[redacted:password] https://h'],
    [`curl -sS --user me:${PASSWORD} https://h`, 'curl -sS --user me:[redacted:password] https://h'],
    [`curl -x p --proxy-user me:${PASSWORD} https://h`, 'curl -x p --proxy-user me:[redacted:password] https://h'],
    [`{"command":"mysql -p\\"${PASSWORD}\\" app"}`, '{"command":"mysql -p\\"[redacted:password]\\" app"}'],
  ])('%j', (text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
    expect(redactSecrets(expected)).toBe(expected);
  });

  it.each([
    'mysql -u root -p app',
    'mysql -p$MYSQL_PWD app',
    'mysql -p"${DB_PASS}" app',
    'mysql -p[password] app',
    'mysql -P 3306 -h db app',
    'mysql -pYOUR_PASSWORD app',
    'sshpass -p "$PASS" ssh me@h',
    'sshpass -e ssh me@h',
    'docker run -p 8080:80 mysql',
    'docker compose -p mysqlstack up',
    'docker login --password-stdin',
    'mkdir -p src/mysql',
    'redis-cli -p 6379 -h h',
    'mongosh --port 27017',
    'curl -u "$USER:$PASSWORD" https://h',
    'curl -url http://h:80/',
    'the ldap server listens on -w hat',
    'kubectl login -p',
  ])('leaves %j alone', (text) => expect(redactSecrets(text)).toBe(text));
});

describe('disguised secrets', () => {
  const wide = (text: string): string =>
    text.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));
  const split = (text: string, by: string): string => [...text].join(by);
  const encoded = (text: string): string =>
    text.replace(/[^]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const KEY = `AKIA${'IOSFODNN7'}EXAMPLE`;
  const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

  it.each([
    ['in full-width letters', `密钥：${wide(KEY)}，别忘了`, '密钥：[redacted:aws-access-key]，别忘了'],
    [
      'half in full-width letters',
      `see ${wide(KEY.slice(0, 4))}${KEY.slice(4)} there`,
      'see [redacted:aws-access-key] there',
    ],
    ['with zero-width spaces', `see ${split(KEY, '\u200b')} there`, 'see [redacted:aws-access-key] there'],
    [
      'with a joiner inside',
      `see ${TOKEN.slice(0, 9)}\u2060${TOKEN.slice(9)} there`,
      'see [redacted:github-token] there',
    ],
    ['with soft hyphens', `see ${split(TOKEN, '\u00ad')}.`, 'see [redacted:github-token].'],
    ['percent-encoded whole', `https://h/?k=${encoded(KEY)}&x=1`, 'https://h/?k=[redacted:aws-access-key]&x=1'],
    [
      'percent-encoded in part',
      `https://h/a%20b?k=AK%49A${KEY.slice(4)}`,
      'https://h/a%20b?k=[redacted:aws-access-key]',
    ],
    [
      'in a percent-encoded address',
      `https://h/?to=https%3A%2F%2Fme%3A${PASSWORD}%40db%2Fx&y=%20`,
      'https://h/?to=https%3A%2F%2Fme%3A[redacted:url-password]%40db%2Fx&y=%20',
    ],
    [
      'under a percent-encoded name',
      `https://h/?q=pass%77ord%3D${PASSWORD}`,
      'https://h/?q=pass%77ord%3D[redacted:password]',
    ],
    ['under a full-width name', `ｐａｓｓｗｏｒｄ＝${wide(PASSWORD)}`, 'ｐａｓｓｗｏｒｄ＝[redacted:password]'],
    ['twice in one piece', `a=${encoded(KEY)},${encoded(TOKEN)}`, 'a=[redacted:aws-access-key][redacted:github-token]'],
  ])('%s', (_what, text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
    expect(redactSecrets(expected)).toBe(expected);
    const json = JSON.stringify({ a: text, b: [text] });
    expect(JSON.parse(redactSecrets(json))).toEqual({ a: expected, b: [expected] });
  });

  it.each([
    ['full-width text', '请输入ＡＢＣ１２３，再按ＯＫ。'],
    ['an emoji of several parts', '👩\u200d💻 writes 👨\u200d👩\u200d👧'],
    ['Persian with its joiners', 'می\u200cخواهم بروم'],
    ['a percent-encoded address', 'https://h/wiki/%E5%AF%86%E7%A0%81?next=%2Fa%2Fb%3Fx%3D1%26y%3D2'],
    ['a percentage', 'it is 100%20 or 50%41'],
    ['a byte order mark', '\ufeffimport x from "y"'],
  ])('leaves %s alone', (_what, text) => expect(redactSecrets(text)).toBe(text));
});

describe('what is never redacted', () => {
  /** As if by chance, and always the same: whether a test holds is no matter of luck. */
  const bytes = (outputLength: number): Buffer => createHash('shake256', { outputLength }).update('x').digest();
  it.each([
    ['a commit id', `commit ${HEX40}`],
    ['a short commit id', 'fixed in 3f2a91c'],
    ['a UUID', '0f4d9c1e-6b7a-4c52-9a35-e81d07f2b6c4'],
    [
      'checksums',
      `sha256:${createHash('sha256').update('y').digest('hex')} md5 ${createHash('md5').update('y').digest('hex')}`,
    ],
    ['a lock file', `"integrity": "sha512-${bytes(64).toString('base64')}",`],
    ['a yarn lock file', `  checksum: 10c0/${bytes(64).toString('hex')}`],
    ['a picture', `<img src="data:image/png;base64,${bytes(3_000).toString('base64')}">`],
    ['an SSH public key', `ssh-ed25519 ${bytes(51).toString('base64')} me@host`],
    ['a file with a hash in its name', `main.${createHash('md5').update('z').digest('hex')}.chunk.js`],
    ['an etag', `ETag: "${HEX40}"`],
  ])('%s', (_, text) => expect(redactSecrets(text)).toBe(text));
});

describe('in general', () => {
  it('changes nothing the second time and keeps JSON valid, whatever the order', () => {
    const piece = fc.constantFrom(
      ...FORMAT_EXAMPLES.map((example) => example.secret),
      ...[
        'password',
        ': ',
        '=',
        '"',
        '\\',
        '\n',
        ' ',
        'API_KEY=',
        'token',
        '密码是',
        `${PASSWORD}`,
        RANDOM,
        'Cookie: a=',
        'https://a:',
        '@h',
        "'",
        '`',
        '&',
        '[',
        '{',
        ',',
        '=>',
        '--password ',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const once = redactSecrets(text);
        expect(redactSecrets(once)).toBe(once);
        for (const json of [
          JSON.stringify({ a: text, b: [text] }),
          JSON.stringify({ a: JSON.stringify({ b: text }) }),
        ]) {
          const redacted = redactSecrets(json);
          expect(() => JSON.parse(redacted)).not.toThrow();
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('takes time in proportion to the length of hostile texts', () => {
    const units = [
      'password=',
      'password: "',
      'token ',
      '://a:',
      '://a:b@',
      'Cookie: a=b',
      'sk-',
      'eyJa',
      '-----BEGIN PRIVATE KEY-----\n',
      'curl -u a',
      'a@',
      '密码是',
      'AKIA',
      "key = '",
      '\\"token\\":\\"',
      'Bearer ',
      'api key for a ',
      'mysql ',
      'mysql -p',
      'docker login -p',
      '%41',
      '%41%4b %49',
      'Ａ',
      'A\u200b',
      'pass%77ord%3D',
      'password x ',
      'password [',
      'password | ',
      '<password>a',
      'mysql",\n"',
      'echo a | sudo ',
      'kind: Secret\ndata:\n  a: b\n',
      ':5432:a:b:',
      '?key=aaaaaaaaaaaaaaaaaaaaaaa',
      'user: a\npassword: ',
      '$argon2id$v=19$',
    ];
    for (const unit of units) {
      const short = unit.repeat(Math.ceil(50_000 / unit.length));
      const long = unit.repeat(Math.ceil(500_000 / unit.length));
      redactSecrets(short);
      const shortTime = fastest(2, () => redactSecrets(short));
      const longTime = fastest(2, () => redactSecrets(long));
      expect({ unit, slow: longTime / Math.max(shortTime, 2) > 40, longTime: longTime > 10_000 }).toEqual({
        unit,
        slow: false,
        longTime: false,
      });
    }
  });
});

describe('redactDeep', () => {
  it('redacts by key, by pair, by argument and inside strings', () => {
    expect(
      redactDeep({
        password: 'correcthorse',
        user: 'me',
        auth: { apiKey: RANDOM, tokenCount: 12, token: 'keyword', secretName: 'db' },
        env: [
          { name: 'DB_PASSWORD', value: 'swordfish' },
          { name: 'PORT', value: '8080' },
        ],
        argv: ['mysql', '--password', 'swordfish', '--port', '3306'],
        command: `DB_PASSWORD=${PASSWORD} node x.js`,
        pin: 1234,
        passcode: 123456,
        flag: true,
        none: null,
      }),
    ).toEqual({
      password: '[redacted:password]',
      user: 'me',
      auth: { apiKey: '[redacted:api-key]', tokenCount: 12, token: 'keyword', secretName: 'db' },
      env: [
        { name: 'DB_PASSWORD', value: '[redacted:password]' },
        { name: 'PORT', value: '8080' },
      ],
      argv: ['mysql', '--password', '[redacted:password]', '--port', '3306'],
      command: 'DB_PASSWORD=[redacted:password] node x.js',
      pin: 1234,
      passcode: '[redacted:password]',
      flag: true,
      none: null,
    });
  });

  it('changes nothing the second time and leaves the given value alone', () => {
    const value = { a: { password: 'swordfish', list: [`token ${RANDOM}`] } };
    const copy = structuredClone(value);
    const once = redactDeep(value);
    expect(redactDeep(once)).toEqual(once);
    expect(value).toEqual(copy);
  });

  it('leaves out what is nested beyond reason', () => {
    let value: unknown = PASSWORD;
    for (let depth = 0; depth < 5_000; depth += 1) value = { password: value };
    expect(JSON.stringify(redactDeep(value))).toContain(TOO_DEEP);
  });
});

/** In ms of the processor: another process that wants it does not count. */
function fastest(runs: number, work: () => void): number {
  return Math.min(...Array.from({ length: runs }, () => processorTime(work).milliseconds));
}
