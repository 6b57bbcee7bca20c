/** The signs of life of each client's hooks: whether they run at all, and how the last run of each ended. */
import type { Localized } from '@openviking/memory-core/full';
import { defineCheck } from '../check.ts';
import { duration } from '../words.ts';
import type { DoctorFinding } from '../finding.ts';
import { outcomeWords } from '../../status/outcome-words.ts';
import type { Heartbeat } from '../../status/heartbeat.ts';

/** So long after an installation a silence of the hooks may just mean that nobody has worked with the client, in ms. */
const PATIENCE_MS = 24 * 60 * 60_000;
/** So long after one hook ran the other of the same turn must have, in ms. */
const TURN_MS = 30 * 60_000;

export const hooksCheck = defineCheck({
  group: 'clients',
  codes: {
    '<client>/hook-ran': {
      severity: 'ok',
      cause: {
        en: 'A hook has run; when, how long and how it ended is told.',
        zh: '钩子运行过；给出时间、用时和结果。',
      },
    },
    '<client>/not-started-yet': {
      severity: 'info',
      cause: {
        en: 'No hook has run since the installation, which is not long ago: the client has not been restarted or not been used.',
        zh: '安装后不久，尚无钩子运行：客户端还没有重启或使用。',
      },
      cure: { en: 'Restart the client, and do what else it needs.', zh: '请重启客户端，并完成其所需的其他步骤。' },
    },
    '<client>/never-ran': {
      severity: 'warn',
      cause: {
        en: 'No hook has run since the installation, although the client has started our MCP server since, or a day has passed: the client has not enabled or trusted the hooks, or runs them in a sandbox that forbids our folder.',
        zh: '安装后没有任何钩子运行，而客户端已启动过我们的 MCP 服务器，或已过去一天：客户端没有启用或信任钩子，或在禁止访问我们文件夹的沙箱中运行钩子。',
      },
      cure: {
        en: 'Do what the message says about this client, restart it, and send one prompt.',
        zh: '请按消息中关于该客户端的说明操作，重启后发送一条提示。',
      },
    },
    '<client>/hooks-not-allowed': {
      severity: 'warn',
      cause: {
        en: 'No hook has run since the installation, and the client runs none before the user allows it on a page of its own: most likely that has not been done, or the sandbox forbids our folder.',
        zh: '安装后没有任何钩子运行，而该客户端在用户于其设置页面允许之前不会运行钩子：很可能尚未允许，或沙箱禁止访问我们的文件夹。',
      },
      cure: {
        en: 'Allow hooks in the client as the message says, restart it, and send one prompt.',
        zh: '请按消息在客户端中允许钩子，重启后发送一条提示。',
      },
    },
    '<client>/hook-silent': {
      severity: 'warn',
      cause: {
        en: 'The prompt hook runs and the one at the end of a turn does not, or the other way round: half of the memory is missing.',
        zh: '提示钩子在运行而回合结束钩子没有运行，或反之：记忆只完成了一半。',
      },
      cure: {
        en: 'Look in the client whether that hook is enabled, then restart it.',
        zh: '请在客户端中确认该钩子已启用，然后重启。',
      },
    },
    '<client>/restart-needed': {
      severity: 'info',
      cause: { en: 'Hooks have run, but none since this installation.', zh: '钩子曾运行过，但在本次安装之后还没有。' },
      cure: { en: 'Restart the client.', zh: '请重启客户端。' },
    },
    '<client>/hook-unauthorized': {
      severity: 'warn',
      cause: { en: 'The server refused the key when the hook last asked.', zh: '钩子上次请求时服务器拒绝了密钥。' },
      cure: {
        en: 'Hand over the right key: `openviking-install --api-key-stdin`.',
        zh: '请提供正确的密钥：`openviking-install --api-key-stdin`。',
      },
    },
    '<client>/hook-failed': {
      severity: 'warn',
      cause: {
        en: 'The server did not answer the hook as it should; the outcome names the failure.',
        zh: '服务器没有正常响应钩子；结果中写明了失败原因。',
      },
      cure: { en: 'See what is said about the server.', zh: '请查看关于服务器的检查结果。' },
    },
    '<client>/hook-deadline': {
      severity: 'warn',
      cause: { en: 'The hook ran out of time and answered nothing.', zh: '钩子超时，没有给出内容。' },
      cure: {
        en: 'Look at the server’s answer times and at the load of this machine.',
        zh: '请检查服务器响应时间和本机负载。',
      },
    },
    '<client>/hook-error': {
      severity: 'error',
      cause: { en: 'The hook ended with an error of its own.', zh: '钩子自身出错。' },
      cure: {
        en: 'The log `~/.openviking/logs/<client>.log` says where. Please report it.',
        zh: '日志 `~/.openviking/logs/<client>.log` 写明了位置。请反馈此问题。',
      },
    },
    '<client>/capture-stopped': {
      severity: 'error',
      cause: {
        en: 'A turn was not stored: the queue is full, or the disk would not take it.',
        zh: '有一轮对话未能保存：队列已满，或磁盘无法写入。',
      },
      cure: {
        en: 'See what is said about the queue; free space on the disk.',
        zh: '请查看关于队列的检查结果，并清理磁盘空间。',
      },
    },
  },
  run: ({ clients, now, servers }, found) =>
    clients.flatMap(({ client, receipt, heartbeats, serverStarted }): readonly DoctorFinding[] => {
      if (receipt === undefined) return [];
      const { id, name, trust } = client;
      const restart =
        receipt.registration === undefined ? (client.restartWithoutPlugin ?? client.restart) : client.restart;
      const installed = Date.parse(receipt.installedAt);
      const since = heartbeats.filter(({ at }) => at !== undefined && Date.parse(at) >= installed);
      const steps: Localized = {
        en: [restart.en, trust?.en].filter((text) => text !== undefined).join(' '),
        zh: [restart.zh, trust?.zh].filter((text) => text !== undefined).join(''),
      };
      const isReady = servers.some(({ clients: ids, state }) => ids.includes(id) && state.kind === 'ready');
      const outcomes = heartbeats.flatMap((beat) => {
        if (beat.at === undefined) return [];
        const code = codeOf(beat.outcome);
        const isOver = isReady && (code === '<client>/hook-unauthorized' || code === '<client>/hook-failed');
        return [
          found(code, {
            client: id,
            message: ranText(name, beat, now),
            // What the server refused then, it takes now.
            ...(isOver ? { severity: 'info' as const } : {}),
          }),
        ];
      });
      if (since.length === 0) {
        const hasRun = heartbeats.some(({ at }) => at !== undefined);
        if (hasRun) {
          return [
            ...outcomes,
            found('<client>/restart-needed', {
              client: id,
              message: {
                en: `No hook of ${name} has run since this installation.`,
                zh: `本次安装之后，${name} 的钩子还没有运行过。`,
              },
              fix: restart,
            }),
          ];
        }
        const wasStarted = serverStarted !== undefined && Date.parse(serverStarted) >= installed;
        const isLong = now - installed > PATIENCE_MS;
        if (!wasStarted && !isLong) {
          return [
            found('<client>/not-started-yet', {
              client: id,
              message: { en: `No hook of ${name} has run yet.`, zh: `${name} 的钩子还没有运行过。` },
              fix: steps,
            }),
          ];
        }
        if (client.asksBeforeHooks === true) {
          const ago = duration(now - installed);
          return [
            found('<client>/hooks-not-allowed', {
              client: id,
              message: {
                en: `No hook of ${name} has run in the ${ago.en} since the installation${wasStarted ? ', although it has started our MCP server' : ''}: it has not been told to run them, or keeps them from our folder.`,
                zh: `安装已过去 ${ago.zh}，${name} 没有运行过任何钩子${wasStarted ? '，尽管它启动过我们的 MCP 服务器' : ''}：尚未允许其运行钩子，或钩子无法访问我们的文件夹。`,
              },
              fix: steps,
            }),
          ];
        }
        return [
          found('<client>/never-ran', {
            client: id,
            message: wasStarted
              ? {
                  en: `${name} started our MCP server ${duration(now - Date.parse(serverStarted)).en} ago and has never run a hook: they are not enabled or trusted there, or kept from our folder.`,
                  zh: `${name} 在 ${duration(now - Date.parse(serverStarted)).zh}前启动过我们的 MCP 服务器，却从未运行钩子：钩子未被启用或信任，或无法访问我们的文件夹。`,
                }
              : {
                  en: `No hook of ${name} has ever run, ${duration(now - installed).en} after the installation.`,
                  zh: `安装已过去 ${duration(now - installed).zh}，${name} 的钩子从未运行。`,
                },
            fix: steps,
          }),
        ];
      }
      return [
        ...outcomes,
        ...silent(since, heartbeats, now).map((entry) =>
          found('<client>/hook-silent', {
            client: id,
            message: {
              en: `Hooks of ${name} run, but ${entry} never has.`,
              zh: `${name} 的其他钩子在运行，但 ${entry} 从未运行。`,
            },
            fix: trust ?? restart,
          }),
        ),
      ];
    }),
});

/** Entries that never ran although the other of the two that belong to every turn did, long enough ago. */
function silent(since: readonly Heartbeat[], all: readonly Heartbeat[], now: number): readonly string[] {
  const [prompt, end] = (['prompt', 'turn-end'] as const).map((event) => all.filter((beat) => beat.event === event));
  const ran = (beats: readonly Heartbeat[] | undefined): boolean =>
    (beats ?? []).some((beat) => since.includes(beat) && now - Date.parse(beat.at ?? '') > TURN_MS);
  const never = (beats: readonly Heartbeat[] | undefined): readonly string[] =>
    (beats ?? []).every(({ at }) => at === undefined) ? (beats ?? []).map(({ entry }) => entry) : [];
  return [...(ran(prompt) ? never(end) : []), ...(ran(end) ? never(prompt) : [])];
}

function codeOf(outcome = 'ok') {
  switch (outcome) {
    case 'unauthorized':
      return '<client>/hook-unauthorized';
    case 'deadline':
      return '<client>/hook-deadline';
    case 'error':
      return '<client>/hook-error';
    case 'disk-full':
    case 'spool-full':
    case 'not-noted':
      return '<client>/capture-stopped';
    default:
      return outcome.startsWith('failed-') || outcome === 'circuit-open' ? '<client>/hook-failed' : '<client>/hook-ran';
  }
}

function ranText(
  name: string,
  { entry, at = '', durationMs, outcome, injectedTokens }: Heartbeat,
  now: number,
): Localized {
  const ago = duration(now - Date.parse(at));
  const ms = durationMs === undefined ? undefined : Math.round(durationMs);
  const ending = outcome === undefined ? undefined : outcomeWords(outcome);
  const tokens = injectedTokens === undefined ? undefined : Math.round(injectedTokens);
  return {
    en:
      [
        `${name}: ${entry} last ran ${ago.en} ago`,
        ...(ms === undefined ? [] : [`${ms} ms`]),
        ...(ending === undefined ? [] : [ending.en]),
        ...(tokens === undefined ? [] : [`${tokens} tokens injected`]),
      ].join(', ') + '.',
    zh:
      [
        `${name}：${entry} 上次运行于 ${ago.zh}前`,
        ...(ms === undefined ? [] : [`用时 ${ms} 毫秒`]),
        ...(ending === undefined ? [] : [ending.zh]),
        ...(tokens === undefined ? [] : [`注入 ${tokens} 个 token`]),
      ].join('，') + '。',
  };
}
