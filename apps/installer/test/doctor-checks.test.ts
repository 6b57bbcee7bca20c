/** Single checks over snapshots of machines that a test cannot easily be: Windows, full disks, stuck workers, two clients. */
import { describe, expect, it } from '@jest/globals';
import { Conversation, inspectSettings } from '@openviking/memory-core/full';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { declaration } from '@openviking/harness-zcode/harness';
import { CHECKS } from '../src/doctor/registry.ts';
import { runChecks } from '../src/doctor/run-checks.ts';
import { recordedInterpreter, renderLauncher } from '../src/payload/launcher.ts';
import type { ClientSnapshot } from '../src/doctor/snapshot/client.ts';
import type { ServerSnapshot } from '../src/doctor/snapshot/server.ts';
import type { Snapshot } from '../src/doctor/snapshot/snapshot.ts';
import type { SpoolSnapshot } from '../src/doctor/snapshot/spool.ts';
import type { ClientReceipt } from '../src/receipts/receipt.ts';

const HOME = '/home/nobody';
const NOW = Date.parse('2026-11-30T12:00:00Z');
const MINUTE = 60_000;

const emptySpool: SpoolSnapshot = { folders: [], conversations: [], delivery: [], locks: [] };

const server: ServerSnapshot = {
  url: 'https://memory.test',
  clients: ['zcode'],
  state: { kind: 'ready' },
  answeredInMs: 12,
  source: { url: 'default', apiKey: 'none' },
};

function client(more: Partial<ClientSnapshot> = {}, facts: Partial<HarnessDeclaration> = {}): ClientSnapshot {
  const receipt: ClientReceipt = {
    version: 1,
    kind: 'client',
    client: 'zcode',
    installer: '1.0.0',
    installedAt: new Date(NOW - 120 * MINUTE).toISOString(),
    folders: [],
    payload: { folder: `${HOME}/p`, version: '1.0.0' },
    launcher: { path: `${HOME}/p/launch`, left: { hash: '', mode: 0o755 } },
    configs: [],
    owned: [],
    foundInRoot: [],
  };
  const launcher = { path: `${HOME}/p/launch`, isThere: true, isExecutable: true, isUnchanged: true };
  return {
    client: { ...declaration, ...facts },
    detectedAt: `${HOME}/.zcode`,
    receipt,
    receiptPath: `${HOME}/receipt.json`,
    program: {
      folder: `${HOME}/p/1.0.0`,
      version: '1.0.0',
      isThere: true,
      damaged: [],
      carried: '1.0.0',
      launcher: { ...launcher, interpreter: { path: '/usr/bin/node', version: '20.18.1' } },
    },
    managed: [],
    configs: [],
    owned: [],
    heartbeats: [
      {
        entry: 'stop',
        file: `${HOME}/beat`,
        event: 'turn-end',
        at: new Date(NOW - MINUTE).toISOString(),
        outcome: 'captured',
      },
    ],
    rewiring: { kind: 'planned', isNeeded: false, needsCommands: false, notes: [] },
    settings: inspectSettings({ harness: 'zcode', home: HOME, cwd: HOME, env: {} }),
    hasCaFile: true,
    badFilters: [],
    ...more,
  };
}

function snapshot(more: Partial<Snapshot> = {}): Snapshot {
  return {
    home: HOME,
    platform: 'linux',
    cwd: HOME,
    project: HOME,
    now: NOW,
    nodeVersion: '20.18.1',
    interpreter: '/usr/bin/node',
    installed: ['zcode'],
    names: new Map([
      ['zcode', 'ZCode'],
      ['other', 'Other'],
    ]),
    detected: ['zcode'],
    clients: [client()],
    brokenReceipts: [],
    strangers: [],
    notFolders: [],
    missingCredentials: [],
    isInterrupted: false,
    permissions: { root: `${HOME}/.openviking`, owner: 1000, open: [], foreign: [] },
    credentialFiles: [],
    servers: [server],
    mcp: new Map(),
    spool: emptySpool,
    profiles: [],
    projectFiles: [],
    leftovers: { programs: [], queue: { folder: `${HOME}/.openviking/pending`, turns: 0 }, unread: [] },
    ...more,
  };
}

const troubles = (machine: Snapshot) =>
  runChecks(machine)
    .flatMap(({ findings }) => findings)
    .filter(({ severity }) => severity !== 'ok');
const codes = (machine: Snapshot) => troubles(machine).map(({ code, severity }) => `${severity} ${code}`);

it('a machine without trouble has none', () => {
  expect(troubles(snapshot())).toEqual([]);
});

describe('Node.js', () => {
  const launcher = { path: `${HOME}/p/launch`, isThere: true, isExecutable: true, isUnchanged: true };
  const program = (interpreter: { path: string; version?: string }, fallback?: string) => {
    const whole = client().program;
    if (whole === undefined) throw new Error('no program');
    return { ...whole, launcher: { ...launcher, interpreter, ...(fallback === undefined ? {} : { fallback }) } };
  };

  it('that is gone without another one means that no hook runs', () => {
    const machine = snapshot({ clients: [client({ program: program({ path: '/gone/node' }) })] });
    expect(codes(machine)).toEqual(['error node/none-found']);
    expect(troubles(machine)[0]).toMatchObject({ repair: { kind: 'launcher', client: 'zcode' } });
  });

  it('is not repaired by another version of the package, nor by a Node.js that is too old itself', () => {
    const gone = program({ path: '/gone/node' }, '/usr/bin/node');
    const upgrade = snapshot({ clients: [client({ program: { ...gone, carried: '1.1.0' } })] });
    expect(codes(upgrade)).toEqual(['warn node/recorded-gone', 'info payload/other-version']);
    expect(troubles(upgrade)[0]?.repair).toBeUndefined();
    const old = snapshot({ clients: [client({ program: gone })], nodeVersion: '20.11.0' });
    expect(troubles(old)[0]?.repair).toBeUndefined();
  });

  it.each([
    ['linux', "/home/it's me/.nvm/node v20/bin/node", "/home/it's me"],
    ['win32', 'C:\\Program Files\\100%\\node.exe', 'C:\\Users\\me'],
    ['win32', 'C:\\Users\\项目\\node.exe', 'C:\\Users\\项目'],
  ] as const)('is read back from a launcher on %s', (platform, interpreter, home) => {
    const folder = platform === 'win32' ? `${home}\\a` : `${home}/a`;
    for (const starts of ['entries', { file: 'm.cjs', args: [], variables: { OV_X: 'y' } }] as const) {
      const text = renderLauncher({ platform, home, interpreter, folder, version: '1', starts });
      expect(recordedInterpreter(text, { platform, home })).toBe(interpreter);
    }
  });
});

describe('the server', () => {
  it.each([
    ['warn server/slow', { ...server, answeredInMs: 2_300 }],
    ['error server/certificate', { ...server, state: { kind: 'unreachable', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } }],
    ['error server/certificate', { ...server, state: { kind: 'unreachable', code: 'CERT_HAS_EXPIRED' } }],
    ['warn server/unreachable', { ...server, state: { kind: 'unreachable', code: 'ETIMEDOUT' } }],
    ['error server/rejected', { ...server, state: { kind: 'rejected', status: 403 } }],
  ] as const)('%s', (code, state) => {
    expect(codes(snapshot({ servers: [state] }))).toEqual([code]);
  });

  it('is nobody’s trouble before an installation', () => {
    const state = { kind: 'unreachable', code: 'ECONNREFUSED' } as const;
    const machine = snapshot({ clients: [], installed: [], servers: [{ ...server, state }] });
    expect(codes(machine)).toEqual(['info install/nothing', 'info server/unreachable']);
  });

  it('of our own that does not run is no trouble: a hook starts it', () => {
    const machine = snapshot({ localServer: { port: 1933, launcher: `${HOME}/local/launch` } });
    expect(codes(machine)).toEqual(['info local/stopped']);
  });

  it('of each of two clients is named with them', () => {
    const servers = [server, { ...server, url: 'https://b.test', clients: ['other'] }];
    const [first, second] = runChecks(snapshot({ servers }))
      .flatMap(({ findings }) => findings)
      .filter(({ code }) => code === 'server/ready');
    expect([first?.message.en, second?.message.en]).toEqual([
      expect.stringContaining('(zcode)'),
      expect.stringContaining('(other)'),
    ]);
  });
});

it('how to start a client anew is said for the form that it is wired in', () => {
  const words = (text: string) => ({ en: text, zh: text });
  const facts = { restart: words('reload the plugin'), restartWithoutPlugin: words('start it anew') };
  const { receipt } = client();
  if (receipt === undefined) throw new Error('no receipt');
  const registration = {
    ...{ id: 'p@m', marketplace: 'm', earlier: [], places: [], plugin: 'p', folder: '/m', listed: '1' },
    ...{ programs: [], remove: [], leavesBehind: [], rewrites: [] },
  };
  const said = (more: Partial<ClientReceipt>) =>
    troubles(
      snapshot({
        clients: [client({ receipt: { ...receipt, ...more, installedAt: new Date(NOW).toISOString() } }, facts)],
      }),
    )
      .filter(({ code }) => code === 'zcode/restart-needed')
      .map(({ fix }) => fix?.en);
  expect(said({})).toEqual(['start it anew']);
  expect(said({ registration })).toEqual(['reload the plugin']);
});

describe('two clients that share hooks', () => {
  const yieldsTo = [{ harness: 'other', variable: 'OTHER' }];
  const beat = (outcome: string) => ({
    heartbeats: [
      {
        entry: 'stop',
        file: `${HOME}/beat`,
        event: 'turn-end' as const,
        at: new Date(NOW - MINUTE).toISOString(),
        outcome,
      },
    ],
  });

  it('the other one keeps the conversation where it is installed', () => {
    const machine = snapshot({ clients: [client({}, { yieldsTo })], installed: ['zcode', 'other'] });
    expect(codes(machine)).toEqual(['info zcode/yields']);
    expect(troubles(machine)[0]?.message.en).toContain('Inside Other, the hooks of ZCode step aside');
  });

  it('nobody does where it is not: a remark when it could happen, a warning when it has', () => {
    const could = snapshot({ clients: [client({}, { yieldsTo })], detected: ['zcode', 'other'] });
    expect(codes(could)).toEqual(['info zcode/left-to-nobody']);
    const has = snapshot({ clients: [client(beat('left-to-other'), { yieldsTo })] });
    expect(codes(has)).toEqual(['warn zcode/left-to-nobody']);
    expect(troubles(has)[0]?.fix?.en).toBe('openviking-install --harness other');
    expect(codes(snapshot({ clients: [client({}, { yieldsTo })] }))).toEqual([]);
  });

  it('editions that a hook cannot tell apart count as one: what either of them keeps is kept', () => {
    const editions = { yieldsTo: [...yieldsTo, { harness: 'another', variable: 'OTHER' }] };
    const kept = snapshot({ clients: [client(beat('left-to-other'), editions)], installed: ['zcode', 'another'] });
    expect(codes(kept)).toEqual(['info zcode/yields']);
    expect(troubles(kept)[0]?.message.en).toContain('Inside another, ');
    const could = snapshot({ clients: [client(beat('left-to-other'), editions)], detected: ['zcode', 'another'] });
    expect(codes(could)).toEqual(['warn zcode/left-to-nobody']);
    expect(troubles(could)[0]?.fix?.en).toBe('openviking-install --harness another');
  });
});

describe('the queue', () => {
  const conversation = new Conversation(`${HOME}/spool`, 'zc-a');
  const report = { conversation, depth: 2, deadLetters: 0, isUnderWay: true, oldest: new Date(NOW).toISOString() };

  it('with a worker that holds a conversation for an hour is stuck; for a minute it is at work', () => {
    const held = (ms: number) =>
      snapshot({
        spool: { ...emptySpool, conversations: [report], locks: [{ session: 'zc-a', pid: 4711, heldForMs: ms }] },
      });
    expect(codes(held(60 * MINUTE))).toEqual(['info spool/waiting', 'warn spool/stuck']);
    expect(troubles(held(60 * MINUTE))[1]?.message.en).toContain('Process 4711');
    expect(codes(held(MINUTE))).toEqual(['info spool/waiting']);
  });

  it.each([
    [[], { bytes: 79, maxBytes: 100, isWritable: true }],
    [['warn spool/nearly-full'], { bytes: 80, maxBytes: 100, isWritable: true }],
    [['error spool/full'], { bytes: 100, maxBytes: 100, isWritable: true }],
    [[], { bytes: 1_000, maxBytes: 0, isWritable: true }],
    [['error spool/unwritable'], { bytes: 0, maxBytes: 0, isWritable: false }],
  ])('is %j with %j', (expected, folder) => {
    expect(codes(snapshot({ spool: { ...emptySpool, folders: [{ path: `${HOME}/spool`, ...folder }] } }))).toEqual(
      expected,
    );
  });
});

describe('hooks', () => {
  it.each(['unauthorized', 'failed-ECONNREFUSED', 'circuit-open'])(
    'that ended with %s are a remark once the server answers again',
    (outcome) => {
      const heartbeats = [
        {
          entry: 'stop',
          file: `${HOME}/beat`,
          event: 'turn-end' as const,
          at: new Date(NOW - MINUTE).toISOString(),
          outcome,
        },
      ];
      const severities = (state: ServerSnapshot['state']) =>
        troubles(snapshot({ clients: [client({ heartbeats })], servers: [{ ...server, state }] }))
          .filter(({ code }) => code.startsWith('zcode/'))
          .map(({ severity }) => severity);
      expect(severities({ kind: 'ready' })).toEqual(['info']);
      expect(severities({ kind: 'rejected', status: 401 })).toEqual(['warn']);
    },
  );

  it('tell in words how they ended', () => {
    const at = new Date(NOW - MINUTE).toISOString();
    const beat = { entry: 'stop', file: `${HOME}/beat`, event: 'turn-end' as const, at, outcome: 'no-payload' };
    const groups = runChecks(snapshot({ clients: [client({ heartbeats: [beat] })] }));
    const [ran] = groups.flatMap(({ findings }) => findings).filter(({ code }) => code === 'zcode/hook-ran');
    expect(ran?.message).toEqual({
      en: 'ZCode: stop last ran 1 min ago, got nothing from the client.',
      zh: 'ZCode：stop 上次运行于 1 分钟前，客户端没有传入内容。',
    });
  });
});

describe('every finding of trouble', () => {
  it('says what to do in both languages, and a check that throws is one finding', () => {
    const servers = [{ ...server, answeredInMs: 9_000 }];
    for (const { fix, code } of troubles(snapshot({ servers, credentialFiles: [{ path: '/c', mode: 0o644 }] }))) {
      expect({ code, en: fix?.en.length ?? 0 }).not.toEqual({ code, en: 0 });
      expect(fix?.en).not.toContain('`');
    }
    const broken = { ...snapshot(), profiles: undefined } as unknown as Snapshot;
    expect(codes(broken)).toEqual(['error doctor/defect']);
    expect(CHECKS.length).toBeGreaterThan(10);
  });
});

describe('a plugin from a marketplace, whose MCP server is started without our launcher', () => {
  const withNode = (packagedNode: ClientSnapshot['packagedNode']) =>
    troubles(snapshot({ clients: [client(packagedNode === undefined ? {} : { packagedNode })] }));

  it('needs node on PATH or in the variable', () => {
    expect(withNode({ variable: 'OPENVIKING_NODE', isThere: true })).toEqual([]);
    const [missing] = withNode({ variable: 'OPENVIKING_NODE', isThere: false });
    expect(missing).toMatchObject({
      code: 'zcode/plugin-without-node',
      fix: { en: expect.stringContaining('OPENVIKING_NODE=/usr/bin/node') },
    });
    const [wrong] = withNode({ variable: 'OPENVIKING_NODE', path: '/gone/node', isThere: false });
    expect(wrong?.message.en).toContain('OPENVIKING_NODE is /gone/node');
  });
});

it('files of another user in our folder are named with the way to get them back', () => {
  const strange = { path: `${HOME}/.openviking/logs`, mode: 0o755, uid: 0, gid: 0 };
  const permissions = { root: `${HOME}/.openviking`, owner: 1000, open: [], foreign: [strange, strange] };
  const [finding] = troubles(snapshot({ permissions }));
  expect(finding).toMatchObject({ code: 'install/other-owner', severity: 'error', file: strange.path });
  expect(finding?.message.en).toContain('number 0), and 1 more');
  expect(finding?.fix?.en).toContain('sudo chown -R');
  expect(finding?.repair).toBeUndefined();
});

it('a link to nowhere explains the files behind it, and none beside it', () => {
  const link = { link: `${HOME}/.zcode`, target: '/gone/zcode' };
  const owned = ['.zcode/skills/a.md', '.zcode-other/skills/b.md'].map((name) => ({
    path: `${HOME}/${name}`,
    state: 'missing' as const,
  }));
  const configs = [
    { path: `${HOME}/.zcode/cli/config.json`, isNeeded: true, state: { kind: 'absent' as const, link } },
  ];
  const missing = runChecks(snapshot({ clients: [client({ configs, owned })] }))
    .flatMap(({ findings }) => findings)
    .filter(({ code }) => code === 'zcode/file-missing')
    .map(({ file }) => file);
  expect(missing).toEqual([`${HOME}/.zcode-other/skills/b.md`]);
});

it('a refusal is about the file that it names as its own, not about one whose path its text begins with', () => {
  const configs = ['config', 'config.json'].map((name) => ({
    path: `${HOME}/.zcode/${name}`,
    isNeeded: false,
    state: { kind: 'absent' as const },
  }));
  const file = `${HOME}/.zcode/config.json`;
  const message = { en: `${file}: this file is read-only.`, zh: `${file}：此文件为只读。` };
  const about = (rewiring: ReturnType<typeof client>['rewiring']) =>
    runChecks(snapshot({ clients: [client({ configs, rewiring })] }))
      .flatMap(({ findings }) => findings)
      .filter(({ severity }) => severity === 'error')
      .map((finding) => [finding.code, finding.file]);
  expect(about({ kind: 'refused', message, file })).toEqual([['zcode/config-broken', file]]);
  expect(about({ kind: 'refused', message })).toEqual([['zcode/repair-refused', undefined]]);
});
