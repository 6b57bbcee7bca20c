/** Breaks text into lines that fit a terminal: between words, and between any two Chinese characters. */
import { displayWidth } from './display-width.ts';

/** Lines of at most `width` columns; a word that is wider, such as a path, stands alone on a line and is not cut. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const [piece] of text.matchAll(PIECE)) {
    const isTooLong = displayWidth(line + piece.trimEnd()) > width;
    if (isTooLong && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = piece.trimStart();
    } else line += piece;
  }
  if (line.trim() !== '' || lines.length === 0) lines.push(line.trimEnd());
  return lines;
}

/** One wide character with the punctuation that must not begin a line, or a run of everything else up to a space. */
const PIECE =
  /[\u2e80-\u2fff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff“（《][，。；：、！？”）》]*|(?:(?![\u2e80-\u2fff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff“（《\s])\S)+\s*|\s+/gu;
