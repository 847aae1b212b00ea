import type { ApplicationSource } from '../argocd/application.ts';
import { isGlob, literalFolder } from './glob.ts';
import { bytesOf, fromRoot, joinPath } from './go-path.ts';
import type { PushedPaths } from './pushed-paths.ts';
import type { Route } from './route.ts';

/** Which changed files make Argo CD re-render a source. */
export type PathRule =
  | { readonly kind: 'any'; readonly why: string }
  | {
      readonly kind: 'some';
      /** Files, or folders with everything below them, from the root. */
      readonly places: readonly string[];
      readonly patterns: readonly Pattern[];
      readonly why: string;
    };

export interface Pattern {
  /** Bytes, beginning with a slash. */
  readonly text: string;
  /** Folder that contains every match, from the root; undefined if unknown. */
  readonly folder: string | undefined;
}

/** With more paths everything matches: an annotation may name a hundred thousand. */
const pathsAtMost = 2_000;

/** What changes the source of a route. Source: argo-cd util/app/path/path.go; versions differ, and the most permissive
 *  counts:
 *  - relative to the path of this source (3.2.11 and newer), and to those of all sources (before);
 *  - items trimmed (3.4 and newer), and as written (before). */
export function pathRuleOf(
  source: ApplicationSource,
  { sources, generatePaths }: Pick<Route, 'sources' | 'generatePaths'>,
): PathRule {
  if (source.hydration === 'hydrated') return someOf([source.path], 'its hydrated manifests are in');
  const items = (generatePaths ?? '').split(';').filter((item) => item !== '');
  if (items.every((item) => item.trim() === '')) return { kind: 'any', why: 'no annotation names its files' };
  const written = new Set(items.flatMap((item) => [item, item.trim()]).filter((item) => item !== ''));
  const bases = new Set(sources.map((each) => each.path));
  if (written.size * bases.size > pathsAtMost) return { kind: 'any', why: 'its annotation names too many paths' };
  const paths = [...written].flatMap((item) =>
    item.startsWith('/') ? [item.slice(1)] : [...bases].map((base) => joinPath(base, item)),
  );
  return someOf(paths, 'its annotation names');
}

function someOf(paths: readonly string[], why: string): PathRule {
  const places = [...new Set(paths.map(fromRoot))];
  if (places.includes('')) return { kind: 'any', why: `${why} the whole repository` };
  return { kind: 'some', places, patterns: [...new Set(paths)].filter(isGlob).map(patternOf), why };
}

function patternOf(path: string): Pattern {
  const written = path.startsWith('/') ? path : `/${path}`;
  const folder = literalFolder(written);
  const isPlain = `/${fromRoot(folder)}/` === folder || folder === '/';
  return { text: bytesOf(written), folder: isPlain ? fromRoot(folder) : undefined };
}

/** The path or pattern by which the push changes the source; undefined if it does not. */
export function changedBy(rule: Extract<PathRule, { readonly kind: 'some' }>, paths: PushedPaths): string | undefined {
  const place = rule.places.find((each) => paths.touched.has(each));
  if (place !== undefined) return place;
  return rule.patterns.find((pattern) => mayMatch(pattern, paths) && paths.matches(pattern.text) !== false)?.text;
}

function mayMatch({ folder }: Pattern, { touched }: PushedPaths): boolean {
  return folder === undefined || touched.has(folder);
}
