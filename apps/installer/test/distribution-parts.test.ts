import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { networkVariables } from '../src/distribution/network-variables.ts';
import { USUAL_PLACES } from '../src/payload/launcher.ts';

it('a clone gets the way out of a network, and no password', () => {
  const env = {
    HTTPS_PROXY: 'http://proxy.example:3128',
    http_proxy: 'http://user:secret@proxy.example:3128',
    no_proxy: 'a@b',
    HTTP_PROXY: '',
    ANTHROPIC_API_KEY: 'secret',
    GIT_SSL_CAINFO: '/etc/ca.pem',
  };
  expect(networkVariables(env)).toEqual({
    HTTPS_PROXY: 'http://proxy.example:3128',
    no_proxy: 'a@b',
    GIT_SSL_CAINFO: '/etc/ca.pem',
    GIT_TERMINAL_PROMPT: '0',
  });
});

it('the launcher of the packaged plugin looks where the installer’s looks', () => {
  const script = readFileSync(
    join(import.meta.dirname, '../../../libs/harness-claude/assets/plugin/runtime/launch.sh'),
    'utf8',
  );
  for (const place of USUAL_PLACES.posix) expect(script).toContain(` ${place}`);
});
