/**
 * Chinese sentences use full-width punctuation, wherever they stand in the code: half-width signs between Chinese characters
 * look like a mistake, and one text with both like two authors.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../../..');
const CHINESE = /[\u4e00-\u9fff]/;

function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.(ts|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The texts of a source file, each with `…` for what is put in at run time, and its line. */
function textsIn(file: string): readonly { readonly text: string; readonly line: number }[] {
  const code = readFileSync(file, 'utf8');
  if (!CHINESE.test(code)) return [];
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const texts: { text: string; line: number }[] = [];
  const visit = (node: ts.Node): void => {
    // A pattern is no sentence.
    if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') return;
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (ts.isStringLiteralLike(node)) texts.push({ text: node.text, line });
    else if (ts.isTemplateExpression(node)) {
      texts.push({
        text: [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…'),
        line,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/** Code, addresses and links keep their own signs, and so does a place in a file: `path:line:column`. */
function sentenceOf(text: string): string {
  return text
    .replaceAll(/\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/`[^`]*`/g, '')
    .replaceAll(/…:…(?::…)?(?=：)/g, '')
    .replaceAll(/https?:\/\/[\w.:/-]*/g, '')
    .replaceAll(/"\w+": ?/g, '');
}

/** Signs of which Chinese has its own; a question mark only behind a Chinese character. */
const HALF_WIDTH = /[,:;()]|[\u4e00-\u9fff][?!]/;

it('no Chinese sentence has half-width punctuation', () => {
  const libraries = readdirSync(join(ROOT, 'libs')).filter((name) => name === 'memory-core' || /^harness-/.test(name));
  const folders = ['apps/installer/src', ...libraries.map((name) => `libs/${name}/src`)];
  const files = folders.flatMap((folder) => sourcesBelow(join(ROOT, folder)));
  const sentences = files.flatMap((file) =>
    textsIn(file)
      .map(({ text, line }) => ({ place: `${relative(ROOT, file)}:${line}`, text: sentenceOf(text) }))
      // What joins the words of a list stands alone; nothing but Chinese is in that file.
      .filter(({ text }) => CHINESE.test(text) || (file.endsWith('-zh.ts') && /^[,:;] ?$/.test(text))),
  );
  expect(sentences.length).toBeGreaterThan(300);
  expect(sentences.filter(({ text }) => HALF_WIDTH.test(text))).toEqual([]);
});
