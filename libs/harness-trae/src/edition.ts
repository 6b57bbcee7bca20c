/**
 * Where the two editions differ: names and places, nothing else. Everything that the client does with a hook is the same
 * in both, so that a fact that is corrected for one cannot stay wrong for the other.
 */

export interface Edition {
  readonly id: 'trae' | 'trae-cn';
  readonly name: string;
  /** Prefix of its session ids on the server. */
  readonly sessionPrefix: string;
  /** Its folder in the home: hooks, sandbox rules, skills. */
  readonly folder: string;
  /** Folders of its products among the system's application data, the editor first; each has an MCP file of its own. */
  readonly products: readonly [editor: string, ...others: string[]];
  /** macOS. */
  readonly application: string;
  /** First build that runs hooks. */
  readonly since: string;
  readonly hooksPage: string;
}

export const TRAE: Edition = {
  id: 'trae',
  name: 'TRAE',
  sessionPrefix: 'tr-',
  folder: '.trae',
  products: ['Trae', 'TRAE SOLO'],
  application: '/Applications/Trae.app',
  since: '3.5.66',
  hooksPage: 'https://docs.trae.ai/ide/hook-configuration-reference',
};

export const TRAE_CN: Edition = {
  id: 'trae-cn',
  name: 'TRAE CN',
  sessionPrefix: 'trcn-',
  folder: '.trae-cn',
  products: ['Trae CN', 'TRAE SOLO CN'],
  application: '/Applications/Trae CN.app',
  since: '3.3.66',
  hooksPage: 'https://docs.trae.cn/ide_hook-configuration-reference',
};
