import type { ApplicationSource } from '../argocd/application.ts';
import { isGlob, literalFolder } from './glob.ts';
import { bytesOf, fromRoot, joinPath } from './go-path.ts';
import type { PushedPaths } from './pushed-paths.ts';
import type { Route } from './route.ts';

/** Which changed files make Argo CD re-render a source: by the Application's annotation
 *  `argocd.argoproj.io/manifest-generate-paths`. */
export type PathRule =
  | { readonly kind: 'any'; readonly why: string }
  | {
      readonly kind: 'some';
      /** Files, or folders with everything below them, from the repository's root. */
      readonly places: readonly string[];
      readonly patterns: readonly Pattern[];
      readonly why: string;
    };

export interface Pattern {
  /** Beginning with a slash; one character for each byte, as Go matches (`bytesOf`). */
  readonly text: string;
  /** Folder that contains every match, from the root; undefined if unknown. */
  readonly folder: string | undefined;
}

/** Paths of one annotation, which may name a hundred thousand: with more than these, every file counts. */
const pathsAtMost = 2_000;

/** The rule for one source of a route. Source: argo-cd util/app/path/path.go; versions differ, and the most permissive
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

/** The place or pattern that the push changes a file of; undefined if it changes none. */
export function changedBy(rule: Extract<PathRule, { readonly kind: 'some' }>, paths: PushedPaths): string | undefined {
  const place = rule.places.find((each) => paths.touched.has(each));
  if (place !== undefined) return place;
  return rule.patterns.find((pattern) => mayMatch(pattern, paths) && paths.matches(pattern.text) !== false)?.text;
}

function mayMatch({ folder }: Pattern, { touched }: PushedPaths): boolean {
  return folder === undefined || touched.has(folder);
}
