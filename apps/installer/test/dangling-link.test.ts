/** What doctor and the installer hold for a link to nowhere: one answer, and neither a loop nor a file that is to be made. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { danglingLink, requireReachableFolder } from '../src/files/dangling-link.ts';
import { withHome } from './support/scratch.ts';

interface Row {
  readonly arrange: (home: TemporaryHome) => void;
  /** Links that are named, below the home. */
  readonly doctor: string | undefined;
  readonly refused: boolean;
}

const ROWS: Readonly<Record<string, Row>> = {
  'nothing at all': { arrange: () => undefined, doctor: undefined, refused: false },
  'a folder': { arrange: (home) => mkdirSync(home.at('a/b'), { recursive: true }), doctor: undefined, refused: false },
  'a folder that is a link to nowhere': {
    arrange: (home) => symlinkSync(home.at('gone/deep'), home.at('a')),
    doctor: 'a',
    refused: true,
  },
  'a folder that is a link into a folder that is there': {
    arrange(home) {
      mkdirSync(home.at('dotfiles'));
      symlinkSync('dotfiles/a', home.at('a'));
    },
    doctor: 'a',
    refused: true,
  },
  'a file that is a link into a folder that is there': {
    arrange(home) {
      mkdirSync(home.at('a/b'), { recursive: true });
      mkdirSync(home.at('dotfiles'));
      symlinkSync(home.at('dotfiles/file'), home.at('a/b/file'));
    },
    doctor: undefined,
    refused: false,
  },
  'a file that is a link into no folder': {
    arrange(home) {
      mkdirSync(home.at('a/b'), { recursive: true });
      symlinkSync(home.at('dotfiles/file'), home.at('a/b/file'));
    },
    doctor: 'a/b/file',
    refused: false,
  },
  'a file that is a link behind a folder to nowhere': {
    arrange(home) {
      mkdirSync(home.at('a/b'), { recursive: true });
      symlinkSync(home.at('gone'), home.at('dotfiles'));
      symlinkSync(home.at('dotfiles/file'), home.at('a/b/file'));
    },
    doctor: 'dotfiles',
    refused: true,
  },
  'a loop of folders': {
    arrange(home) {
      symlinkSync('a', home.at('c'));
      symlinkSync('c', home.at('a'));
    },
    doctor: undefined,
    refused: false,
  },
};

it.each(Object.entries(ROWS))('%s', (_name, { arrange, doctor, refused }) =>
  withHome((home) => {
    arrange(home);
    const path = home.at('a/b/file');
    expect(danglingLink(path)?.link).toBe(doctor === undefined ? undefined : home.at(doctor));
    let code: unknown;
    try {
      requireReachableFolder(path);
    } catch (error) {
      ({ code } = error as { code: unknown });
    }
    expect(code).toBe(refused ? 'file/dangling-folder' : undefined);
    return Promise.resolve();
  }),
);
