import { describe, expect, it } from '@jest/globals';
import { join, resolve } from 'node:path';
import { parseCommand } from './options.ts';

describe('parseCommand', () => {
  it('fills in port and folders', () => {
    const home = resolve('/some/home');
    expect(parseCommand(['--home', home])).toEqual({
      kind: 'serve',
      port: 1933,
      home,
      dataFolder: join(home, '.openviking', 'local'),
    });
    expect(parseCommand(['--port', '0', '--data', 'x y'])).toMatchObject({ port: 0, dataFolder: resolve('x y') });
    expect(parseCommand(['--help', '--port', '1'])).toEqual({ kind: 'help' });
    expect(parseCommand(['--version'])).toEqual({ kind: 'version' });
  });

  it.each([
    [['--port', 'x']],
    [['--port', '65536']],
    [['--port', '']],
    [['--prot', '1']],
    [['serve']],
    [['--data', '']],
  ])('refuses %j', (args) => {
    expect(() => parseCommand(args)).toThrow(expect.objectContaining({ code: 'local-server/usage' }));
  });
});
