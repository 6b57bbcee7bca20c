/** JSON as people write it in ovcli.conf: a BOM, comments and commas before a closing bracket are no reason to fail. */

const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const COMMENT = new RegExp(`${STRING}|//[^\\n]*|/\\*[\\s\\S]*?\\*/`, 'g');
const LAST_COMMA = new RegExp(`${STRING}|,(?=\\s*[}\\]])`, 'g');

/** The value of `text`; throws SyntaxError. */
export function parseCommentedJson(text: string): unknown {
  const onlyStrings = (match: string): string => (match.startsWith('"') ? match : ' ');
  return JSON.parse(
    text
      .replace(/^\uFEFF/, '')
      .replace(COMMENT, onlyStrings)
      .replace(LAST_COMMA, onlyStrings),
  );
}
