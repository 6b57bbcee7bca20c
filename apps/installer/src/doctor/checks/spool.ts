/** What waits for the server: whether it moves, and what keeps it from moving. */
import { defineCheck } from '../check.ts';
import { counted, duration } from '../words.ts';
import type { Found } from '../check.ts';
import type { DoctorFinding } from '../finding.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { SpoolFolder } from '../snapshot/spool.ts';
import type { ConversationReport } from '../../spool/report.ts';

/** A turn that has waited longer than this, in ms, is one that something is wrong with. */
const OLD_MS = 24 * 60 * 60_000;
/** No worker lives as long as this, in ms: one that holds a conversation longer is stuck. */
const STUCK_MS = 10 * 60_000;
/** With less room than this a turn may not fit, in bytes. */
const LEAST_FREE_BYTES = 64 * 1024;
/** The share of its limit from which a queue is nearly full. */
const NEARLY = 0.8;

export const spoolCheck = defineCheck({
  group: 'spool',
  codes: {
    'spool/empty': { severity: 'ok', cause: { en: 'Nothing waits.', zh: '没有等待发送的内容。' } },
    'spool/waiting': {
      severity: 'info',
      cause: { en: 'Turns wait and are sent when the server answers.', zh: '有对话等待发送，服务器恢复后会自动发送。' },
    },
    'spool/old': {
      severity: 'warn',
      cause: { en: 'A turn has waited for more than a day.', zh: '有对话等待超过一天。' },
      cure: {
        en: 'See what is said about the server, then `openviking-install spool retry`.',
        zh: '请查看关于服务器的检查结果，然后执行 `openviking-install spool retry`。',
      },
    },
    'spool/elsewhere': {
      severity: 'info',
      cause: {
        en: 'Turns wait that were said where variables name another server or key than here: only a hook with the same variables sends them.',
        zh: '有些对话发生在 `OPENVIKING_*` 变量指向其他服务器或密钥的环境中：只有带相同变量的钩子才会发送。',
      },
      cure: {
        en: 'Start the client there, or `openviking-install spool retry` in a shell with these variables. If they have changed for good (a new key, a new address): `openviking-install spool retry --here` where the new ones hold. What nobody wants any more: `spool drop`.',
        zh: '在该环境中启动客户端，或在带有这些变量的终端中执行 `openviking-install spool retry`。若变量已永久更改（新密钥、新地址）：在新变量生效处执行 `openviking-install spool retry --here`。不再需要的内容：执行 `spool drop`。',
      },
    },
    'spool/commit-refused': {
      severity: 'warn',
      cause: {
        en: 'The server keeps a conversation and refuses to make memories of it; it is asked again at the next turn, and after an hour.',
        zh: '服务器保存了会话，但拒绝将其转为记忆；会在下一轮对话或一小时后再次请求。',
      },
      cure: {
        en: 'Usually an earlier archive failed: see the log of the server.',
        zh: '通常是之前的归档失败：请查看服务器日志。',
      },
    },
    'spool/failing': {
      severity: 'warn',
      cause: {
        en: 'The server answers and failed when a conversation was last sent, as with 500; it is sent again after pauses that grow, and no other one waits for it.',
        zh: '服务器有响应，但上次发送某个会话时出错（例如 500）；会以逐渐延长的间隔重新发送，其他会话不受影响。',
      },
      cure: {
        en: 'See the log of the server. What nobody wants any more: `openviking-install spool drop`.',
        zh: '请查看服务器日志。不再需要的内容：执行 `openviking-install spool drop`。',
      },
    },
    'spool/blocked': {
      severity: 'error',
      cause: {
        en: 'The server has refused exactly these credentials: nothing is sent until they change.',
        zh: '服务器拒绝了当前凭据：在更换之前不会发送任何内容。',
      },
      cure: {
        en: 'Hand over the right key; to try the same once more, `openviking-install spool retry`.',
        zh: '请提供正确的密钥；若要用原凭据再试一次，执行 `openviking-install spool retry`。',
      },
    },
    'spool/dead-letters': {
      severity: 'warn',
      cause: {
        en: 'Messages are kept that the server has refused for good, or that waited longer than `spoolMaxAgeDays`.',
        zh: '保留着被服务器永久拒绝、或等待超过 `spoolMaxAgeDays` 的消息。',
      },
      cure: {
        en: '`openviking-install spool list` shows them; retry or drop them.',
        zh: '用 `openviking-install spool list` 查看，然后重试或删除。',
      },
    },
    'spool/damaged': {
      severity: 'warn',
      cause: { en: 'A conversation waits of which no record can be read.', zh: '有会话的记录全部无法读取。' },
      cure: {
        en: 'Look at it with `spool show`, remove it with `spool drop`.',
        zh: '用 `spool show` 查看，用 `spool drop` 删除。',
      },
    },
    'spool/stuck': {
      severity: 'warn',
      cause: {
        en: 'A delivery worker has held a conversation for longer than any lives.',
        zh: '投递进程占用会话的时间超出其正常寿命。',
      },
      cure: {
        en: 'End the process that is named; the next hook starts another.',
        zh: '请结束所指的进程；下一个钩子会启动新的进程。',
      },
    },
    'spool/nearly-full': {
      severity: 'warn',
      cause: { en: 'The queue has nearly reached its limit.', zh: '队列即将达到上限。' },
      cure: { en: 'Let it be delivered, or raise `spoolMaxBytes`.', zh: '请让其完成发送，或调大 `spoolMaxBytes`。' },
    },
    'spool/full': {
      severity: 'error',
      cause: { en: 'The queue has reached its limit: nothing new is captured.', zh: '队列已达上限：不再采集新内容。' },
      cure: { en: 'Let it be delivered, or raise `spoolMaxBytes`.', zh: '请让其完成发送，或调大 `spoolMaxBytes`。' },
    },
    'spool/disk-full': {
      severity: 'error',
      cause: {
        en: 'The disk of the queue is full: nothing new is captured.',
        zh: '队列所在磁盘已满：不再采集新内容。',
      },
      cure: {
        en: 'Free some space; capture goes on by itself, and nothing that waits is lost.',
        zh: '请清理磁盘空间；采集会自动恢复，等待发送的内容不会丢失。',
      },
    },
    'spool/unwritable': {
      severity: 'error',
      cause: { en: 'Hooks cannot write into the folder of the queue.', zh: '钩子无法写入队列文件夹。' },
      cure: { en: 'Check who owns the folder and its permissions.', zh: '请检查文件夹的所有者和权限。' },
    },
  },
  run: (snapshot, found) => [
    ...waitingTurns(snapshot, found),
    ...turnsOfElsewhere(snapshot, found),
    ...refusedCommits(snapshot, found),
    ...failingConversations(snapshot, found),
    ...blockedCredentials(snapshot, found),
    ...deadLetters(snapshot, found),
    ...unreadableRecords(snapshot, found),
    ...stuckWorkers(snapshot, found),
    ...snapshot.spool.folders.flatMap((folder) => folderOf(folder, snapshot, found)),
  ],
});

type SpoolCode =
  | 'spool/empty'
  | 'spool/waiting'
  | 'spool/old'
  | 'spool/elsewhere'
  | 'spool/commit-refused'
  | 'spool/failing'
  | 'spool/blocked'
  | 'spool/dead-letters'
  | 'spool/damaged'
  | 'spool/stuck'
  | 'spool/nearly-full'
  | 'spool/full'
  | 'spool/disk-full'
  | 'spool/unwritable';

/** One look at the queue. */
type Look = (snapshot: Snapshot, found: Found<SpoolCode>) => readonly DoctorFinding[];

function turnsIn(some: readonly ConversationReport[]): number {
  return some.reduce((sum, { depth }) => sum + depth, 0);
}

/** What the hooks of this environment send. */
function ofHere({ spool }: Snapshot): readonly ConversationReport[] {
  return spool.conversations.filter(({ isElsewhere }) => isElsewhere !== true);
}

const waitingTurns: Look = (snapshot, found) => {
  const here = ofHere(snapshot);
  const waiting = turnsIn(here);
  if (turnsIn(snapshot.spool.conversations) === 0) {
    return [found('spool/empty', { message: { en: 'Nothing waits.', zh: '没有等待发送的内容。' } })];
  }
  if (waiting === 0) return [];
  const [oldest] = here.flatMap(({ oldest: at }) => at ?? []).sort();
  const age = oldest === undefined ? 0 : snapshot.now - Date.parse(oldest);
  return [
    found(age > OLD_MS ? 'spool/old' : 'spool/waiting', {
      message: {
        en: `${counted(waiting, 'turn')} ${waiting === 1 ? 'waits' : 'wait'}${oldest === undefined ? '' : `, the oldest for ${duration(age).en}`}.`,
        zh: `有 ${waiting} 轮对话等待发送${oldest === undefined ? '' : `，最早的已等待 ${duration(age).zh}`}。`,
      },
      ...(age > OLD_MS ? { fix: { en: 'openviking-install spool retry', zh: 'openviking-install spool retry' } } : {}),
    }),
  ];
};

const turnsOfElsewhere: Look = (snapshot, found) => {
  const elsewhere = turnsIn(snapshot.spool.conversations) - turnsIn(ofHere(snapshot));
  if (elsewhere === 0) return [];
  return [
    found('spool/elsewhere', {
      message: {
        en: `${counted(elsewhere, 'turn')} ${elsewhere === 1 ? 'waits' : 'wait'} for a hook with the environment ${elsewhere === 1 ? 'it was' : 'they were'} said in.`,
        zh: `有 ${elsewhere} 轮对话等待带有原环境的钩子来发送。`,
      },
      fix: {
        en: 'With the same OPENVIKING_* variables set: openviking-install spool retry. After a change of key or address, with the new ones: openviking-install spool retry --here',
        zh: '设置相同的 OPENVIKING_* 变量后执行：openviking-install spool retry。更换密钥或地址后，在新变量下执行：openviking-install spool retry --here',
      },
    }),
  ];
};

const refusedCommits: Look = ({ spool }, found) =>
  spool.conversations.flatMap(({ conversation, refusedCommit }) => {
    if (refusedCommit === undefined) return [];
    return [
      found('spool/commit-refused', {
        message: {
          en: `The server refuses to make memories of ${conversation.session} (${refusedCommit}).`,
          zh: `服务器拒绝将 ${conversation.session} 转为记忆（${refusedCommit}）。`,
        },
        fix: {
          en: 'See the log of the server. It is asked again by itself.',
          zh: '请查看服务器日志。之后会自动再次请求。',
        },
      }),
    ];
  });

/** One for each error: a server with a fault may fail at every conversation. The one that is tried next is named. */
const failingConversations: Look = ({ spool }, found) => {
  const errors = new Set(spool.conversations.flatMap(({ lastError }) => lastError ?? []));
  return [...errors].flatMap((error) => {
    const [first, ...others] = spool.conversations
      .filter(({ lastError }) => lastError === error)
      .sort((one, other) => (one.waitMs ?? 0) - (other.waitMs ?? 0));
    if (first === undefined) return [];
    const { session } = first.conversation;
    const more = others.length;
    const wait = first.waitMs === undefined ? undefined : duration(first.waitMs);
    return [
      found('spool/failing', {
        message: {
          en: `The server fails at ${session}${more === 0 ? '' : ` and ${counted(more, 'other conversation')}`} (${error}); ${session} is tried again ${wait === undefined ? 'at the next delivery' : `in ${wait.en}`}.`,
          zh: `服务器处理 ${session}${more === 0 ? '' : ` 及另外 ${more} 个会话`}时出错（${error}）；${session} 将在${wait === undefined ? '下次投递时' : ` ${wait.zh}后`}重试。`,
        },
        fix: {
          en: 'See the log of the server. Which conversations: openviking-install spool list',
          zh: '请查看服务器日志。涉及哪些会话：openviking-install spool list',
        },
      }),
    ];
  });
};

const blockedCredentials: Look = (snapshot, found) => {
  const waiting = turnsIn(ofHere(snapshot));
  return snapshot.spool.delivery
    .filter(({ isBlocked }) => isBlocked)
    .map(({ url, lastError = '' }) =>
      found('spool/blocked', {
        message: {
          en: `The server at ${url} has refused the credentials (${lastError}), and nothing is sent with them any more; ${counted(waiting, 'turn')} ${waiting === 1 ? 'waits' : 'wait'}.`,
          zh: `${url} 的服务器拒绝了凭据（${lastError}），不再用它发送任何内容；有 ${waiting} 轮对话在等待。`,
        },
        fix: {
          en: 'Hand over the right key: openviking-install --api-key-stdin. To try the same once more: openviking-install spool retry',
          zh: '请提供正确的密钥：openviking-install --api-key-stdin。若要再试一次：openviking-install spool retry',
        },
      }),
    );
};

const deadLetters: Look = ({ spool }, found) => {
  const letters = spool.conversations.reduce((sum, conversation) => sum + conversation.deadLetters, 0);
  if (letters === 0) return [];
  return [
    found('spool/dead-letters', {
      message: {
        en: `The server has refused ${counted(letters, 'message')} for good, or ${letters === 1 ? 'it' : 'they'} waited too long; ${letters === 1 ? 'it is' : 'they are'} kept.`,
        zh: `有 ${letters} 条消息被服务器永久拒绝或等待过久，已保留。`,
      },
      fix: { en: 'Why: openviking-install spool list', zh: '查看原因：openviking-install spool list' },
    }),
  ];
};

const unreadableRecords: Look = ({ spool }, found) =>
  spool.conversations.filter(isUnreadable).map(({ conversation: { session, records } }) =>
    found('spool/damaged', {
      file: records,
      message: { en: `No record of ${session} can be read.`, zh: `${session} 的记录全部无法读取。` },
      fix: { en: `openviking-install spool show ${session}`, zh: `openviking-install spool show ${session}` },
    }),
  );

const stuckWorkers: Look = ({ spool }, found) =>
  spool.locks
    .filter(({ heldForMs }) => heldForMs >= STUCK_MS)
    .map(({ session, pid, heldForMs }) =>
      found('spool/stuck', {
        message: {
          en: `Process ${pid} has been delivering ${session} for ${duration(heldForMs).en}.`,
          zh: `进程 ${pid} 投递 ${session} 已持续 ${duration(heldForMs).zh}。`,
        },
        fix: {
          en: `End process ${pid}; the next hook starts another.`,
          zh: `请结束进程 ${pid}；下一个钩子会启动新的进程。`,
        },
      }),
    );

/** Whether there is room in a folder of the queue, and whether hooks may write there. */
function folderOf(folder: SpoolFolder, { notFolders }: Snapshot, found: Found<SpoolCode>): readonly DoctorFinding[] {
  const { path, isWritable, freeBytes } = folder;
  const findings: DoctorFinding[] = [];
  if (!isWritable && !notFolders.includes(path)) {
    findings.push(
      found('spool/unwritable', {
        file: path,
        message: { en: 'Hooks cannot write here: no turn is kept.', zh: '钩子无法写入此处：对话不会被保存。' },
        fix: { en: 'Check its owner and permissions.', zh: '请检查其所有者和权限。' },
      }),
    );
  }
  if (freeBytes !== undefined && freeBytes < LEAST_FREE_BYTES) {
    findings.push(
      found('spool/disk-full', {
        file: path,
        message: { en: 'Its disk is full: nothing new is captured.', zh: '所在磁盘已满：不再采集新内容。' },
        fix: { en: 'Free some space; capture goes on by itself.', zh: '请清理磁盘空间；采集会自动恢复。' },
      }),
    );
  }
  return [...findings, ...fullQueue(folder, found)];
}

/** The share of its limit that the queue has reached. */
function fullQueue({ path, bytes, maxBytes }: SpoolFolder, found: Found<SpoolCode>): readonly DoctorFinding[] {
  if (maxBytes === 0 || bytes < maxBytes * NEARLY) return [];
  const isFull = bytes >= maxBytes;
  const percent = Math.floor((bytes / maxBytes) * 100);
  return [
    found(isFull ? 'spool/full' : 'spool/nearly-full', {
      file: path,
      message: isFull
        ? { en: 'The queue is full: nothing new is captured.', zh: '队列已满：不再采集新内容。' }
        : { en: `The queue is ${percent} % full.`, zh: `队列已用 ${percent}%。` },
      fix: { en: 'Let it be delivered, or raise spoolMaxBytes.', zh: '请让其完成发送，或调大 spoolMaxBytes。' },
    }),
  ];
}

function isUnreadable({ depth, oldest }: ConversationReport): boolean {
  return depth > 0 && oldest === undefined;
}
