/** A server whose requests are logged, for `debug`: way, outcome, time and sizes, without queries and bodies. */
import type { Log } from '../log/log.ts';
import type { ApiClient } from './api.ts';

/** The client itself where the log keeps no requests. */
export function loggedClient(client: ApiClient, log: Log): ApiClient {
  const { debug } = log;
  if (debug === undefined) return client;
  return {
    baseUrl: client.baseUrl,
    async call(call) {
      const started = performance.now();
      const result = await client.call(call);
      const outcome = result.ok ? result.status : `${result.failure.status} ${result.failure.code}`;
      const sent = call.body === undefined ? 0 : JSON.stringify(call.body).length;
      const got = result.ok ? (JSON.stringify(result.value) ?? '').length : 0;
      const ms = Math.round(performance.now() - started);
      debug(
        `${call.method} ${call.path.replace(/\?.*/su, '')}: ${outcome}, ${ms} ms, ${sent} characters out, ${got} in`,
      );
      return result;
    },
  };
}
