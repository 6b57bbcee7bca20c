import { describe, expect, it } from '@jest/globals';
import { isLoopbackHost, proxyFor } from './proxy-environment.ts';

const PROXY = 'http://proxy.corp:3128';

describe('proxyFor', () => {
  it('takes the variable of the target scheme, lower case first, then ALL_PROXY', () => {
    expect(proxyFor('https://a.example/mcp', { HTTPS_PROXY: PROXY })).toBe(PROXY);
    expect(proxyFor('http://a.example/mcp', { HTTPS_PROXY: PROXY })).toBeUndefined();
    expect(proxyFor('http://a.example/mcp', { HTTP_PROXY: 'http://upper:1', http_proxy: 'http://lower:1' })).toBe(
      'http://lower:1',
    );
    expect(proxyFor('https://a.example/mcp', { ALL_PROXY: PROXY })).toBe(PROXY);
    expect(proxyFor('https://a.example/mcp', {})).toBeUndefined();
  });

  it('treats an empty variable as unset and a proxy without a scheme as http', () => {
    expect(proxyFor('https://a.example', { HTTPS_PROXY: ' ' })).toBeUndefined();
    expect(proxyFor('https://a.example', { HTTPS_PROXY: 'proxy.corp:3128' })).toBe('http://proxy.corp:3128');
  });

  it.each([
    'http://localhost:1933/mcp',
    'http://memory.localhost:1933/mcp',
    'http://127.0.0.1:1933/mcp',
    'http://127.8.9.10/mcp',
    'http://127.1/mcp',
    'http://[::1]:1933/mcp',
    'http://[::ffff:127.0.0.1]:1933/mcp',
    'http://0.0.0.0:1933/mcp',
    'https://LOCALHOST./mcp',
  ])('never proxies loopback: %s', (url) => {
    expect(proxyFor(url, { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, ALL_PROXY: PROXY })).toBeUndefined();
  });

  it.each([
    ['*', 'https://a.example/', true],
    ['a.example', 'https://a.example/', true],
    ['example', 'https://a.example/', true],
    ['.example', 'https://a.example/', true],
    ['*.example', 'https://a.example/', true],
    ['ample', 'https://a.example/', false],
    ['A.EXAMPLE.', 'https://a.example/', true],
    ['a.example:443', 'https://a.example/', true],
    ['a.example:8443', 'https://a.example/', false],
    ['a.example:8443', 'https://a.example:8443/', true],
    ['a.example:80', 'http://a.example/', true],
    ['10.0.0.7', 'http://10.0.0.7:1933/', true],
    ['0.0.7', 'http://10.0.0.7:1933/', false],
    ['10.0.0.0/8', 'http://10.200.0.7/', true],
    ['10.0.0.0/8', 'http://11.0.0.7/', false],
    ['10.0.0.0/99', 'http://10.0.0.7/', false],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['[fd12::1]:1933', 'http://[fd12::1]:1933/', true],
    ['[fd12::1]:1934', 'http://[fd12::1]:1933/', false],
    ['fd12::1', 'http://[fd12::1]:1933/', true],
    ['other.org, ,a.example', 'https://a.example/', true],
    ['other.org a.example', 'https://a.example/', true],
    ['', 'https://a.example/', false],
  ])('NO_PROXY=%s for %s: exempt %s', (noProxy, url, exempt) => {
    const env = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: noProxy };
    expect(proxyFor(url, env)).toBe(exempt ? undefined : PROXY);
  });

  it('answers nothing for what is no http URL', () => {
    expect(proxyFor('not a url', { ALL_PROXY: PROXY })).toBeUndefined();
    expect(proxyFor('ftp://a.example/', { ALL_PROXY: PROXY })).toBeUndefined();
  });
});

describe('isLoopbackHost', () => {
  it('is not fooled by names that only look local', () => {
    expect(isLoopbackHost('localhost.example')).toBe(false);
    expect(isLoopbackHost('127.0.0.1.example')).toBe(false);
    expect(isLoopbackHost('notlocalhost')).toBe(false);
  });
});
