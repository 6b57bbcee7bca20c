/** The command line of the fault machine: what was asked for, and the report for people. */
import { parseArgs } from 'node:util';
import { tryEveryCrashPoint, type CrashPointReport } from './crash-points.ts';
import { isClean, runMachine, type MachineReport } from './machine.ts';
import { DISK_KINDS } from './disk.ts';
import { KINDS } from './misbehaviour.ts';
import { runStorm } from './storm.ts';

const HELP = `Usage: npm run fault -- [options]

  --turns N            turns to play (default 300)
  --seed S             what decides everything that is left to chance (default: a new one)
  --kinds A,B          only these kinds of trouble; known: ${[...KINDS, ...DISK_KINDS].join(', ')}
  --generation G       current or old (default: by lot): the server's; an old one has no batches and no counts
  --keep               leave the scratch home for looking into it
  --json               the report as one line of JSON
  --every-crash-point  instead: a two-turn run, killed once before each file operation
  --storm              instead: 50 Stop hooks at the same moment on 5 conversations`;

/** Returns the exit code. `hooks`: folder with the test build. */
export async function runCommandLine(args: readonly string[], hooks: string): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      turns: { type: 'string', default: '300' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      kinds: { type: 'string' },
      generation: { type: 'string' },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      'every-crash-point': { type: 'boolean', default: false },
      storm: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (values['every-crash-point']) {
    const report = await tryEveryCrashPoint({ hooks, progress: (done, all) => progress(`${done} of ${all} points`) });
    console.log(describeCrashPoints(report));
    return report.problems.length === 0 ? 0 : 1;
  }
  if (values.storm) {
    const report = await runStorm(hooks);
    console.log(`${report.hooks} Stop hooks at once, ${report.said} messages, ${report.seconds.toFixed(1)} s`);
    for (const problem of report.problems) console.log(`  ${problem}`);
    console.log(`${report.problems.length} problems`);
    return report.problems.length === 0 ? 0 : 1;
  }
  const report = await runMachine({
    turns: Number(values.turns),
    seed: values.seed,
    hooks,
    keep: values.keep,
    ...(values.generation === 'old' || values.generation === 'current' ? { generation: values.generation } : {}),
    ...(values.kinds === undefined ? {} : { kinds: values.kinds.split(',') }),
    progress: (turns) => progress(`${turns} turns`),
  });
  console.log(values.json ? JSON.stringify(report) : describe(report));
  return isClean(report) ? 0 : 1;
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${text} `);
}

function describeCrashPoints(report: CrashPointReport): string {
  const rows = report.rows.map(
    ({ entry, setting, points, recovered }) =>
      `${entry.padEnd(20)}  ${setting.padEnd(14)}  ${String(points).padStart(6)}  ${String(recovered).padStart(9)}`,
  );
  return [
    `${'process'.padEnd(20)}  setting         points  recovered`,
    ...rows,
    ...report.problems.map((problem) => `  ${problem}`),
    `${report.problems.length} problems, ${report.seconds.toFixed(1)} s`,
  ].join('\n');
}

function describe(report: MachineReport): string {
  const faults = Object.entries(report.faults)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`);
  const lines = [
    `turns         ${report.turns} in ${report.conversations} conversations, ${report.said} messages, ${report.generation} server`,
    `faults        ${faults.length} kinds: ${faults.join(', ')}`,
    `kills         ${report.kills.atOperation} before a file operation, ${report.kills.fromOutside} from outside`,
    `never noted   ${report.neverNoted} prompts whose hook was killed before anything was durable`,
    `lost          ${report.lost.length}`,
    `doubled       ${report.doubled.length}`,
    `out of order  ${report.outOfOrder.length}`,
    `altered       ${report.altered.length}`,
    `other         ${report.misdeeds.length}`,
    `duration      ${report.seconds.toFixed(1)} s`,
    `replay        npm run fault -- --turns ${report.turns} --seed ${report.seed}`,
  ];
  const problems = { ...report };
  for (const what of ['lost', 'doubled', 'outOfOrder', 'altered', 'misdeeds'] as const) {
    for (const problem of problems[what].slice(0, 20)) lines.push(`  ${what}: ${problem}`);
  }
  if (report.home !== undefined) lines.push(`home          ${report.home}`);
  return lines.join('\n');
}
