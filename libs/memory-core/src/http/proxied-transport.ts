/** Requests through an HTTP proxy (undici): apart from the choice of the way, which every hook makes. */
import { systemCode } from '../errors/error.ts';
import type { HttpOutcome, Transport } from './request.ts';
import type { ProxyModule } from './transport.ts';

export function throughProxy(proxy: string, loadProxy: () => ProxyModule): Transport {
  return async (request): Promise<HttpOutcome> => {
    // What is left of a deadline is a fraction, and such a signal takes whole numbers only.
    const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(request.timeoutMs)));
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    try {
      const answer = await loadProxy().requestThroughProxy({
        method: request.method,
        url: request.url,
        proxy,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...request.headers,
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(request.ca === undefined ? {} : { ca: request.ca }),
        signal,
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > (request.maxBytes ?? 32 * 1024 * 1024)) {
          answer.body.destroy();
          return { kind: 'failure', code: 'TOO_LARGE', message: 'the answer is too long', ambiguous: true };
        }
        chunks.push(chunk);
      }
      return {
        kind: 'response',
        status: answer.status,
        headers: answer.headers,
        body: Buffer.concat(chunks).toString(request.encoding ?? 'utf8'),
      };
    } catch (error) {
      const code = signal.aborted ? 'TIMEOUT' : (systemCode(error) ?? 'PROXY');
      // What a proxy did with a request that then failed cannot be known, unless it was never reached.
      return {
        kind: 'failure',
        code,
        message: error instanceof Error ? error.message : String(error),
        ambiguous: code !== 'ECONNREFUSED' && code !== 'ENOTFOUND',
      };
    }
  };
}
