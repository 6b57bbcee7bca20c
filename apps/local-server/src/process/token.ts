/** Where the bearer token comes from. A server without one would hand a user's memory to every page and program here. */
import { readFileSync } from 'node:fs';
import { isObject, OpenVikingError, ovcliFile, parseTolerantJson, systemCode } from '@openviking/memory-core/full';

/** The token of the environment, else of ovcli.conf; throws `local-server/no-token` saying what to do. */
export function readToken(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const given = usable(environment['OPENVIKING_LOCAL_TOKEN']);
  if (given !== undefined) return given;
  const file = ovcliFile({ home, env: environment });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw noToken(`${file} does not exist`, file);
    throw noToken(`${file} cannot be read (${systemCode(error) ?? String(error)})`, file);
  }
  const config = parseTolerantJson(text);
  if (!config.ok) throw noToken(`${file} is not valid JSON`, file);
  const key = isObject(config.value) ? config.value['api_key'] : undefined;
  const token = usable(typeof key === 'string' ? key : undefined);
  if (token === undefined) throw noToken(`${file} has no "api_key"`, file);
  return token;
}

function usable(value: string | undefined): string | undefined {
  const text = value?.trim();
  return text === undefined || text === '' || text === 'null' || text === 'undefined' ? undefined : text;
}

function noToken(what: string, file: string): OpenVikingError {
  return new OpenVikingError({
    code: 'local-server/no-token',
    message: `There is no bearer token: OPENVIKING_LOCAL_TOKEN is not set, and ${what}.`,
    next: `Run openviking-install with --local, or put {"api_key": "<a long random text>"} into ${file}.`,
  });
}
