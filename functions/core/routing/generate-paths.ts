import type { ApplicationSource } from '../argocd/application.ts';
import { unique } from '../text/unique.ts';
import { type ByFolder, byFolder } from './by-folder.ts';
import { type Effort, globMatches, isGlob, literalFolder } from './glob.ts';
import { bytesOf, cleanPath, fromRoot, joinPath } from './go-path.ts';
import { type PushedPaths, rooted } from './pushed-paths.ts';
import type { Route } from './route.ts';

/** Which changed files make Argo CD re-render a source: by the Application's annotation
 *  `argocd.argoproj.io/manifest-generate-paths`. */
export type PathRule =
  | {
      readonly kind: 'any';
      readonly why: string;
      /** It names files, but too many paths: any file may be one of them. Absent: it names none. */
      readonly isTooLong?: boolean | undefined;
    }
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

/** Paths of one annotation for all sources of its Application, which may be a hundred thousand, and their characters:
 *  with more, every file counts. */
const pathsAtMost = 2_000;
const charactersAtMost = 50_000;
/** Effort of making the rule for one path, in characters that are compared (`effortAtMost`): some 20 µs. */
const effortOfPath = 500;
/** Of a file that a rule names: with thousands of Applications, each keeps a list of its own. */
const effortOfFile = 8;
/** Paths of an annotation that are always read, however many other Applications there are. */
const pathsAtLeast = 10;

/** The rule for one source of a route. Source: argo-cd util/app/path/path.go; versions differ, and the most permissive
 *  counts:
 *  - relative to the path of this source (3.2.11 and newer), and to those of all sources (before);
 *  - items trimmed (3.4 and newer), and as written (before).
 *  @param effort what many Applications share: where it is spent, every file counts for those with many paths */
export function pathRuleOf(
  source: ApplicationSource,
  route: Pick<Route, 'sources' | 'generatePaths'>,
  effort: Effort,
): PathRule {
  if (source.hydration === 'hydrated') return ruleOfHydrated(source);
  const annotation = annotationOf(route);
  const rule = annotation.rule ?? ruleOf(annotation, annotation.bases, effort);
  if (!isTooLong(rule)) annotation.rule = rule;
  return rule;
}

/** The same, relative to the path of this source alone. */
export function ownPathRuleOf(
  source: ApplicationSource,
  route: Pick<Route, 'sources' | 'generatePaths'>,
  effort: Effort,
): PathRule {
  if (source.hydration === 'hydrated') return ruleOfHydrated(source);
  const annotation = annotationOf(route);
  const rule = annotation.ofSource.get(source) ?? ruleOf(annotation, new Set([source.path]), effort);
  if (!isTooLong(rule)) annotation.ofSource.set(source, rule);
  return rule;
}

function isTooLong(rule: PathRule): boolean {
  return rule.kind === 'any' && rule.isTooLong === true;
}

function ruleOfHydrated({ path }: ApplicationSource): PathRule {
  return someOf([path], 'its hydrated manifests are in');
}

/** The annotation of a route. A route may have hundreds of sources, each of which is asked for. */
interface Annotation {
  readonly text: string | undefined;
  readonly written: ReadonlySet<string>;
  readonly bases: ReadonlySet<string>;
  readonly isTooLong: boolean;
  rule: PathRule | undefined;
  readonly ofSource: Map<ApplicationSource, PathRule>;
}

const annotations = new WeakMap<Route['sources'], Annotation>();

function annotationOf({ sources, generatePaths }: Pick<Route, 'sources' | 'generatePaths'>): Annotation {
  const known = annotations.get(sources);
  if (known !== undefined && known.text === generatePaths) return known;
  const items = (generatePaths ?? '').split(';').filter((item) => item !== '');
  const isEmpty = items.every((item) => item.trim() === '');
  const written = new Set(isEmpty ? [] : items.flatMap((item) => [item, item.trim()]).filter((item) => item !== ''));
  const bases = new Set(sources.map((each) => each.path));
  const characters = written.size * lengthOf(bases) + bases.size * lengthOf(written);
  const isTooLong = written.size * bases.size > pathsAtMost || characters > charactersAtMost;
  const annotation = { text: generatePaths, written, bases, isTooLong, rule: undefined, ofSource: new Map() };
  annotations.set(sources, annotation);
  return annotation;
}

function lengthOf(texts: ReadonlySet<string>): number {
  return [...texts].reduce((sum, { length }) => sum + length, 0);
}

function ruleOf(annotation: Annotation, bases: ReadonlySet<string>, effort: Effort): PathRule {
  const { written } = annotation;
  if (written.size === 0) return { kind: 'any', why: 'no annotation names its files' };
  const count = written.size * bases.size;
  effort.left -= count * effortOfPath;
  if (annotation.isTooLong || (effort.left < 0 && written.size * annotation.bases.size > pathsAtLeast))
    return { kind: 'any', why: 'its annotation names too many paths', isTooLong: true };
  const paths = [...written].flatMap((item) =>
    item.startsWith('/') ? [item.slice(1)] : [...bases].map((base) => joinPath(base, item)),
  );
  return someOf(paths, 'its annotation names');
}

function someOf(paths: readonly string[], why: string): PathRule {
  const places = unique(paths.map(fromRoot));
  if (places.includes('')) return { kind: 'any', why: `${why} the whole repository` };
  return { kind: 'some', places, patterns: unique(paths).filter(isGlob).map(patternOf), why };
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

/** A changed file at a path by which a rule may name it. */
export interface NamedFile<T> {
  readonly file: T;
  /** From the root. */
  readonly place: string;
  /** As patterns are compared with it. */
  readonly name: string;
}

/** The files at all paths by which a rule may name them. Git has no such names as `a//b`, but the author of the message
 *  may write them. */
export function namedFiles<T extends { readonly path: string }>(files: readonly T[]): ByFolder<NamedFile<T>> {
  const named = files.flatMap((file): readonly NamedFile<T>[] => {
    const { path } = file;
    const places = cleanPath(path) === path ? [fromRoot(path)] : [fromRoot(path), path];
    return places.map((place) => ({ file, place, name: rooted(path) }));
  });
  return byFolder(named, ({ place }) => place);
}

/** Those of the changed files that the rule names; undefined: any, the effort is spent. */
export function filesNamedBy<T>(
  { places, patterns }: Extract<PathRule, { readonly kind: 'some' }>,
  files: ByFolder<NamedFile<T>>,
  effort: Effort,
): ReadonlySet<T> | undefined {
  const named = new Set<T>();
  for (const place of places) {
    const count = files.countWithin(place);
    effort.left -= count;
    if (count > 0 && effort.left < 0) return undefined;
    for (const { file } of files.within(place)) named.add(file);
  }
  for (const { text, folder = '' } of patterns) {
    effort.left -= files.countWithin(folder);
    if (effort.left < 0) return undefined;
    for (const { file, name } of files.within(folder))
      if (!named.has(file) && globMatches(text, name, effort) !== false) named.add(file);
  }
  effort.left -= named.size * effortOfFile;
  return named;
}

function mayMatch({ folder }: Pattern, { touched }: Pick<PushedPaths, 'touched'>): boolean {
  return folder === undefined || touched.has(folder);
}
