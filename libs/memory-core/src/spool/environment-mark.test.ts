import { describe, expect, it } from '@jest/globals';
import { environmentMark, withoutDestination, withoutSettings } from './environment-mark.ts';

const STAGING = { OPENVIKING_URL: 'https://staging.example', OPENVIKING_API_KEY: 'staging-key-41c7' };

describe('the mark of an environment', () => {
  it('is empty where no variable says where the server is', () => {
    for (const env of [{}, { HOME: '/h', OPENVIKING_DEBUG: '1' }, { OPENVIKING_URL: ' ', OPENVIKING_API_KEY: 'null' }])
      expect(environmentMark(env)).toBe('');
  });

  it('is the same in every process of that environment, and tells nothing of it', () => {
    const mark = environmentMark(STAGING);
    expect(mark).toMatch(/^[0-9a-f]{8}$/u);
    const { OPENVIKING_URL, OPENVIKING_API_KEY } = STAGING;
    expect(environmentMark({ A: 'b', OPENVIKING_API_KEY, OPENVIKING_URL: `${OPENVIKING_URL} ` })).toBe(mark);
  });

  it.each([
    'OPENVIKING_URL',
    'OPENVIKING_BEARER_TOKEN',
    'OPENVIKING_API_KEY',
    'OPENVIKING_ACCOUNT',
    'OPENVIKING_USER',
    'OPENVIKING_AUTH_MODE',
    'OPENVIKING_EXTRA_HEADERS',
    'OPENVIKING_CREDENTIAL_SOURCE',
    'OPENVIKING_CLI_CONFIG_FILE',
    'OPENVIKING_CONFIG_FILE',
  ])('differs by %s, and a shell without it has none', (name) => {
    expect(environmentMark({ ...STAGING, [name]: 'x' })).not.toBe(environmentMark({ ...STAGING, [name]: 'y' }));
    expect(environmentMark(withoutDestination({ A: 'b', [name]: 'x' }))).toBe('');
    expect(withoutSettings({ [name]: 'x', OPENVIKING_AUTO_CAPTURE: '0' })).toEqual({ [name]: 'x' });
  });

  it.each(['OPENVIKING_PEER_ID', 'OPENVIKING_MCP_URL'])('does not differ by %s, which decides no delivery', (name) => {
    const mark = environmentMark({ [name]: 'one' });
    expect(mark).not.toBe('');
    expect(environmentMark({ [name]: 'two' })).toBe(mark);
  });

  it.each([
    ['http://h', 'http://h/'],
    ['http://h', 'HTTP://H:80//'],
    ['https://h:8443/memory', 'https://H:8443/memory/'],
    ['h:1933', 'h:1933'],
  ])('is the same for %s and %s', (one, other) => {
    expect(environmentMark({ OPENVIKING_URL: other })).toBe(environmentMark({ OPENVIKING_URL: one }));
    expect(environmentMark({ OPENVIKING_BASE_URL: other })).toBe(environmentMark({ OPENVIKING_URL: one }));
  });

  it.each([
    ['http://h', 'https://h'],
    ['http://h', 'http://h:1933'],
    ['http://h/one', 'http://h/two'],
    ['http://h/one', 'http://h/ONE'],
  ])('tells %s from %s', (one, other) => {
    expect(environmentMark({ OPENVIKING_URL: other })).not.toBe(environmentMark({ OPENVIKING_URL: one }));
  });

  it('goes by what counts where a thing is said twice, whatever the other name says', () => {
    const { OPENVIKING_API_KEY: key } = STAGING;
    const mark = environmentMark(STAGING);
    expect(environmentMark({ OPENVIKING_URL: STAGING.OPENVIKING_URL, OPENVIKING_BEARER_TOKEN: key })).toBe(mark);
    expect(environmentMark({ ...STAGING, OPENVIKING_BASE_URL: 'https://unused.example' })).toBe(mark);
    const led = { ...STAGING, OPENVIKING_BEARER_TOKEN: key };
    expect(environmentMark({ ...led, OPENVIKING_API_KEY: 'unused' })).toBe(mark);
    // The same word as a key and as an account are two things.
    expect(environmentMark({ OPENVIKING_API_KEY: 'x' })).not.toBe(environmentMark({ OPENVIKING_ACCOUNT: 'x' }));
  });
});

describe('an environment without what it says of the memory', () => {
  const ENV = { openviking_url: 'https://h', OpenViking_Api_Key: 'k', openviking_auto_capture: '0', Path: 'p' };

  it('goes by names in any case on Windows, where a copy lists them as they were set', () => {
    expect(withoutDestination(ENV, 'win32')).toEqual({ openviking_auto_capture: '0', Path: 'p' });
    expect(withoutSettings(ENV, 'win32')).toEqual({ openviking_url: 'https://h', OpenViking_Api_Key: 'k', Path: 'p' });
  });

  it('knows other names to be other variables elsewhere', () => {
    expect(withoutDestination(ENV, 'linux')).toEqual(ENV);
    expect(withoutSettings(ENV, 'linux')).toEqual(ENV);
  });
});
