/** Whoever is sent to a line of a file has to find there what was meant, whether the file was written or not. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const FILE = '.zcode/cli/config.json';
const MATCHER = '"matcher": ""';
/** Our hook for Stop goes in front of what the client objects to. */
const TEXT = `{
  "hooks": {
    "events": {
      "Stop": [],
      "PostToolUse": [
        { ${MATCHER}, "hooks": [{ "type": "command", "command": "x" }] }
      ]
    }
  }
}
`;
const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;

it('a rule of the client is told with its line: of the file as it is in a dry run, as it was written otherwise', () =>
  withHome(async (home) => {
    home.write(FILE, TEXT);
    const args = ['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes'];
    const place = (line: number) => `${home.at(FILE)}:${line}: `;
    const dry = await installer.run([...args, '--dry-run', '--json']);
    expect(dry.stdout).toContain(place(lineOf(TEXT, MATCHER)));
    const { notes } = JSON.parse(dry.stdout) as { notes: readonly { code: string; line?: number }[] };
    expect(notes.find(({ code }) => code === 'zcode/empty-matcher')?.line).toBe(lineOf(TEXT, MATCHER));

    const run = await installer.run(args);
    const written = lineOf(home.readText(FILE), MATCHER);
    expect(written).toBeGreaterThan(lineOf(TEXT, MATCHER));
    expect(run.stderr).toContain(place(written));
  }));

it('doctor tells the place of a mistake once', () =>
  withHome(async (home) => {
    await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
    home.write(FILE, '{\n  "hooks": tru');
    for (const [language, text] of [
      ['en', 'From here on this is not valid JSON'],
      ['zh', '从这里开始不是有效的JSON'],
    ] as const) {
      for (const command of ['doctor', 'status']) {
        const run = await installer.run([command, '--home', home.path, '--lang', language]);
        const said = (run.stdout + run.stderr).replaceAll(/\s+/g, ' ').replaceAll(home.path, '~');
        expect(said.split(`~/${FILE}:2:`)).toHaveLength(2);
        expect(said.replaceAll(' ', '')).toContain(text.replaceAll(' ', ''));
      }
    }
  }));
