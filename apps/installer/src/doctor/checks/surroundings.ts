/** What is wrong around the program files: things of another kind in the places of our folders, and a clock that was ahead. */
import { defineCheck } from '../check.ts';
import { duration } from '../words.ts';
import type { DoctorFinding } from '../finding.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** So far ahead, in ms, a time is no matter of two clocks that differ a little. */
const AHEAD_MS = 5 * 60_000;

export const surroundingsCheck = defineCheck({
  group: 'program',
  codes: {
    'install/not-a-folder': {
      severity: 'error',
      cause: {
        en: 'Something that is no folder has the place of `~/.openviking` or of one of our folders in it: hooks can write nothing there.',
        zh: '`~/.openviking` 或其中某个我们的文件夹的位置上不是文件夹：钩子无法在其中写入。',
      },
      cure: {
        en: 'Move it away, then install again.',
        zh: '请将其移走，然后重新安装。',
      },
    },
    'install/clock': {
      severity: 'warn',
      cause: {
        en: 'Notes of ours are dated in the future: the clock of this machine was ahead, or is behind now. Ages are wrong until then, and waiting may take longer.',
        zh: '我们的记录带有未来的日期：本机时钟曾经超前，或现在落后。在此之前时间显示不准，等待也可能更久。',
      },
      cure: {
        en: 'Set the clock right. Once it is, the next hook replaces the note.',
        zh: '请校准时钟。之后下一个钩子会更新记录。',
      },
    },
  },
  run: (snapshot, found) => [
    ...snapshot.notFolders.map((file) =>
      found('install/not-a-folder', {
        file,
        message: {
          en: 'A folder of ours must be here, and this is none: hooks can write nothing.',
          zh: '此处应为我们的文件夹，但并不是：钩子无法写入。',
        },
      }),
    ),
    ...aheadOf(snapshot).map(({ file, ms, client }): DoctorFinding =>
      found('install/clock', {
        ...(client === undefined ? {} : { client }),
        file,
        message: {
          en: `This is dated ${duration(ms).en} ahead of the clock of this machine.`,
          zh: `此处的日期比本机时钟超前 ${duration(ms).zh}。`,
        },
      }),
    ),
  ],
});

/** The one of each kind that is furthest ahead. */
function aheadOf({ clients, spool, now }: Snapshot): readonly { file: string; ms: number; client?: string }[] {
  const dated = [
    clients.flatMap(({ client, heartbeats }) =>
      heartbeats.map(({ at, file }) => ({ file, at: at ?? '', client: client.id })),
    ),
    clients.flatMap(({ client, receipt, receiptPath }) =>
      receipt === undefined ? [] : [{ file: receiptPath, at: receipt.installedAt, client: client.id }],
    ),
    spool.conversations.map(({ conversation, oldest = '' }) => ({ file: conversation.folder, at: oldest })),
  ];
  return dated.flatMap((notes) => {
    const [furthest] = notes
      .map(({ at, ...note }) => ({ ...note, ms: Date.parse(at) - now }))
      .filter(({ ms }) => ms > AHEAD_MS)
      .sort((one, other) => other.ms - one.ms);
    return furthest === undefined ? [] : [furthest];
  });
}
