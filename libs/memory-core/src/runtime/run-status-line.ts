/**
 * One line about the memory for a client's status bar, from what hooks and worker have left on disk. The client starts it
 * again and again while the user types: no request, no settings, nothing that takes time, and never an error.
 */
import { join } from 'node:path';
import { readdirSync, statSync } from 'node:fs';
import type { HostFacts } from '../contract/harness.ts';
import { heartbeatPath, homePaths, type HomePaths } from '../fs/home-paths.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { speaksChinese } from '../session/language.ts';
import { readPayload } from './read-stdin.ts';
import { homeFolder } from './home-folder.ts';

/** A client that keeps the pipe open and sends nothing is not waited for, in ms. */
const WAIT_FOR_INPUT_MS = 200;

/** Conversations whose turns are counted. */
const MOST_COUNTED = 100;

type Facts = Pick<HostFacts, 'id' | 'events'>;

/** Reads what the client sends, writes one line, and ends the process with 0. */
export function runStatusLine(facts: Facts): void {
  const leave = (): never => process.exit(0);
  process.on('uncaughtException', leave);
  process.on('unhandledRejection', leave);
  let done = false;
  const write = (): void => {
    if (done) return;
    done = true;
    process.stdout.on('error', leave);
    process.stdout.write(`${statusLine(facts, homePaths(homeFolder()), process.env, Date.now())}\n`, leave);
  };
  setTimeout(write, WAIT_FOR_INPUT_MS);
  // What it says makes no difference; a client whose pipe breaks may take that for a failure.
  void readPayload().then(write);
}

/** The line: what is wrong, or what was recalled last, and how many turns wait. */
export function statusLine(
  { id, events }: Facts,
  paths: HomePaths,
  env: Readonly<Record<string, string | undefined>>,
  now: number,
): string {
  const zh = speaksChinese(env);
  const parts = [delivery(paths, zh) ?? recalled(id, events, paths, now, zh), waiting(paths.spool, zh)];
  return ['OpenViking', ...parts.filter((part) => part !== undefined)].join(' · ');
}

/** The state of the server that was talked to last. */
function delivery(paths: HomePaths, zh: boolean): string | undefined {
  const newest = names(paths.state)
    .filter((name) => /^delivery-.*\.json$/.test(name))
    .map((name) => join(paths.state, name))
    .sort((one, other) => modified(other) - modified(one))[0];
  const state = newest === undefined ? undefined : readJsonObject(newest);
  if (typeof state?.['blockedFor'] === 'string') return zh ? '密钥被拒绝' : 'key refused';
  return Number(state?.['failures']) > 0 ? (zh ? '服务器无响应' : 'server not reached') : undefined;
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function recalled(id: string, events: Facts['events'], paths: HomePaths, now: number, zh: boolean): string | undefined {
  const entry = events.find((event) => event.kind === 'prompt')?.entry;
  const beat = entry === undefined ? undefined : readJsonObject(heartbeatPath(paths, id, entry));
  if (beat === undefined) return undefined;
  const tokens = beat['injectedTokens'];
  const minutes = Math.max(0, Math.floor((now - Date.parse(String(beat['at']))) / 60_000));
  const age = minutes < 1 ? (zh ? '刚刚' : 'just now') : zh ? `${span(minutes)}前` : `${span(minutes)} ago`;
  if (typeof tokens !== 'number') return zh ? `${age}无相关记忆` : `nothing recalled, ${age}`;
  return zh ? `${age}召回 ${tokens} tokens` : `recalled ${tokens} tokens ${age}`;
}

function span(minutes: number): string {
  if (Number.isNaN(minutes)) return '?';
  if (minutes < 60) return `${minutes}min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / (24 * 60))}d`;
}

/**
 * Records of the conversations that are marked as having work: mostly none, and then one folder is looked at. After weeks
 * without a server there are thousands.
 */
function waiting(spool: string, zh: boolean): string | undefined {
  const marked = names(join(spool, '.queue'));
  const count = marked
    .slice(0, MOST_COUNTED)
    .reduce(
      (sum, session) => sum + names(join(spool, session, 'records')).filter((name) => /^\d+\.json$/.test(name)).length,
      0,
    );
  if (count === 0) return undefined;
  const shown = `${count}${marked.length > MOST_COUNTED ? '+' : ''}`;
  return zh ? `${shown} 轮待发送` : `${shown} ${shown === '1' ? 'turn' : 'turns'} waiting`;
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
