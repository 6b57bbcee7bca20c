import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../contract/settings.ts';
import { OpenVikingError } from '../errors/error.ts';
import { identityHeaders } from './identity-headers.ts';

const base: Connection = {
  baseUrl: 'http://127.0.0.1:1933',
  mcpUrl: 'http://127.0.0.1:1933/mcp',
  authMode: 'api_key',
  extraHeaders: {},
  source: { url: 'default', apiKey: 'none' },
};
const userAgent = 'openviking-memory-zcode/1.2.3';

describe('identityHeaders', () => {
  it('sends the user agent always and the key when there is one', () => {
    expect(identityHeaders(base, { userAgent })).toEqual({ 'User-Agent': userAgent });
    expect(identityHeaders({ ...base, apiKey: 'sk-1\n' }, { userAgent })).toEqual({
      'User-Agent': userAgent,
      Authorization: 'Bearer sk-1',
    });
  });

  it('sends account and user in trusted mode only', () => {
    const connection = { ...base, account: 'acme', user: 'ann' };
    expect(identityHeaders(connection, { userAgent })).toEqual({ 'User-Agent': userAgent });
    expect(identityHeaders({ ...connection, authMode: 'trusted' }, { userAgent, peer: 'p' })).toEqual({
      'User-Agent': userAgent,
      'X-OpenViking-Account': 'acme',
      'X-OpenViking-User': 'ann',
      'X-OpenViking-Actor-Peer': 'p',
    });
  });

  it('adds extra headers but lets them replace nothing, in any spelling', () => {
    const extraHeaders = {
      'X-Gateway-Token': 'g',
      AUTHORIZATION: 'Bearer stolen',
      'content-type': 'text/plain',
      accept: '*/*',
      'mcp-session-id': 'x',
      'Mcp-Protocol-Version': '1',
      'Transfer-Encoding': 'chunked',
      'Accept-Encoding': 'gzip',
      HOST: 'elsewhere',
      'x-openviking-actor-peer': 'other',
    };
    const connection = { ...base, apiKey: 'k', extraHeaders };
    expect(identityHeaders(connection, { userAgent, peer: 'mine' })).toEqual({
      'X-Gateway-Token': 'g',
      'User-Agent': userAgent,
      Authorization: 'Bearer k',
      'X-OpenViking-Actor-Peer': 'mine',
    });
  });

  it('keeps a protected header out even when there is nothing to replace', () => {
    expect(identityHeaders({ ...base, extraHeaders: { authorization: 'Basic x' } }, { userAgent })).toEqual({
      'User-Agent': userAgent,
    });
  });

  it.each([
    [{ apiKey: 'a\r\nX-Evil: 1' }, 'Authorization', 'X-Evil'],
    [{ apiKey: '密钥secret' }, 'Authorization', 'secret'],
    [{ extraHeaders: { 'X-A': 'secret\nX-B: 1' } }, 'X-A', 'secret'],
    [{ extraHeaders: { 'X-A\r\nX-B': 'secret' } }, 'X-A', 'secret'],
  ])('refuses what would inject or garble a header and does not repeat the value', (part, named, hidden) => {
    const build = (): unknown => identityHeaders({ ...base, ...part }, { userAgent });
    expect(build).toThrow(named);
    try {
      build();
    } catch (error) {
      expect(OpenVikingError.is(error) && error.code).toBe('http/unusable-header');
      expect(JSON.stringify([String(error), (error as OpenVikingError).next])).not.toContain(hidden);
    }
  });
});
