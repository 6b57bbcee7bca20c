/**
 * The prompt hook of every client besides ZCode, of which the benchmark plays whole turns: it is the one that a user waits
 * for with every question. Payload and variables are as the client gives them, so that no hook is measured on a shortcut.
 */
import { join } from 'node:path';

const LIBS = join(import.meta.dirname, '..', '..', 'libs');

/**
 * @typedef {object} Question
 * @property {string} id Of a new conversation.
 * @property {string} cwd
 * @property {string} home
 * @property {string} prompt
 */

/**
 * @typedef {object} PromptHook
 * @property {string} client Name for the table.
 * @property {string} payload Folder of the bundles.
 * @property {string} entry
 * @property {(question: Question) => object} input
 * @property {(question: Question) => Record<string, string>} env
 */

/** What Claude Code starts for its status bar, again and again while the user types. */
export const STATUS_LINE = {
  file: join(payloadOf('claude'), 'statusline.cjs'),
  input: (/** @type {string} */ cwd) => ({
    session_id: '5f0d2c1e-0b6a-4a53-9a55-3c1f0e9d2b41',
    cwd,
    model: { id: 'claude-opus-5-5', display_name: 'Opus' },
    workspace: { current_dir: cwd, project_dir: cwd },
    version: '2.1.332',
    output_style: { name: 'default' },
  }),
};

/** @type {readonly PromptHook[]} */
export const PROMPT_HOOKS = [
  {
    client: 'Claude Code',
    payload: payloadOf('claude'),
    entry: 'user-prompt-submit',
    input: ({ id, cwd, home, prompt }) => ({
      session_id: id,
      transcript_path: join(home, '.claude', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`),
      cwd,
      prompt_id: id,
      permission_mode: 'default',
      hook_event_name: 'UserPromptSubmit',
      prompt,
    }),
    env: ({ id, cwd }) => ({ CLAUDE_PROJECT_DIR: cwd, CLAUDE_CODE_SESSION_ID: id, CLAUDECODE: '1' }),
  },
  {
    client: 'Cursor',
    payload: payloadOf('cursor'),
    entry: 'before-submit-prompt',
    input: ({ id, cwd, prompt }) => ({
      conversation_id: id,
      generation_id: id,
      model: 'composer-2.5-fast',
      session_id: id,
      hook_event_name: 'beforeSubmitPrompt',
      cursor_version: '3.20.17',
      workspace_roots: [cwd],
      transcript_path: null,
      composer_mode: 'agent',
      prompt,
      attachments: [],
    }),
    env: ({ cwd }) => ({ CURSOR_VERSION: '3.20.17', CURSOR_PROJECT_DIR: cwd, CLAUDE_PROJECT_DIR: cwd }),
  },
  trae('TRAE', 'payload'),
  trae('TRAE CN', 'payload-trae-cn'),
];

/**
 * Both editions speak alike.
 *
 * @param {string} client
 * @param {string} folder
 * @returns {PromptHook}
 */
function trae(client, folder) {
  return {
    client,
    payload: payloadOf('trae', folder),
    entry: 'user-prompt-submit',
    input: ({ id, cwd, prompt }) => ({
      session_id: id,
      cwd,
      workspace_roots: [cwd],
      agent_id: 'solo_agent',
      hook_event_name: 'UserPromptSubmit',
      prompt,
    }),
    env: () => ({}),
  };
}

/**
 * @param {string} harness
 * @param {string} [folder]
 */
function payloadOf(harness, folder = 'payload') {
  return join(LIBS, `harness-${harness}`, 'dist', folder);
}
