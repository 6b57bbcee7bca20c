/** Where the memories are kept: as before, on this machine, on the user's own server, or in the cloud. */
import { displayWidth } from '../cli/display-width.ts';
import { interrupted } from '../cli/interruption.ts';
import { Refusal } from '../cli/refusal.ts';
import { keyFrom, maskKey } from '../connection/api-key.ts';
import { readConnection } from '../connection/ovcli-conf.ts';
import { checkServerUrl, displayUrl } from '../connection/server-url.ts';
import { readImage } from '../files/image.ts';
import { installPaths, ovcliPath } from '../machine/machine.ts';
import { LOCAL_SERVER, readReceipt } from '../receipts/receipt.ts';
import { fit, LIST_FRAME } from './fit.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { CommandContext } from '../commands/outcome.ts';
import type { Machine } from '../machine/machine.ts';
import type { Choice, Prompter } from './prompter.ts';

/** Base address of the hosted service. */
const CLOUD_URL = 'https://api.vikingdb.cn-beijing.volces.com/openviking';

export interface ConnectionAnswer {
  /** What the flags would have said. */
  readonly flags: Partial<Pick<Invocation, 'local' | 'url' | 'apiKey'>>;
  /** Where that is, for the summary. */
  readonly place: string;
}

export interface PresentConnection {
  readonly url: string;
  readonly apiKey?: string;
  /** It is the embedded server of an earlier run. */
  readonly isLocal: boolean;
}

/** Throws the refusal of an interruption when the user leaves. */
export async function askConnection(
  prompter: Prompter,
  { machine, terminal }: CommandContext,
): Promise<ConnectionAnswer> {
  const { texts } = terminal;
  const present = presentConnection(machine);
  const choices: Choice<'keep' | 'local' | 'own' | 'cloud'>[] = [
    { value: 'local', label: texts.guidedLocal, hint: texts.guidedLocalHint },
    { value: 'own', label: texts.guidedOwn, hint: texts.guidedOwnHint },
    { value: 'cloud', label: texts.guidedCloud, hint: texts.guidedCloudHint },
  ];
  if (present !== undefined) {
    const key = present.apiKey === undefined ? '' : `, ${maskKey(present.apiKey)}`;
    const room = terminal.columns - LIST_FRAME - displayWidth(texts.guidedKeep) - displayWidth(key);
    choices.unshift({
      value: 'keep',
      label: texts.guidedKeep,
      hint: `${fit(displayUrl(present.url), room)}${key}`,
    });
  }
  const [first] = choices;
  const chosen = await prompter.chooseOne({
    message: texts.guidedConnection,
    choices,
    preset: first?.value ?? 'local',
  });
  switch (chosen) {
    case undefined:
      throw interrupted();
    case 'keep':
      // The embedded server is brought up to date with the clients.
      return { flags: present?.isLocal === true ? { local: true } : {}, place: displayUrl(present?.url ?? '') };
    case 'local':
      return { flags: { local: true }, place: texts.guidedLocal };
    case 'own': {
      const url = checkServerUrl(await askUrl(prompter, texts.guidedUrl, texts.guidedUrlWrong));
      const apiKey = await askKey(prompter, texts.guidedKeyOptional, texts.guidedKeyWrong);
      return { flags: { url, apiKey }, place: displayUrl(url) };
    }
    case 'cloud': {
      const apiKey = await askKey(prompter, texts.guidedKey, texts.guidedKeyWrong, texts.guidedKeyMissing);
      return { flags: { url: CLOUD_URL, apiKey }, place: displayUrl(CLOUD_URL) };
    }
  }
}

/** The connection that `ovcli.conf` holds. A file that cannot be read is the plan's matter. */
export function presentConnection(machine: Pick<Machine, 'home' | 'env'>): PresentConnection | undefined {
  const path = ovcliPath(machine);
  const image = readImage(path);
  const { url, apiKey } = readConnection(
    image === undefined ? undefined : Buffer.from(image.bytes).toString('utf8'),
    path,
  );
  if (url === undefined) return undefined;
  const local = readReceipt(installPaths(machine.home).receipt(LOCAL_SERVER), 'local-server');
  const isLocal = local !== undefined && url === `http://127.0.0.1:${local.port}`;
  return { url, isLocal, ...(apiKey === undefined ? {} : { apiKey }) };
}

async function askUrl(prompter: Prompter, message: string, wrong: string): Promise<string> {
  const url = await prompter.write({
    message,
    example: 'https://openviking.example.com',
    complain: (typed) => (isAccepted(() => checkServerUrl(typed)) ? undefined : wrong),
  });
  if (url === undefined) throw interrupted();
  return url;
}

/** `missing`: what to say when nothing was typed; absent where that means "no key". */
async function askKey(prompter: Prompter, message: string, wrong: string, missing?: string): Promise<string> {
  const key = await prompter.writeHidden({
    message,
    complain: (typed) => {
      if (typed === '') return missing;
      return isAccepted(() => keyFrom(typed, 'option')) ? undefined : wrong;
    },
  });
  if (key === undefined) throw interrupted();
  return key.trim();
}

function isAccepted(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
