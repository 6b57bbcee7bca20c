/** Lints the snippets given as JSON on stdin with the real configuration. A process of its own, because ESLint loads its configuration with an import that jest would intercept. */
import { text } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { ESLint } from 'eslint';

const root = resolve(import.meta.dirname, '../../..');
const eslint = new ESLint({ cwd: root });
/** @type {{ path: string, code: string }[]} */
const snippets = JSON.parse(await text(process.stdin));
const found = await Promise.all(
  snippets.map(async ({ path, code }) => {
    const [result] = await eslint.lintText(code, { filePath: resolve(root, path) });
    return (result?.messages ?? []).map(({ ruleId, message }) => `${ruleId}: ${message}`);
  }),
);
console.log(JSON.stringify(found));
