/**
 * The values of Kubernetes `Secret` manifests, in YAML and JSON: their names are anybody's choice and the values are in
 * base64, so that only the kind of the document tells what they are.
 */
import { isPlaceholder } from './secret-values.ts';

const KIND = /(?:\b|(?<=\\n))kind\\{0,7}["']?[ \t]*:[ \t]*\\{0,7}["']?Secret\b(?!\w)/;
/** A line break, as it is or as JSON writes it. */
const BREAK = '(?:\\r?\\n|(?:\\\\+r)?\\\\+n)';
/** The members of `data` and `stringData` in JSON, none of which holds a bracket. */
const IN_JSON = /(\\{0,7}["'](?:data|stringData)\\{0,7}["']\s{0,8}:\s{0,8}\{)([^{}]{1,100000})(?=\})/g;
const JSON_VALUE = /(:\s{0,8}\\{0,7}["'])([^"'\\\s]{3,})/g;
/** `data:` and the lines below it that are indented further; blank ones too. */
const IN_YAML = new RegExp(
  `((?:^|${BREAK})([ \\t]*)(?:data|stringData):[ \\t]*)((?:${BREAK}(?:\\2[ \\t]+[^\\n\\\\]*|(?=${BREAK})))+)`,
  'g',
);
/** The same on one line. */
const IN_FLOW = new RegExp(`((?:^|${BREAK})[ \\t]*(?:data|stringData):[ \\t]*\\{)([^{}\\n\\\\]{1,10000})(?=\\})`, 'g');
const FLOW_VALUE = /(:[ \t]*["']?)([^\s,"'{}]{3,})/g;
const YAML_VALUE = new RegExp(
  `((?:${BREAK})[ \\t]+(?:[\\w.-]+:[ \\t]*)?)(\\\\{0,7}["']?)([^\\s"'\\\\|>:][^\\s"'\\\\]{2,})`,
  'g',
);

/** `text` with the values of its secrets' manifests redacted. */
export function redactManifests(text: string): string {
  if (!text.includes('Secret') || !KIND.test(text)) return text;
  return text
    .split(/(^---.*$)/m)
    .map((document) => (KIND.test(document) ? redactDocument(document) : document))
    .join('');
}

function redactDocument(document: string): string {
  return document
    .replace(IN_JSON, (_block, head: string, members: string) => head + members.replace(JSON_VALUE, redactValue))
    .replace(IN_FLOW, (_block, head: string, members: string) => head + members.replace(FLOW_VALUE, redactValue))
    .replace(
      IN_YAML,
      (_block, head: string, _indent: string, lines: string) => head + lines.replace(YAML_VALUE, redactLine),
    );
}

function redactValue(match: string, before: string, value: string): string {
  return isPlaceholder(value) ? match : `${before}[redacted:secret]`;
}

function redactLine(match: string, before: string, quote: string, value: string): string {
  return isPlaceholder(value) ? match : `${before}${quote}[redacted:secret]`;
}
