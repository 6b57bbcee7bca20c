/** Entries → text for the model, where the server did not render them itself. Every entry keeps its address. */
import { cutText, estimateTokens } from '../capture/cut.ts';

export interface RecallEntry {
  readonly uri: string;
  /** 0..1. */
  readonly score: number;
  readonly category: string;
  readonly text: string;
  readonly abstract: string;
}

export interface RenderLimits {
  readonly maxChars: number;
  readonly tokenBudget: number;
  readonly preferAbstract: boolean;
}

export function renderEntries(entries: readonly RecallEntry[], limits?: RenderLimits): string {
  const lines: string[] = [];
  let tokens = 0;
  for (const entry of entries) {
    const preferred = limits?.preferAbstract === true ? entry.abstract || entry.text : entry.text || entry.abstract;
    const body = limits === undefined ? preferred : cutText(preferred, limits.maxChars);
    const line = `- ${entry.uri}${body === '' ? '' : `\n  ${body.trim().replace(/\n/gu, '\n  ')}`}`;
    tokens += estimateTokens(line);
    if (limits !== undefined && tokens > limits.tokenBudget && lines.length > 0) break;
    lines.push(line);
  }
  return lines.join('\n');
}
