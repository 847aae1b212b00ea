import { isObject } from '../../core/impact/same-content.ts';
import { parseYaml } from './parse-yaml.ts';

/** Characters. Larger kustomizations are not read. */
const atMost = 256 * 1024;

/** Paths by which a kustomization refers to other folders of the repository: every text in it with a `..` segment.
 *  Undefined: it cannot be read. */
export function referencesIn(text: string): readonly string[] | undefined {
  if (text.length > atMost) return undefined;
  const parsed = parseYaml(text);
  if ('fault' in parsed) return undefined;
  return [...new Set(textsIn(parsed.value).filter(leadsUp))];
}

function leadsUp(text: string): boolean {
  return text.length < 1_000 && /(?:^|\/)\.\.(?:\/|$)/.test(text) && !/\s/.test(text) && !text.includes('://');
}

function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!isObject(value) || depth > 50) return [];
  return Object.values(value).flatMap((each) => textsIn(each, depth + 1));
}
