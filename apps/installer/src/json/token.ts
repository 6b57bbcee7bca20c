/**
 * The scanner's token numbers. jsonc-parser declares them as an ambient const enum, which a file-by-file compiler cannot
 * read; `token.test.ts` holds these against the scanner itself.
 */
export const TOKEN = {
  closeBrace: 2,
  closeBracket: 4,
  comma: 5,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  whiteSpace: 15,
  end: 17,
} as const;
