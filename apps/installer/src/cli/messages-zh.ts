/** Every text that a user reads, in Chinese. */
import type { LastRun, Messages } from './messages-en.ts';

const SHAPES = { object: '对象', list: '列表', value: '单个值' } as const;
const ACTIONS = {
  create: '新建',
  change: '修改',
  remove: '删除',
  'place-payload': '放置程序文件到',
  'remove-payload': '删除目录',
  run: '运行',
  rewrite: '保持其余内容不变：',
} as const;
const OWNED = { skill: '技能', command: '命令', rule: '规则', plugin: '插件' } as const;

const ARCHIVE_FAULTS = {
  'not-gzip': '它不是 gzip 文件',
  truncated: '文件不完整',
  header: '它不是 tar 归档，或已损坏',
  path: '其中有路径指向目录之外，或并非在所有系统上可用',
  kind: '其中有链接、设备等既非文件也非目录的内容',
  twice: '其中两项同名',
  'too-many': '其中文件过多',
  'too-large': '解压后过大',
  trailing: '结尾之后还有内容',
  empty: '其中没有文件',
} as const;

export const CHINESE: Messages = {
  language: 'zh',

  error: (message) => `错误：${message}`,
  warning: (message) => `警告：${message}`,
  note: (message) => `提示：${message}`,

  notUtf8: (path) => `${path} 不是 UTF-8 文本。`,
  notUtf8Next: '该客户端的文件均未改动。请将文件另存为 UTF-8 后重试。',
  tooDeep: (path) => `${path} 嵌套过深，无法读取。`,
  brokenFile: (path, line, column) => `${path}:${line}:${column}：从这里开始不是有效的 JSON。`,
  brokenToml: (path, line, column) => `${path}:${line}:${column}：从这里开始不是有效的 TOML。`,
  markersTorn: (path, line, marker) => `${path}:${line}：本程序的内容位于两行标记之间，缺少“${marker}”这一行。`,
  markersTornNext: '该客户端的文件均未改动。请补回该行，或删除该块剩余的内容，然后重试。',
  otherYaml: (path, line, wanted) =>
    `${path}:${line}：最外层必须是${wanted === 'list' ? '列表' : '映射'}，且不使用括号写法。`,
  brokenFileNext: '该客户端的文件均未改动。请更正该处后重试。',
  wrongShape: (path, line, column, where, wanted) =>
    `${path}:${line}:${column}：${where === '' ? '文件内容' : where} 必须是${SHAPES[wanted]}。`,
  wouldBreak: (path, what) => `对 ${path} 的修改会使客户端拒绝该文件：${what}。`,
  wouldMean: (path) => `对 ${path} 的修改会影响到本不该改动的内容。`,
  reportDefect: '这是安装程序的缺陷。请附上 OPENVIKING_DEBUG=1 的输出进行反馈。',
  clientRule: (path, line, what, fix) => `${path}:${line}：${what}。该内容原先就存在，保持原样。${fix}`,
  foreignEntry: (path, where) => `${path}：${where} 是您自己的条目，保持原样。请将其改名或删除后重试，以启用记忆工具。`,
  switchedOn: (path, where) =>
    `${path}：${where} 由 false 改为 true，因为我们的钩子需要它；此文件中您自己的钩子也会重新运行。卸载时会恢复原值，除非您届时已添加了钩子。`,
  shortTimeLimit: (place, event, value, planned) =>
    `${place}：“${value}”小于 ${event} 钩子预期的“${planned}”，客户端可能在它作答之前就将其终止。请调大该值，或删除该行后重新运行。`,
  pluginEnabled: (place, id, name) =>
    `${place}：插件 ${id} 已在 ${name} 中启用。若两者并存，每次提问会回应两次，每轮对话会记录两次。`,
  pluginMove: (removal) =>
    `如需改用本安装方式：${removal}然后重新运行；两种方式共用同一份记忆、队列和连接。如需保留插件，则无需任何操作。`,
  pluginInstalled: (place, id, name) =>
    `${place}：插件 ${id} 已安装在 ${name} 中，但未启用。请保持停用：两者只需其一。`,
  replacedEarlier: (path, count) => `${path}：旧安装程序留下的 ${count} 个条目由我们的取代。`,
  foreignFile: (path) => `${path} 已存在且不属于本程序，保持原样。请先移走该文件，然后重试。`,
  linkedTwice: (one, other) => `${one} 与 ${other} 经由链接是同一个文件，无法同时承担两种用途。`,
  linkedTwiceNext: '请将链接换成独立的文件，或用 --harness 排除其中一个客户端。',
  foreignMarketplace: (place, name) =>
    `${place}：已有一个名为 ${name} 且不属于本程序的插件市场。客户端中同名市场只能有一个：若添加本程序的市场，它会被取代，其中的插件也会丢失。`,
  foreignMarketplaceNext: (line) =>
    `如需保留它，请用 --harness 排除该客户端；否则请自行用 \`${line}\` 移除，然后重新运行。`,
  strictJson: (path, line) =>
    `${path}:${line}：原先就有注释或多余的逗号，保持原样；客户端无法读取含有这类内容的文件，删除之前其插件不会生效。`,
  pluginSwitchedOff: (id, name) => `插件 ${id} 在 ${name} 中已停用，保持原样。如需恢复记忆，请在其中启用。`,
  commandFailed: (line, status, said) => `${line} 运行失败（${status}）${said === '' ? '。' : `：\n${said}`}`,
  commandFailedNext: '所有改动已还原。请自行运行该命令查看原因，然后重试。',
  pluginNotListed: (program, id) => `${program} 已接受 ${id}，却没有将其列出。`,
  pluginStillListed: (program, id) => `${program} 已移除 ${id}，却仍将其列出。`,
  commandGone: (name, id, paths) =>
    `${name}：未找到它的任何命令，因此仅从 ${paths.join('、')} 中移除 ${id}；${name} 自身的记录予以保留。`,
  userChangedFile: (path) => `${path} 保留了您所做的修改。`,
  userFileStays: (path) => `${path} 含有您的修改，予以保留。`,
  onlyOurs: (path, count) => `${path} 在安装之后有过改动：仅移除本程序的 ${count} 个条目。`,
  switchKept: (path, where) =>
    `${path}：${where} 保持为 true，因为您在安装之后添加的钩子需要它。如需关闭，请在该文件中将其改为 false。`,
  unknownRemains: (paths) =>
    `没有安装回执，无从得知以下内容由谁创建，因此予以保留，其中已无内容：${paths.join('、')}。不需要的请自行删除。`,
  unknownFileStays: (path) =>
    `${path} 与本程序的文件同名而内容不同，且没有安装回执，因此予以保留。若不是您的文件，请删除。`,
  severalNames: (files) =>
    `${files.map(({ path, names }) => `${path} 有 ${names} 个名称`).join('，')}（硬链接），均就地写入：其他名称下也会看到改动，用“cp -al”所做的备份也是如此。`,
  switchUnknown: (path, where) =>
    `${path}：${where} 保持为 true，因为没有安装回执，无从得知它原先的值。若您自己的钩子都不需要它，请将其删除。`,

  danglingFolder: (link, target) => `${link} 是指向 ${target} 的链接，而该目录不存在。`,
  danglingFolderNext: '该客户端的文件均未改动。请挂载或获取该处应有的内容，或删除该链接，然后重试。',
  linkLoopNext: '这是一个指回自身的链接。请将其删除，或改为指向真正的位置，然后重试。',
  unreadable: (path, code) => `无法读取 ${path}（${code}）。`,
  notPlain: (path, kind) =>
    `${path} 不是文件，而是${{ folder: '目录', device: '设备', pipe: '命名管道', socket: '套接字' }[kind]}。`,
  tooLarge: (path, megabytes) => `${path} 超过 ${megabytes} MB。`,
  notPlainNext: '未写入任何内容。请查看它是什么并将其移走，然后重试。',
  unwritable: (path, code) => `无法写入 ${path}（${code}）。所有改动已还原。`,
  permissionsNext: '请检查该文件及其目录的所有者和权限，然后重试。',
  diskFullNext: '请释放该磁盘的空间，然后重试。',
  readOnly: (path) => `${path} 是只读文件。`,
  readOnlyNext: (path) => `未写入任何内容。如需修改，请执行 chmod u+w '${path}' 后重试。`,
  notKept: (path) => `${path} 的内容与写入的不一致。所有改动已还原。`,
  notUndone: (paths, why) =>
    `${why === undefined ? '先前的运行被中断' : `运行失败：${why} 改动已撤回`}，但以下内容无法还原：${paths.join('、')}。`,
  notUndoneNext: '这些内容在此期间被改动，或无法写入。请手动检查；其余内容均已还原。之后请重试。',
  homeOfOther: (home) => `${home} 属于其他用户。`,
  homeOfOtherNext: '请以该主目录的所有者身份运行，不要使用 sudo。',
  ownHomeMissing: (home) => `主目录 ${home} 不存在，或不是目录。`,
  ownHomeMissingNext: '未写入任何内容。请把 HOME 设为您的主目录，或用 --home 指定。',
  variableNotAbsolute: (name, value) => `${name} 的值“${value}”不是绝对路径。`,
  variableNotAbsoluteNext: (name, better) =>
    `未写入任何内容。如果指的就是这里，请把 ${name} 设为 ${better}；否则在别处启动的客户端会去找另一个位置。`,
  fileInTheWay: (file, path) => `${file} 是文件，而 ${path} 要求此处是目录。`,
  fileInTheWayNext: '未写入任何内容。请移走该文件，或更正指向它的变量，然后重试。可用 --harness 排除某个客户端。',
  homeMissing: (home) => `--home：目录 ${home} 不存在。`,
  homeMissingNext: '请先创建该目录，或更正路径。',
  lockHeld: (path) => `另一个安装程序正在处理该主目录（${path}）。`,
  lockHeldNext: '请等待其完成后重试。',
  recovered: (finished) =>
    finished ? '上一次运行在最后一步之后中断，现已完成收尾。' : '上一次运行曾中断，其改动现已还原。',
  changedMeanwhile: (path) => `${path} 在此期间发生了变化：正在重新读取。`,
  keepsChanging: (path) => `${path} 不断被其他程序修改。`,
  keepsChangingNext: '未写入任何内容。请退出该客户端后重试。',
  interrupted: '已中断。一切保持原样。',
  declined: '未做任何改动。',
  payloadDamaged: (folder, files) => `安装包已损坏：${folder} 中的 ${files.slice(0, 3).join('、')}。`,
  payloadDamagedNext: '请重新安装该软件包。',

  fetchingPlugin: '正在获取插件…',
  optionOneOf: (flag, values) => `${flag} 只能是以下之一：${values.join('、')}。`,
  nothingToFetch: (source) => `--dist npm 使用本软件包自带的文件，无需获取，因此不能与 --source ${source} 同用。`,
  devAlone: '--source dev 使用本检出构建出的插件，不能与 --dist 同用。',
  distributionWhole: (flag) => `${flag} 只适用于本软件包自带的插件：其他来源的插件是完整的一套。`,
  distributionWholeNext: '请去掉该选项，或加上 --dist npm。',
  distributionNoEffect: (client) => `${client}：--dist 和 --source 在此不起作用，其文件来自本软件包。`,
  noGitAddress: (dist) => `--dist ${dist} 没有 git 地址：对象存储只提供文件，客户端无法从中克隆。`,
  noGitAddressNext: (dist, variable) => `请使用 --dist ${dist} --source archive，或在 ${variable} 中指定 git 服务器。`,
  distAddress: (variable) => `${variable} 中的地址无法使用。`,
  distAddressNext: (variable) => `请把 ${variable} 设为 https 地址，不含用户名、密码、查询参数和空格；http 仅限本机。`,
  checkoutMissing: (folder) => `${folder} 中没有构建好的插件。`,
  checkoutMissingNext: '请在检出目录中运行 `npm run build`，或用 OPENVIKING_DIST_DEV_DIR 指定其他目录。',
  downloadFailed: (url, reason) => `无法下载 ${url}：${reason}。`,
  downloadFailedNext: '未做任何改动。请稍后重试，或使用 --dist npm：它不需要网络。',
  downloadElsewhere: (url, host) => `${url} 指向 ${host}，它不属于该发行渠道。未从那里获取任何内容。`,
  downloadElsewhereNext: (host) => `如果确认无误，请把 ${host} 加入 OPENVIKING_DIST_HOSTS；--dist npm 则不需要网络。`,
  checksumMalformed: (url) => `${url} 中没有该归档的校验和。`,
  checksumWrong: (url, wanted, found) =>
    `${url} 与其校验和不符：应为 ${wanted.slice(0, 16)}…，实际为 ${found.slice(0, 16)}…。`,
  checksumNext: '未做任何改动。请稍后重试；若仍如此，请告知发布者，并使用 --dist npm。',
  archiveRefused: (url, fault, entry) =>
    `已拒绝 ${url}：${ARCHIVE_FAULTS[fault]}${entry === undefined ? '' : `（${entry}）`}。`,
  archiveRefusedNext: '未做任何改动。请告知发布者，并使用 --dist npm：它不需要网络。',
  pluginTreeDamaged: (folder) => `${folder} 中的插件缺失或已损坏。`,
  pluginTreeDamagedNext: '请重新运行安装，插件会重新获取。--dist npm 不需要网络。',
  selfTestFailed: (launcher, status, what) =>
    `启动器 ${launcher} 无法工作（状态 ${status}）${what === '' ? '' : `：${what}`}。所有改动已还原。`,
  selfTestNext: '请确认该目录允许运行程序，并且已安装 Node.js 20.18 或更高版本。',
  nodeTooOld: (interpreter, version, minimum) =>
    `${interpreter} 是 Node.js ${version}；钩子需要 ${minimum} 或更高版本（较新的版本线需要 22.3 或更高）。`,
  nodeTooOldNext: (minimum) => `未写入任何内容。请安装 Node.js ${minimum} 或更高版本，并用它运行。`,

  urlEmpty: '--url 为空。',
  urlSpaces: '--url 中含有空格。',
  urlScheme: (better) => `--url 必须以 http:// 或 https:// 开头。请写成：${better}`,
  urlBroken: '--url 不是有效的 URL。',
  urlUserInfo: '--url 中不能包含用户名或密码；请使用 --api-key-stdin 提供密钥。',
  urlQuery: '--url 中不能包含查询参数或片段。',
  urlRoute: (better) => `--url 应为基础地址，不带 API 路径。请写成：${better}`,
  urlExample: '示例：--url http://127.0.0.1:1933',
  keyTwice: '--api-key、--api-key-env 和 --api-key-stdin 只能使用其中一个。',
  keyNoVariable: '--api-key-env 指定的环境变量未设置。',
  keyCharacters: 'API 密钥中含有不允许的字符（空格、换行或非 ASCII 字符）。',
  keyTooLong: '标准输入的内容过长，不可能是 API 密钥。',
  keyNothing: (source, word) => {
    const place = { option: '--api-key ', variable: '--api-key-env 指定的环境变量', stdin: '标准输入' }[source];
    if (word !== undefined) return `${place}中的“${word}”不是 API 密钥：本应给出密钥的来源没有找到密钥。`;
    if (source === 'option') return '--api-key 只含空白字符。';
    return source === 'variable'
      ? '--api-key-env 指定的环境变量为空。'
      : '--api-key-stdin 需要从标准输入读取 API 密钥，但没有收到任何内容。';
  },
  keyNothingNext:
    "未做任何改动，已保存的密钥保留。请检查提供密钥的文件、命令或变量，然后重试。只有 --api-key '' 会清除已保存的密钥。",
  keyTwiceNext: '请只保留其中一个。--api-key-stdin 可避免密钥出现在进程列表中。',
  keyNoVariableNext: '请先导出该变量，并按原样写出变量名，不带“$”。也可以用 --api-key-stdin 传入密钥。',
  keyCharactersNext: '请重新复制密钥，保持一行、不带引号；--api-key-stdin < 文件 可从文件读取。',
  keyTooLongNext: '请使用只含密钥的文件：--api-key-stdin < 文件。',
  identityCharacters: '--account 和 --user 只接受 ASCII 文本。',
  identityNext: '请按服务器管理员给出的写法填写，或省略该选项。',
  localAndUrl: '--local 自带地址和密钥，不能与 --url 或 --api-key 同时使用。',
  noFreePort: (first, last) => `端口 ${first} 到 ${last} 均被占用，无法启动本地服务器。`,
  noFreePortNext: '未做任何改动。请结束占用这些端口的程序，或用 --url 指定您自己的服务器，然后重试。',
  portTaken: (port) => `本地服务器启动时，端口 ${port} 被其他程序占用。`,
  portTakenNext: '所有改动已还原。请重试。',
  connectionAside: (path, url) =>
    `${path}：此前使用的密钥（属于 ${url}）保留在该文件中。如需恢复，请用 --previous 代替地址和密钥重新运行。`,
  previousMissing: (path) => `${path} 中没有保留先前的地址和密钥。`,
  previousMissingNext: '请用 --url URL 给出地址，用 --api-key-stdin 给出密钥。',
  previousAlone: '--previous 自带地址和密钥，不能与 --url、--local 或密钥选项同时使用。',
  serverReady: '服务器：可以访问，并接受该连接。',
  serverUnreachable: (url, code, launcher, ovcli) =>
    launcher === undefined
      ? `服务器 ${url} 没有响应（${code}）。在它恢复之前，会话会保存在本机。有三种办法：加 --local 重新运行（自带服务器，无需其他依赖）；用 --url URL 指定您的服务器并重新运行；或稍后将地址写入 ${ovcli}。`
      : `本地服务器 ${url} 没有响应（${code}）。请在终端中运行 ${launcher} 查看原因。在它恢复之前，会话会保存在本机。`,
  serverRejected: (url, status, isLocal) =>
    isLocal
      ? `本地服务器 ${url} 拒绝了 ovcli.conf 中的密钥（${status}）。请重新运行 openviking-install --local，使两者使用同一密钥。`
      : `服务器 ${url} 拒绝了 API 密钥（${status}）。请用 --api-key-stdin 提供正确的密钥。`,
  serverUnhealthy: (url, status) => `${url} 上的服务不是正常的 OpenViking 服务器（${status}）。请检查地址。`,
  serverNotStopped: '本地服务器未能停止。',
  serverNotStoppedNext: '未删除任何内容。请结束 openviking-local 进程后重试。',

  harnessEmpty: '--harness 为空。',
  harnessUnknown: (name, suggestion) =>
    `没有名为“${name}”的客户端。${suggestion === undefined ? '' : `您是否想输入“${suggestion}”？`}`,
  harnessNotBuilt: (id) => `“${id}”已知，但尚未实现。`,
  harnessList: (ids) => `本版本支持的客户端：${ids.join('、')}。`,
  noneDetected: '本机上未找到受支持的客户端。请用 --harness 指定。',
  clientRefused: (name, why) => `${name} 被略过。${why}`,
  clientNotFound: (name) => `本机未找到 ${name}；仍已为其写入配置。`,
  pluginNoCommand: (name, commands) =>
    `${name} 的钩子和服务器写在它自己的文件中，而非以插件方式安装：PATH 中未找到 ${commands.join('、')}。用 --claude-bin 指定该命令后重新运行，即可改用插件。`,
  pluginNoSupport: (name, commands) =>
    `${name} 的钩子和服务器写在它自己的文件中，而非以插件方式安装：此版本的 ${commands.join('、')} 不支持插件。可用 --claude-bin 指定其他版本。`,
  removedElsewhere: (name, variable, there, here) =>
    `${name} 接入时${there === undefined ? `未设置 ${variable}` : ` ${variable}=${there}`}，现从该处移除；此终端${here === undefined ? `未设置 ${variable}` : `中 ${variable} 为 ${here}`}。`,
  clientStays: (name, why) => `不移除 ${name}，它的文件保持原样。${why}`,

  optionUnknown: (name, suggestion) =>
    `没有选项 ${name}。${suggestion === undefined ? '' : `您是否想输入 ${suggestion}？`}`,
  optionsExclude: (one, other) => `${one} 与 ${other} 不能同时使用。`,
  commandsEmpty: (name) => `${name} 没有指定任何命令。`,
  optionValue: (name, value) =>
    name === undefined
      ? '某个选项缺少值，或带有多余的值。'
      : value === undefined
        ? `${name} 不接受值。`
        : `${name} 需要一个值：${name}=${value}`,
  optionElsewhere: (name, command, commands) => `${name} 不适用于 ${command}，仅适用于 ${commands.join('、')}。`,
  argumentExtra: '多了一个参数。',
  argumentClient: (id) => `客户端要用选项指定。您是否想输入 --harness ${id}？`,
  commandUnknown: (suggestion) => `没有这个命令。${suggestion === undefined ? '' : `您是否想输入“${suggestion}”？`}`,
  commandNotBuilt: (name) => `“${name}”已知，但尚未实现。`,
  spoolActionUnknown: (suggestion) =>
    `spool 支持 list、retry、show 和 drop。${suggestion === undefined ? '' : `您是否想输入“${suggestion}”？`}`,
  spoolIdMissing: (action) => `spool ${action} 需要会话、轮次或死信的编号。`,
  commandTwice: (command) => `--uninstall 不能与“${command}”同时使用。`,
  languageUnknown: '--lang 只能是 en 或 zh。',
  seeHelp: '运行 openviking-install --help 查看各命令；放在某个命令之后，则列出该命令的全部选项。',

  lookingAtClients: '正在查询各客户端',
  planTitle: (names) => `为 ${names.join('、')} 安装 OpenViking 记忆：`,
  confirmPlan: '现在执行吗？',
  change: (action, path, files) => `${ACTIONS[action]} ${path}${files === undefined ? '' : `（${files} 个文件）`}`,
  modeChange: (from, to) => `权限 ${from} -> ${to}`,
  dryRunEnd: '试运行：未写入任何内容。',
  nothingToDo: '无需操作：一切已就绪。',
  installed: (name) => `${name}：已安装`,
  upToDate: (name) => `${name}：已就绪，无改动`,
  reportHooks: (path) => `钩子       ${path}`,
  reportServer: (path) => `MCP 服务器 ${path}`,
  reportSetting: (path) => `设置       ${path}`,
  reportOwned: (kind, path) => `${OWNED[kind]}       ${path}`,
  reportConnection: (url, key) => `连接：${url}，${key === undefined ? '无 API 密钥' : `API 密钥 ${key}`}`,
  next: '接下来：',
  notInstalled: (names) =>
    names.length === 0 ? '没有已安装的内容，无需操作。' : `${names.join('、')}：未安装，无需操作。`,
  installing: '正在安装',
  removing: '正在移除',
  uninstalledNext: (name) => `${name} 中已打开的会话仍沿用开始时的设置：请关闭该会话，或重新启动 ${name}。`,
  uninstalled: (name) => `${name}：已移除`,
  kept: (purge) => (purge ? '以下内容在安装之前就有，或含有您自己的内容，予以保留：' : '以下内容予以保留：'),
  keptNext: 'openviking-install uninstall --purge 会将其一并删除，包括记忆和未发送的对话。',
  remainsRemoved: '已清除先前安装留下的内容。',
  connectionKept: (path, fields) => `${path}：${fields.join('、')} 在安装之后被修改过，予以保留。`,
  connectionCleared: (path, fields) => `${path}：${fields.join('、')} 曾按要求清空，原来的值未保留。`,
  keyOfOther: (path, url) =>
    `${path}：原有密钥属于 ${url}，不会带到新地址。它保留在该文件中：用 --url 指定原地址或用 --previous 即可恢复。如果新服务器需要密钥，请加上 --api-key-stdin 重新运行。`,
  purgeOthers: (ids) => `--purge 在最后一个客户端移除时才会执行；仍已安装：${ids.join('、')}。`,
  purgeFound: (path) => `${path} 在安装之前就已存在，予以保留。`,
  undelivered: (turns, deadLetters) =>
    `有 ${turns} 轮对话尚未发送到服务器${deadLetters === 0 ? '' : `，另保留有 ${deadLetters} 条被服务器拒绝的消息`}；--purge 会将其删除。`,
  localMemories: (path, bytes, memories) =>
    `本地服务器的${memories === undefined ? '记忆' : ` ${memories} 条记忆`}只保存在 ${path}（${Math.ceil(bytes / 1024)} KB）中；--purge 会将其删除。`,
  undeliveredNext: '未删除任何内容。如确需删除，请加上 --yes。',
  confirmPurge: '删除全部内容，包括未发送的对话和本地记忆吗？',

  guidedTitle: 'OpenViking：编程助手的长期记忆',
  guidedClients: '为哪些客户端启用记忆？（方向键、空格选择，回车继续）',
  guidedFound: (place) => `已找到：${place}`,
  guidedInstalled: '已安装',
  guidedInstalledAt: (place) => `已安装，位于 ${place}`,
  guidedNotFound: '本机上未找到',
  guidedNoClient: '请用空格至少选中一个，或按 Esc 退出。',
  guidedConnection: '记忆保存在哪里？（方向键选择，回车继续）',
  guidedKeep: '保持现状',
  guidedLocal: '在本机',
  guidedLocalHint: '自带小型服务器，无需其他依赖',
  guidedOwn: '在自己的服务器上',
  guidedOwnHint: '需要知道其地址',
  guidedCloud: '在 OpenViking 云服务上',
  guidedCloudHint: '需要其 API 密钥',
  guidedUrl: '服务器地址',
  guidedUrlWrong: '请填写基础地址：以 http:// 或 https:// 开头，含主机名，不带 API 路径。',
  guidedKey: 'API 密钥（输入内容不显示）',
  guidedKeyOptional: 'API 密钥（输入内容不显示；无需密钥则留空）',
  guidedKeyWrong: '密钥不含空格，只有普通的字母、数字和符号。',
  guidedKeyMissing: 'OpenViking 云服务需要密钥。',
  guidedMemories: (place) => `记忆位置：${place}`,
  guidedOwnFolder: (changes, folder) => `在本程序自己的目录 ${folder} 中有 ${changes} 处改动`,
  guidedYes: '是',
  guidedNo: '否',

  queueTakenOver: (messages, folder) =>
    `已接管旧安装程序的钩子未能发送的 ${messages} 条消息，服务器可接收时即会发送。原文件保留在 ${folder}。`,
  queueWaiting: (files, folder) => `将从 ${folder} 接管旧安装程序钩子的 ${files} 个请求。`,
  queueInFlight: (files, folder) =>
    `${folder} 中有 ${files} 个请求正由旧安装程序的钩子发送。请在十分钟后重新运行，以接管剩余内容。`,
  queueUnreadable: (path) => `${path} 无法识别，未做改动；请查看后自行删除。`,
  queueFailed: (folder, code) =>
    `旧安装程序的钩子留在 ${folder} 中的内容未能全部接管（${code}）。没有内容丢失：请重新运行。`,

  statusClient: ({ name, wiring, version, payload, problems, foundAt }) => {
    if (wiring === 'absent') return `${name}：未安装${foundAt === undefined ? '' : `（已发现：${foundAt}）`}`;
    const state = wiring === 'wired' ? '已安装' : '已安装，但不完整';
    return `${name}：${state}，版本 ${version}，程序文件${payload === 'intact' ? '完好' : '已损坏'}，${problems === 0 ? '正常' : `${problems} 个问题`}`;
  },
  statusLastHook: (run) => `最近的钩子  ${run === undefined ? '尚未运行' : `${run.entry}，${lastText(run)}`}`,
  statusLastRecall: (run) => `最近的召回  ${run === undefined ? '还没有' : lastText(run)}`,
  statusLastCapture: (run) => `最近的采集  ${run === undefined ? '还没有' : lastText(run)}`,
  statusWiredElsewhere: (variable, there, here) =>
    `接入时${there === undefined ? `未设置 ${variable}` : ` ${variable}=${there}`}；此终端${here === undefined ? '未设置' : `中为 ${here}`}`,
  statusYields: (other) => `在 ${other} 中：由 ${other} 自己的集成处理`,
  statusHere: (what, file) => (file === undefined ? `此目录：${what}` : `此目录（由 ${file} 设置）：${what}`),
  statusSettings: (all) => (all ? '设置：' : '与默认值不同的设置：'),
  statusSettingsNone: '设置：全部为默认值',
  statusMore: (problems) => `${problems} 个问题。含义和处理办法：openviking-install doctor`,
  statusNext: (command) => `下一步：${command}`,
  statusServer: (url, state) =>
    `服务器：${url}，${{ ready: '正常', rejected: '拒绝 API 密钥', unhealthy: '状态异常', unreachable: '没有响应' }[state]}`,
  statusLocal: (port, pid) =>
    `本地服务器：端口 ${port}，${pid === undefined ? '未运行（钩子会自动启动它）' : `正在运行，进程 ${pid}`}`,
  statusElsewhere: (turns) =>
    `有 ${turns} 轮对话等待带有原环境（OPENVIKING_* 变量与此处不同）的钩子来发送。若此处的变量就是新的：openviking-install spool retry --here`,
  statusSpool: (turns, oldestMs, blocked) => {
    if (turns === 0) return '未发送的对话：无';
    const prospect =
      blocked === 0 ? '服务器恢复后发送' : `${blocked === turns ? '' : `其中 ${blocked} 轮`}已暂停：服务器拒绝了密钥`;
    return `未发送的对话：${turns} 轮${oldestMs === undefined ? '' : `，最早的在 ${agoText(oldestMs)}前`}（${prospect}）`;
  },
  statusDelivery: (url, successMs, lastError, waitMs) =>
    [
      `发往 ${url}：${successMs === undefined ? '尚未成功发送' : `上次成功发送在 ${agoText(successMs)}前`}`,
      ...(lastError === undefined ? [] : [`最近的错误 ${lastError}`]),
      ...(waitMs === undefined ? [] : [`${agoText(waitMs)}后重试`]),
    ].join('，'),
  statusFailing: (session, lastError, waitMs) =>
    [`${session}：最近的错误 ${lastError}`, ...(waitMs === undefined ? [] : [`${agoText(waitMs)}后重试`])].join('，'),
  statusFailingMore: (conversations) => `另有 ${conversations} 个会话：openviking-install spool list`,

  spoolEmpty: '没有等待发送的内容。',
  spoolConversation: ({ depth, deadLetters, oldestMs, state, lastError }) =>
    [
      `${depth} 轮${oldestMs === undefined ? '' : `，最早的在 ${agoText(oldestMs)}前`}`,
      ...(deadLetters === 0 ? [] : [`${deadLetters} 封死信`]),
      {
        delivering: '正在发送',
        elsewhere:
          '等待带有原环境（OPENVIKING_* 变量与此处不同）的钩子来发送；若此处的变量就是新的：spool retry --here',
        blocked: '已停止：服务器拒绝了凭据',
        'backing-off': '等待下一次重试',
        waiting: '服务器恢复后发送',
        refused: '没有其他内容在等待',
      }[state],
      ...(lastError === undefined ? [] : [`最近的错误 ${lastError}`]),
    ].join('；'),
  spoolLastSuccess: (ms) => (ms === undefined ? '尚未成功发送' : `上次成功发送在 ${agoText(ms)}前`),
  spoolListNext: '详情：openviking-install spool show 编号。立即发送：spool retry。丢弃：spool drop 编号。',
  spoolEntry: ({ at, messages, reason }) =>
    at === undefined
      ? '已损坏，无法读取'
      : `${at}，${messages} 条消息${reason === undefined ? '' : `，被拒绝：${reason}`}`,
  spoolRequeued: (letters) => `已将 ${letters} 封死信放回所属会话的队尾。`,
  spoolStarted: (conversations) => `已开始发送 ${conversations} 个会话。查看进展：openviking-install status`,
  spoolElsewhere: (conversations) =>
    `有 ${conversations} 个会话等待带有其他 OPENVIKING_* 变量的钩子来发送。若此处的变量就是新的：openviking-install spool retry --here`,
  spoolHere: (turns, ids, urls) =>
    `将使用此处生效的密钥，把 ${ids.join('、')} 的 ${turns} 轮对话发送到 ${urls.join('、')}。这些对话发生时的 OPENVIKING_* 变量与此处不同，发送后将成为该密钥所有者的记忆。`,
  spoolHereConfirm: '从此处发送吗？',
  spoolHereUnconfirmed: 'spool retry --here 在改用其他密钥或地址发送前需要确认，而当前无法提问。',
  spoolHereNext: '未更改任何内容。若这些对话属于此处生效的密钥，请添加 --yes。',
  spoolHereBusy: (id) => `发送进程正在处理 ${id}，未作更改。请重新运行。`,
  spoolHereMisplaced: '--here 只能与 spool retry 一起使用。',
  spoolNoClient: '没有已安装的客户端可以发送这些内容。请先安装：openviking-install --harness zcode',
  spoolUnreadable: (id) => `${id} 已损坏，无法发送。可用 spool show 查看，或用 spool drop 删除。`,
  spoolUnknown: '队列中没有该编号的内容。',
  spoolUnknownNext: '运行 openviking-install spool list 查看现有内容。',
  spoolGone: '该内容已不存在：在此期间已发送或丢弃。',
  spoolDropWhole: (id, turns, letters) =>
    `将从 ${id} 中删除：${turns} 轮对话和 ${letters} 封死信；其中服务器尚未收到的内容将不复存在。`,
  spoolDropOne: (id, { at, messages }) =>
    `将删除 ${id}：${at === undefined ? '已损坏' : `${at}，${messages} 条消息`}。服务器上没有该内容。`,
  spoolConfirm: '确定永久删除吗？',
  spoolUnconfirmed: 'spool drop 在删除前需要确认，而当前无法提问。',
  spoolBusy: '发送进程正在处理该会话。',
  spoolBusyNext: '未删除任何内容。请稍候重试。',
  spoolUnderWay: '服务器可能已收到该轮的一部分，只有再次发送才能确定。',
  spoolUnderWayNext: '未删除任何内容。请用 openviking-install spool retry 再次发送，或丢弃整个会话。',
  spoolDropped: (id) => `${id}：已删除`,

  doctorLooking: '正在检查',
  doctorRepaired: '已修复：',
  doctorSummary: (errors, warnings, remarks) =>
    errors + warnings + remarks === 0
      ? '一切正常。'
      : [
          ...(errors === 0 ? [] : [`${errors} 个错误`]),
          ...(warnings === 0 ? [] : [`${warnings} 个警告`]),
          ...(remarks === 0 ? [] : [`${remarks} 条提示`]),
        ].join('，'),
  doctorFixable: (findings) => `其中 ${findings} 个可以安全修复：openviking-install doctor --fix`,

  helpOwnOptions: '本命令的选项',
  helpCommonOptions: '所有命令通用的选项',
  helpExamples: '示例',
  helpExitCodes: '退出码',
  helpMore: '运行 openviking-install 命令 --help 查看该命令的全部选项、示例和退出码；加 --lang en 显示英文。',
  helpUsageLine: 'openviking-install [命令] [选项]',
  helpAboutInstall:
    '接入 --harness 指定的客户端（不指定则为找到的所有客户端），并保存连接。在终端中会先列出改动并征求同意；不在终端中运行或加 --yes 时不会询问。再次运行即可修复和更新，已就绪的内容不会改动。',
  helpAboutUninstall:
    '把客户端的所有文件恢复到安装之前的样子。记忆、队列和连接会保留，除非用 --purge 一并删除；如果会因此丢失记忆或未发送的对话，则先询问；不在终端中运行时以 1 结束，需加上 --yes。',
  helpAboutStatus:
    '显示每个客户端是否已接入，钩子最近何时运行、召回和采集；以及服务器、等待发送的内容，和在运行目录中生效的设置。不做任何改动。',
  helpAboutDoctor:
    '检查接入情况、程序文件、服务器、设置和队列，指出每个问题的位置和处理办法。不加 --fix 时不做任何改动。',
  helpAboutSpool: '显示尚未被服务器接收的对话。retry 立即发送，show 显示其中一项，drop 永久删除其中一项并先询问。',
  helpExitDone: '完成；对 status 和 doctor：没有问题',
  helpExitFailed: (command) =>
    command === 'doctor' ? '有错误；加 --strict 时也表示有警告' : '失败，所有改动已还原；加 --strict 时也表示有警告',
  helpExitUsage: '命令行有误，未做任何改动',
  helpExitWarnings: '完成，但有警告',
  helpExitInterrupted: '已中断，一切保持原样',
  helpTitle: 'openviking-install：由 OpenViking 服务器保存的编程助手长期记忆',
  helpUsage: '用法',
  helpCommands: '命令',
  helpOptions: '常用选项',
  helpCommandInstall: '接入客户端或更新到最新（默认）；在终端中会提问',
  helpCommandUninstall: '完整移除',
  helpHere: '与 spool retry 一起使用：从此处发送在其他变量下产生的对话',
  helpCommandSpool: '查看、重新发送或丢弃等待服务器的内容',
  helpCommandStatus: '查看已安装的内容及其是否正常',
  helpCommandDoctor: '全面检查，指出问题和处理办法',
  helpHarness: (command) =>
    `客户端，用逗号分隔或重复给出；默认为${command === 'install' ? '检测到的' : command === 'uninstall' ? '已安装的' : '检测到或已安装的'}客户端`,
  helpAll: (command) => `${command === 'uninstall' ? '已安装的' : '检测到的'}所有客户端：不加 --harness 时即是如此`,
  helpUrl: 'OpenViking 服务器地址',
  helpApiKey: "API 密钥；'' 表示清除已保存的密钥",
  helpApiKeyEnv: '从该环境变量读取 API 密钥',
  helpApiKeyStdin: '从标准输入读取 API 密钥，避免出现在进程列表中',
  helpPrevious: '恢复 ovcli.conf 中保留的先前的地址和密钥',
  helpAccount: '账户，用于 trusted 模式的服务器',
  helpUser: '用户，用于 trusted 模式的服务器',
  helpLocal: '使用内置的本地服务器，无需其他依赖',
  helpDist: '插件市场中的插件从何而来；默认 npm，即本软件包，无需下载',
  helpSource: '获取方式：客户端克隆仓库、下载归档，或使用本检出',
  helpClaudeBin: '要接入的 Claude Code 命令（名称或路径）；默认 claude',
  helpStatusLine: '在 Claude Code 状态栏显示记忆状态',
  helpNoStatusLine: '移除本程序的状态栏',
  helpHooksOnly: '仅安装钩子（召回与记录），不安装记忆工具',
  helpMcpOnly: '仅安装记忆工具，不安装钩子',
  helpDryRun: (command) => `${command === 'doctor' ? '与 --fix 一起使用：' : ''}以 diff 显示改动，不写入`,
  helpKeepGoing: '某个客户端被拒绝时继续处理其他客户端',
  helpPurge: '同时删除由本程序创建的记忆、队列和连接',
  helpFix: '修复只有唯一安全办法的问题，不改动其他内容',
  helpSettings: '列出所有设置及其来源',
  helpYes: '不提问',
  helpJson: '标准输出只有一个 JSON 文档，其余输出到标准错误',
  helpStrict: '有警告时以 1 而不是 3 结束',
  helpLang: '语言；默认取自 OPENVIKING_LANG、LC_ALL、LANG',
  helpHome: '作用于另一个主目录',
  helpUninstall: 'uninstall 命令的旧写法',
  helpVersion: '显示版本',
  helpHelp: '显示本帮助',
  helpClients: (ids) => `本版本支持的客户端：${ids.join('、')}。`,
};

function lastText({ agoMs, durationMs, outcome, tokens }: LastRun): string {
  return [
    `${agoText(agoMs)}前`,
    ...(durationMs === undefined ? [] : [`${Math.round(durationMs)} 毫秒`]),
    ...(outcome === undefined ? [] : [outcome]),
    ...(tokens === undefined ? [] : [`${Math.round(tokens)} 个 token`]),
  ].join('，');
}

function agoText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} 秒`;
  if (minutes < 120) return `${minutes} 分钟`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} 小时` : `${Math.floor(minutes / 1440)} 天`;
}
