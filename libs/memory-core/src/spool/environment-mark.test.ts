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
    'OPENVIKING_BASE_URL',
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

  it('does not differ by the peer of a project, which lies with every turn', () => {
    const mark = environmentMark({ OPENVIKING_PEER_ID: 'one' });
    expect(mark).not.toBe('');
    expect(environmentMark({ OPENVIKING_PEER_ID: 'two' })).toBe(mark);
  });
});
