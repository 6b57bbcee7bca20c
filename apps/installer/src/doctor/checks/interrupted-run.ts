/** A run of the installer that was killed, or that is not over yet: half of its changes may be there. */
import { defineCheck } from '../check.ts';
import { verbatim } from '../finding.ts';

export const interruptedRunCheck = defineCheck({
  group: 'program',
  codes: {
    'install/interrupted': {
      severity: 'warn',
      cause: {
        en: 'A run of the installer was interrupted before its end.',
        zh: '安装程序的一次运行中途被打断。',
      },
      cure: {
        en: 'Let `doctor --fix` end it: it is finished where everything was done, else put back. The next install or uninstall does the same.',
        zh: '用 `doctor --fix` 善后：全部完成的会收尾，否则恢复原状。下一次安装或卸载也会这样做。',
      },
      isFixable: true,
    },
    'install/under-way': {
      severity: 'warn',
      cause: {
        en: 'Another run of the installer is at work in this home: half of its changes may be there.',
        zh: '安装程序的另一次运行正在处理此主目录：可能只完成了部分改动。',
      },
      cure: {
        en: 'Wait until it has finished, then look again.',
        zh: '请等待其完成，然后再次查看。',
      },
    },
    'install/nothing': {
      severity: 'info',
      cause: { en: 'No client is installed in this home.', zh: '此主目录中没有安装任何客户端。' },
      cure: { en: 'Run `openviking-install`.', zh: '运行 `openviking-install`。' },
    },
  },
  run: ({ isInterrupted, runUnderWay, installed, clients }, found) => {
    if (runUnderWay !== undefined) {
      return [
        found('install/under-way', {
          message: {
            en: `Another run is under way (process ${runUnderWay}); what is told here changes with it.`,
            zh: `另一次运行正在进行（进程 ${runUnderWay}）；这里所示的状态会随之变化。`,
          },
        }),
      ];
    }
    if (isInterrupted) {
      return [
        found('install/interrupted', {
          message: {
            en: 'An earlier run of the installer was interrupted; what it left is neither the old state nor the new one.',
            zh: '安装程序此前的一次运行被打断；现状既非旧状态也非新状态。',
          },
          repair: { kind: 'recover' },
        }),
      ];
    }
    if (installed.length > 0) return [];
    const ids = clients.map(({ client }) => client.id).join(',');
    const command = `openviking-install --harness ${ids === '' ? 'CLIENT' : ids} --local`;
    return [
      found('install/nothing', {
        message: { en: 'Nothing is installed in this home yet.', zh: '此主目录中尚未安装。' },
        fix: verbatim(command),
      }),
    ];
  },
});
