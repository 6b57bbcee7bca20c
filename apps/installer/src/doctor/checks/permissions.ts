/** Who else can change, or has taken over, what lies in our folder. */
import { defineCheck } from '../check.ts';
import type { FoundPath } from '../snapshot/permissions.ts';

export const permissionsCheck = defineCheck({
  group: 'program',
  codes: {
    'install/others-can-write': {
      severity: 'warn',
      cause: {
        en: 'Files or folders in `~/.openviking` can be written by other users of this machine: they could change the programs that run with every prompt, or what waits for the server.',
        zh: '本机其他用户可以写入 `~/.openviking` 中的文件或文件夹：他们可能改动每次提示时运行的程序，或等待发送的内容。',
      },
      cure: {
        en: 'Let `doctor --fix` take that permission away, or `chmod -R go-w ~/.openviking`.',
        zh: '用 `doctor --fix` 收回该权限，或执行 `chmod -R go-w ~/.openviking`。',
      },
      isFixable: true,
    },
    'install/other-owner': {
      severity: 'error',
      cause: {
        en: 'Files or folders in `~/.openviking` belong to another user, as after a run with sudo: hooks of the user cannot write or read there.',
        zh: '`~/.openviking` 中的文件或文件夹属于其他用户，常见于用 sudo 运行之后：用户的钩子无法在其中读写。',
      },
      cure: {
        en: 'Give them back: `sudo chown -R "$(id -un)" ~/.openviking`. Only an administrator can do that.',
        zh: '请归还所有权：`sudo chown -R "$(id -un)" ~/.openviking`。只有管理员可以执行。',
      },
    },
  },
  run: ({ permissions: { root, open, foreign } }, found) => {
    const [first] = open;
    const [strange] = foreign;
    return [
      ...(first === undefined
        ? []
        : [
            found('install/others-can-write', {
              file: first.path,
              message: {
                en: `Other users of this machine can write here (permissions ${first.mode.toString(8)})${more(open).en}.`,
                zh: `本机其他用户可以写入此处（权限 ${first.mode.toString(8)}）${more(open).zh}。`,
              },
              fix: { en: `chmod -R go-w '${root}'`, zh: `chmod -R go-w '${root}'` },
              repair: { kind: 'modes', root, paths: open.map(({ path }) => path) },
            }),
          ]),
      ...(strange === undefined
        ? []
        : [
            found('install/other-owner', {
              file: strange.path,
              message: {
                en: `This belongs to another user (number ${strange.uid})${more(foreign).en}: hooks may be kept from it.`,
                zh: `此处属于其他用户（编号 ${strange.uid}）${more(foreign).zh}：钩子可能无法访问。`,
              },
              fix: {
                en: `As an administrator: \`sudo chown -R "$(id -un)" '${root}'\``,
                zh: `请以管理员身份执行：\`sudo chown -R "$(id -un)" '${root}'\``,
              },
            }),
          ]),
    ];
  },
});

function more({ length }: readonly FoundPath[]) {
  return length === 1
    ? { en: '', zh: '' }
    : { en: `, and ${length - 1} more below ~/.openviking`, zh: `，~/.openviking 下另有 ${length - 1} 处` };
}
