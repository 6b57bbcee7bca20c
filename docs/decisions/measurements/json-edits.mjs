/**
 * What jsonc-parser's own editing does to a user's file: `node docs/decisions/measurements/json-edits.mjs`.
 */
import { applyEdits, modify } from 'jsonc-parser';

const files = ['{"hooks":{"enabled":true},"mcp":{}} // mine\n', '{\n\t"mcp": {\n\t\t"a": {}, // keep\n\t},\n}\n'];
for (const text of files) {
  const formattingOptions = { insertSpaces: false, tabSize: 1 };
  console.log(`${text}→\n${applyEdits(text, modify(text, ['mcp', 'ours'], {}, { formattingOptions }))}`);
}
