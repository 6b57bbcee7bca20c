/** The launcher of each client: the one command that clients know. When it is gone or cannot start, hooks fail in silence. */
import { MINIMUM_NODE, runsOn } from '../../payload/launcher.ts';
import { defineCheck } from '../check.ts';
import type { DoctorFinding, Repair } from '../finding.ts';

export const launcherCheck = defineCheck({
  group: 'program',
  codes: {
    'launcher/ready': {
      severity: 'ok',
      cause: {
        en: 'The launcher is there and starts a suitable Node.js.',
        zh: '启动器完好，并能启动合适的 Node.js。',
      },
    },
    'launcher/missing': {
      severity: 'error',
      cause: {
        en: 'The launcher of an installed client is gone; the client cannot start hooks or MCP server.',
        zh: '已安装客户端的启动器不存在；客户端无法启动钩子和 MCP 服务器。',
      },
      cure: {
        en: 'Let `doctor --fix` write it again, or install again.',
        zh: '用 `doctor --fix` 重新生成，或重新安装。',
      },
      isFixable: true,
    },
    'launcher/not-executable': {
      severity: 'error',
      cause: {
        en: 'The launcher has lost the permission to be executed, for example by a copy of the home folder.',
        zh: '启动器失去了可执行权限，例如主目录被复制之后。',
      },
      cure: { en: 'Let `doctor --fix` set it again.', zh: '用 `doctor --fix` 恢复权限。' },
      isFixable: true,
    },
    'launcher/changed': {
      severity: 'warn',
      cause: {
        en: 'The launcher has another content than the installation gave it.',
        zh: '启动器的内容与安装时不同。',
      },
      cure: {
        en: 'If the change is not yours, let `doctor --fix` write it again.',
        zh: '若不是您改动的，用 `doctor --fix` 重新生成。',
      },
      isFixable: true,
    },
    'node/recorded-gone': {
      severity: 'warn',
      cause: {
        en: 'The Node.js that installed the hooks is gone or does not start any more, as after an update by a version manager. The launcher finds another one, which costs time at every hook.',
        zh: '安装时使用的 Node.js 已不存在或无法启动，常见于版本管理器升级之后。启动器会另找一个，但每次钩子都要多花时间。',
      },
      cure: { en: 'Let `doctor --fix` record the current one.', zh: '用 `doctor --fix` 记录当前的 Node.js。' },
      isFixable: true,
    },
    'node/recorded-too-old': {
      severity: 'error',
      cause: {
        en: 'The Node.js that the launcher starts is older than the hooks need.',
        zh: '启动器所用的 Node.js 版本过低，不满足钩子的要求。',
      },
      cure: { en: 'Let `doctor --fix` record the current one.', zh: '用 `doctor --fix` 记录当前的 Node.js。' },
      isFixable: true,
    },
    'node/none-found': {
      severity: 'error',
      cause: {
        en: 'The recorded Node.js is gone, and there is no other one on PATH or in the usual places: no hook runs.',
        zh: '记录的 Node.js 已不存在，PATH 和常见位置也没有其他可用版本：没有任何钩子会运行。',
      },
      cure: {
        en: 'Let `doctor --fix` record the Node.js that runs doctor, or install Node.js.',
        zh: '用 `doctor --fix` 记录运行 doctor 的 Node.js，或安装 Node.js。',
      },
      isFixable: true,
    },
  },
  run: ({ clients, nodeVersion }, found) =>
    clients.flatMap(({ client, program }): readonly DoctorFinding[] => {
      if (program === undefined) return [];
      const { launcher, carried, version } = program;
      const { path, interpreter, fallback } = launcher;
      const { name } = client;
      // Another version of this package would write another launcher: that is an upgrade and no repair.
      const repair: Repair | undefined =
        carried === version && runsOn(nodeVersion) ? { kind: 'launcher', client: client.id } : undefined;
      const place = { client: client.id, file: path, ...(repair === undefined ? {} : { repair }) };
      if (launcher.isBlocked === true) {
        return [
          found('launcher/missing', {
            client: client.id,
            file: path,
            message: {
              en: `Something that is no file stands in the place of the launcher of ${name}: its hooks and MCP server cannot start.`,
              zh: `${name} 启动器的位置上不是文件：其钩子和 MCP 服务器无法启动。`,
            },
            fix: { en: 'Move it away, then run doctor --fix.', zh: '请将其移走，然后运行 doctor --fix。' },
          }),
        ];
      }
      if (!launcher.isThere) {
        return [
          found('launcher/missing', {
            ...place,
            message: {
              en: `The launcher of ${name} is missing: its hooks and MCP server cannot start.`,
              zh: `${name} 的启动器不存在：其钩子和 MCP 服务器无法启动。`,
            },
          }),
        ];
      }
      if (!launcher.isExecutable) {
        return [
          found('launcher/not-executable', {
            ...place,
            message: {
              en: `The launcher of ${name} may not be executed: its hooks and MCP server cannot start.`,
              zh: `${name} 的启动器没有可执行权限：其钩子和 MCP 服务器无法启动。`,
            },
          }),
        ];
      }
      if (!launcher.isUnchanged) {
        return [
          found('launcher/changed', {
            ...place,
            message: {
              en: `The launcher of ${name} is not as the installation left it.`,
              zh: `${name} 的启动器与安装时不同。`,
            },
          }),
        ];
      }
      if (interpreter === undefined) return [];
      if (interpreter.version !== undefined && runsOn(interpreter.version)) {
        return [
          found('launcher/ready', {
            client: client.id,
            message: {
              en: `${name}: the launcher starts Node.js ${interpreter.version}.`,
              zh: `${name}：启动器使用 Node.js ${interpreter.version}。`,
            },
          }),
        ];
      }
      if (interpreter.version !== undefined) {
        return [
          found('node/recorded-too-old', {
            ...place,
            message: {
              en: `The launcher of ${name} starts Node.js ${interpreter.version} (${interpreter.path}); the hooks need ${MINIMUM_NODE}.`,
              zh: `${name} 的启动器使用 Node.js ${interpreter.version}（${interpreter.path}）；钩子需要 ${MINIMUM_NODE} 或更高版本。`,
            },
          }),
        ];
      }
      return [
        fallback === undefined
          ? found('node/none-found', {
              ...place,
              message: {
                en: `The Node.js of ${name}'s hooks, ${interpreter.path}, does not start, and no other one was found: no hook runs.`,
                zh: `${name} 的钩子所用的 Node.js（${interpreter.path}）无法启动，也没有找到其他版本：没有钩子会运行。`,
              },
            })
          : found('node/recorded-gone', {
              ...place,
              message: {
                en: `The Node.js of ${name}'s hooks, ${interpreter.path}, does not start any more; they use ${fallback} instead, after a search at every start.`,
                zh: `${name} 的钩子所用的 Node.js（${interpreter.path}）已无法启动；现改用 ${fallback}，每次启动都要重新查找。`,
              },
            }),
      ];
    }),
});
