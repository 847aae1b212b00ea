import { isObject } from '../../core/impact/same-content.ts';
import type { ButaneIncludes } from '../../core/routing/butane-includes.ts';
import { unique } from '../../core/text/unique.ts';
import { parseYaml } from './parse-yaml.ts';

/** What a Butane file includes by `local`, `contents_local`, `ssh_authorized_keys_local` and the like, in `trees` as
 *  well; of a template, which is no YAML, what its lines look like. Source: Butane, configuration specifications. */
export function butaneIncludes(text: string): ButaneIncludes {
  const parsed = parseYaml(text);
  if ('fault' in parsed) return { makes: undefined, locals: localsInLines(text) };
  return { makes: nameIn(parsed.value), locals: unique(localsIn(parsed.value)) };
}

function nameIn(value: unknown): string | undefined {
  const metadata = isObject(value) ? value['metadata'] : undefined;
  const name = isObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

const localKey = /(?:^|_)local$/;

function localsIn(value: unknown, depth = 0): readonly string[] {
  if (!isObject(value) || depth > 50) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    localKey.test(key) ? textsIn(each) : localsIn(each, depth + 1),
  );
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Behind the keys, and items of lists where a key may have one. */
function localsInLines(text: string): readonly string[] {
  const lines = text.split('\n');
  const hasLists = lines.some((line) => /_local["']?[ \t]{0,20}:/.test(line));
  return lines.flatMap((line) => {
    const key = /local["']?[ \t]{0,20}:/.exec(line);
    if (key !== null) return wordsIn(line.slice(key.index + key[0].length));
    const item = hasLists ? /^[ \t]{0,100}-[ \t]{1,20}([^\s:]{1,300})\s{0,5}$/.exec(line)?.[1] : undefined;
    return item === undefined ? [] : wordsIn(item);
  });
}

/** Each of a list in brackets. An alias and a text over several lines may be anything. */
function wordsIn(value: string): readonly string[] {
  if (/^\s{0,20}[*|>]/.test(value)) return [''];
  const quoted = /^\s{0,20}(?:"([^"]{0,300})"|'([^']{0,300})')/.exec(value);
  if (quoted !== null) return [quoted[1] ?? quoted[2] ?? ''];
  const isTemplate = /\{[{%]|\$\{/.test(value);
  const end = value.search(/[\]}#]/);
  const parts = isTemplate ? [value] : value.slice(0, end < 0 ? undefined : end).split(',');
  return parts.map((each) => each.replaceAll(/["'[\]\s]/g, '')).filter((each) => each !== '');
}
