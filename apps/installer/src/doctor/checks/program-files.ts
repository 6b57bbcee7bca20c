/** The program files of each client, by the hashes of their manifest. */
import { defineCheck } from '../check.ts';
import type { DoctorFinding } from '../finding.ts';

export const programFilesCheck = defineCheck({
  group: 'program',
  codes: {
    'payload/intact': {
      severity: 'ok',
      cause: { en: 'Every program file has the hash of its manifest.', zh: '所有程序文件的哈希都与清单一致。' },
    },
    'payload/damaged': {
      severity: 'error',
      cause: {
        en: 'Program files are missing or have another content than their manifest says.',
        zh: '程序文件缺失，或其内容与清单不符。',
      },
      cure: {
        en: 'Let `doctor --fix` place them again; with another version of this package, install again.',
        zh: '用 `doctor --fix` 重新放置；若本程序版本不同，请重新安装。',
      },
      isFixable: true,
    },
    'payload/other-version': {
      severity: 'info',
      cause: {
        en: 'The installed version is not the one that this package carries.',
        zh: '已安装的版本与本程序携带的版本不同。',
      },
      cure: {
        en: 'Run `openviking-install` to bring it to this version.',
        zh: '运行 `openviking-install` 更新到本版本。',
      },
    },
    'install/unknown-client': {
      severity: 'warn',
      cause: {
        en: 'There is a receipt of a client that this version of the package does not know, mostly from a newer one.',
        zh: '存在本版本不认识的客户端的安装回执，多半来自更新的版本。',
      },
      cure: {
        en: 'Use the version that installed it: `npx @openviking/install@latest doctor`.',
        zh: '请使用安装它的版本：`npx @openviking/install@latest doctor`。',
      },
    },
    'install/broken-receipt': {
      severity: 'error',
      cause: {
        en: 'The receipt of an installation cannot be read: uninstall does not know what to put back.',
        zh: '安装回执无法读取：卸载时无法得知应恢复的内容。',
      },
      cure: {
        en: 'Install again as the message says: entries that are ours are recognised, and a new receipt is written.',
        zh: '请按消息重新安装：会识别自己的条目并写入新的回执。',
      },
    },
  },
  run: ({ clients, brokenReceipts, strangers, installed }, found) => [
    ...brokenReceipts.map(({ kind, path }) =>
      found('install/broken-receipt', {
        file: path,
        ...(kind === 'connection'
          ? {
              message: {
                en: 'The receipt of the connection cannot be read: a purge would not know which fields of ovcli.conf are ours, and would leave the key in it.',
                zh: '连接的安装回执无法读取：清除时无法得知 ovcli.conf 中哪些字段属于我们，密钥会留在其中。',
              },
              fix: {
                en: 'Run openviking-install with --url and the address of your server: it writes a new one.',
                zh: '运行 openviking-install 并用 --url 指定服务器地址：会写入新的回执。',
              },
            }
          : {
              message: {
                en: 'The receipt of the local server cannot be read: uninstall would leave its program files.',
                zh: '本地服务器的安装回执无法读取：卸载会留下其程序文件。',
              },
              fix: {
                en: `Run openviking-install --harness ${installed[0] ?? 'CLIENT'} --local: it writes a new one.`,
                zh: `运行 openviking-install --harness ${installed[0] ?? '客户端'} --local：会写入新的回执。`,
              },
            }),
      }),
    ),
    ...strangers.map(({ id, path }) =>
      found('install/unknown-client', {
        file: path,
        message: {
          en: `"${id}" is installed, and this version does not know it: nothing is looked at there, and nothing taken out.`,
          zh: `已安装“${id}”，但本版本不认识它：不会检查，也不会移除。`,
        },
      }),
    ),
    ...clients.flatMap(({ client, program, brokenReceipt }): readonly DoctorFinding[] => {
      const { id, name } = client;
      if (brokenReceipt !== undefined) {
        return [
          found('install/broken-receipt', {
            client: id,
            file: brokenReceipt.path,
            message: {
              en: `The receipt of ${name} cannot be read: uninstall would not know what to put back.`,
              zh: `${name} 的安装回执无法读取：卸载时无法恢复原状。`,
            },
            fix: brokenReceipt.isFile
              ? {
                  en: `Run openviking-install --harness ${id}: it recognises what is its own and writes a new one.`,
                  zh: `运行 openviking-install --harness ${id}：它会识别自己的内容并写入新的回执。`,
                }
              : {
                  en: `It is no file: move it away, then run openviking-install --harness ${id}`,
                  zh: `它不是文件：请将其移走，然后运行 openviking-install --harness ${id}`,
                },
          }),
        ];
      }
      if (program === undefined) return [];
      const { folder, version, damaged, carried, isThere } = program;
      const install = `openviking-install --harness ${id}`;
      const other =
        carried === undefined || carried === version
          ? []
          : [
              found('payload/other-version', {
                client: id,
                message: {
                  en: `${name} has version ${version}; this package carries ${carried}.`,
                  zh: `${name} 已安装版本 ${version}；本程序携带版本 ${carried}。`,
                },
                fix: { en: `To change it: ${install}`, zh: `如需更换：${install}` },
              }),
            ];
      if (damaged.length === 0) {
        return [
          found('payload/intact', {
            client: id,
            message: {
              en: `${name}: program files intact, version ${version}.`,
              zh: `${name}：程序文件完好，版本 ${version}。`,
            },
          }),
          ...other,
        ];
      }
      const shown = `${damaged.slice(0, 3).join(', ')}${damaged.length > 3 ? ' …' : ''}`;
      return [
        found('payload/damaged', {
          client: id,
          file: folder,
          message: isThere
            ? {
                en: `Program files of ${name} are missing or changed: ${shown}.`,
                zh: `${name} 的程序文件缺失或被改动：${shown}。`,
              }
            : {
                en: `The folder with the program files of ${name} is not there: no hook can run.`,
                zh: `${name} 的程序文件夹不存在：没有钩子可以运行。`,
              },
          fix: { en: `Install again: ${install}`, zh: `请重新安装：${install}` },
          ...(carried === version && program.launcher.isBlocked !== true
            ? { repair: { kind: 'files', client: id } }
            : {}),
        }),
        ...other,
      ];
    }),
  ],
});
