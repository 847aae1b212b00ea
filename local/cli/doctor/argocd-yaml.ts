import { isCollection, parseDocument, type YAMLParseError } from 'yaml';
import { parseYaml } from '../../../functions/adapters/yaml/parse-yaml.ts';

/** A value of Argo CD's notifications, as it reads YAML. Undefined: it is no YAML, or Argo CD may read it otherwise. */
export function yamlIn(written: string | undefined): unknown {
  const parsed = parseYaml(written ?? '');
  return 'value' in parsed ? parsed.value : undefined;
}

/** Whether Argo CD's reader (go-yaml) refuses a text that `yamlIn` does. That one is stricter: on the indentation of
 *  what is in quotes or brackets, on comments, tags and repeated keys, on line breaks, and on what comes after the
 *  first document, at which Argo CD does not look. In doubt it does not refuse it. */
export function isNoYaml(written: string): boolean {
  if (/^(?:---|\.\.\.)|[\u0085\u2028\u2029\uFEFF]|\r(?!\n)/m.test(written)) return false;
  const { errors, contents } = parseDocument(written, {
    version: '1.1',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [first] = errors.toSorted((one, other) => one.pos[0] - other.pos[0]);
  return first !== undefined && isRefused(first, written, isCollection(contents));
}

/** By the first fault: Argo CD has read the text before it in the same way. */
function isRefused({ code, pos: [at] }: YAMLParseError, written: string, isInCollection: boolean): boolean {
  const rest = written.slice(at);
  switch (code) {
    case 'MISSING_CHAR':
    case 'BAD_INDENT':
      // Nothing comes that could close what is open.
      return !/["'\]}#]/.test(rest);
    case 'UNEXPECTED_TOKEN':
      return isInCollection && isWithinLine(written, at) && /^[\w"'@`%{[|>]/.test(rest);
    case 'BAD_SCALAR_START':
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
    case 'TAB_AS_INDENT':
      return /^[\w@`%\t]/.test(rest);
    default:
      return false;
  }
}

function isWithinLine(written: string, at: number): boolean {
  return written.slice(written.lastIndexOf('\n', at - 1) + 1, at).trim() !== '';
}
