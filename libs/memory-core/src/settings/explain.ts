/**
 * Problems of loading in words: what is the case, and what to do. Read by doctor, `status` and the installer; values are
 * never repeated, because what stands in the wrong place may be a key.
 */
import type { Finding, Severity } from '../contract/finding.ts';
import { findJsonMistake } from './json-mistake.ts';
import type { Problem } from './problem.ts';
import { declarationOf, WORKSPACE_VERSION } from './schema.ts';
import type { Declaration, NumberSetting } from './schema.ts';

interface Words {
  readonly severity: Severity;
  message(problem: Problem): string;
  fix(problem: Problem): string;
}

const keyOf = ({ key }: Problem): string => (key === undefined ? 'This' : shownKey(key));
const correct = (problem: Problem): string => `Correct or remove ${keyOf(problem)}.`;

const EXPLANATIONS = {
  'settings/broken-file': {
    severity: 'error',
    message: () => 'Skipped: the file is not valid JSON.',
    fix: () => 'Correct the file.',
  },
  'settings/not-an-object': {
    severity: 'error',
    message: () => 'Skipped: the file does not hold a JSON object.',
    fix: () => 'Put the settings between { and }.',
  },
  'settings/unreadable-file': {
    severity: 'error',
    message: () => 'Skipped: this is not a file, or it may not be read.',
    fix: () => 'Check its type, owner and permissions.',
  },
  'settings/file-too-large': {
    severity: 'error',
    message: ({ used }) => `Skipped: the file is larger than ${(used ?? 0) / 1024} KB.`,
    fix: () => 'Remove what does not belong there.',
  },
  'settings/workspace-version': {
    severity: 'warn',
    message: () => `Skipped: a workspace file must say "version": ${WORKSPACE_VERSION}.`,
    fix: () =>
      `Write "version": ${WORKSPACE_VERSION}; if the file is made for a newer version, update the integration.`,
  },
  'settings/workspace-link-outside': {
    severity: 'warn',
    message: () => 'Skipped: the file is a link that leads out of the repository.',
    fix: () => 'Put a regular file there, or write the settings into ~/.openviking/ovcli.conf.',
  },
  'settings/workspace-expansion': {
    severity: 'warn',
    message: (problem) => `${keyOf(problem)} is ignored: a workspace file cannot refer to \${variables}.`,
    fix: (problem) => `Write the value itself for ${keyOf(problem)}.`,
  },
  'settings/list-too-long': {
    severity: 'warn',
    message: (problem) => `${keyOf(problem)} has ${problem.given} elements; the first ${problem.used} are used.`,
    fix: (problem) => `Shorten ${keyOf(problem)}.`,
  },
  'settings/out-of-range': {
    severity: 'warn',
    message: (problem) =>
      `${keyOf(problem)} is ${problem.given}; ${problem.used} is used, as ${expected(problem)} is allowed.`,
    fix: correct,
  },
  'settings/invalid-value': {
    severity: 'warn',
    message: (problem) => `${keyOf(problem)} is ignored: ${expected(problem)} is needed.`,
    fix: correct,
  },
  'settings/unknown-member': {
    severity: 'warn',
    message: (problem) => `${keyOf(problem)} is not ${expected(problem)}; the default is used.`,
    fix: correct,
  },
  'connection/credential-source': {
    severity: 'warn',
    message: (problem) => `${keyOf(problem)} is not auto, env or cli; auto is used.`,
    fix: correct,
  },
  'connection/unusable-credential': {
    severity: 'error',
    message: (problem) => `${problem.key} is ignored: it holds characters that a header cannot carry.`,
    fix: () => 'Copy it again, without line breaks.',
  },
  'connection/protected-header': {
    severity: 'warn',
    message: (problem) => `The extra header ${keyOf(problem)} is left out: the integration sets it itself.`,
    fix: () => 'Remove it from the extra headers.',
  },
  'connection/invalid-header': {
    severity: 'warn',
    message: (problem) => `The extra header ${keyOf(problem)} is left out: its name or value cannot be sent.`,
    fix: () => 'Correct or remove it.',
  },
} as const satisfies Readonly<Record<string, Words>>;

/** Codes of problems. */
export type Explained = keyof typeof EXPLANATIONS;

/** The finding for a problem; a file that does not parse gets line and column. */
export function explainProblem(problem: Problem): Finding {
  const words: Words = EXPLANATIONS[problem.code];
  const place = problem.text === undefined ? undefined : findJsonMistake(problem.text);
  return {
    code: problem.code,
    severity: words.severity,
    ...(problem.file === undefined ? {} : { file: problem.file }),
    ...(place && { line: place.line, column: place.column }),
    message: place === undefined ? words.message(problem) : `Skipped: ${place.message}.`,
    fix: place === undefined ? words.fix(problem) : `Correct line ${place.line}, column ${place.column}.`,
  };
}

/** A key as a message may show it: short, on one line. */
export function shownKey(key: string): string {
  return /^[\w.$-]{1,60}$/.test(key) ? key : JSON.stringify(key.slice(0, 60));
}

function expected({ setting }: Problem): string {
  return setting === undefined ? 'another value' : expectation(declarationOf(setting));
}

function expectation(declaration: Declaration): string {
  switch (declaration.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
    case 'number':
      return range(declaration);
    case 'enum':
      return `one of ${declaration.members.filter((member) => member !== '').join(', ')}`;
    case 'text':
      return 'a text';
    case 'path':
      return 'an absolute path, or one that starts with ~/,';
    case 'list':
    case 'filters':
      return 'a list of texts';
    case 'alternatives':
      return 'a text or a list of texts';
    case 'map':
      return 'an object of texts';
  }
}

function range({ type, min, max }: NumberSetting): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  return max === undefined ? `${kind} of at least ${min}` : `${kind} from ${min} to ${max}`;
}
