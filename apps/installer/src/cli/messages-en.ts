/**
 * Every text that a user reads, in English. The Chinese table has this type, so a missing translation does not compile.
 */
export const ENGLISH = {
  language: 'en' as 'en' | 'zh',
  notUtf8: (path: string) => `${path} is not UTF-8 text. Nothing was written.`,
  notUtf8Next: 'Save the file as UTF-8, then run this again.',
  tooDeep: (path: string) => `${path} is nested too deeply to be read. Nothing was written.`,
  brokenFile: (path: string, line: number, column: number) =>
    `${path}:${line}:${column}: this is not valid JSON. Nothing was written.`,
  brokenFileNext: 'Correct the file at that place, then run this again.',
  wouldBreak: (path: string, what: string) => `The change to ${path} would make the client refuse it: ${what}.`,
  reportDefect: 'Nothing was written. This is a defect of the installer: please report it.',
  wrongShape: (path: string, line: number, column: number, where: string, wanted: 'object' | 'list' | 'value') =>
    `${path}:${line}:${column}: ${where === '' ? 'the file' : where} must be ${wanted === 'value' ? 'a single value' : wanted === 'list' ? 'a list' : 'an object'}. Nothing was written.`,
};
export type Messages = typeof ENGLISH;
