import { comparePrereleases, compareVersions, type Version, versionOf } from './version.ts';

/** A version range that a source may follow instead of a revision: groups joined by `||`, each a list of comparisons
 *  that must all hold. Grammar and meaning are those of Masterminds/semver 3.4, which Argo CD uses
 *  (`constraints.go`). */
export type Constraint = readonly Group[];

interface Group {
  readonly comparisons: readonly Comparison[];
  /** Pre-releases are admitted only if the group names one. */
  readonly namesPrerelease: boolean;
}

interface Comparison {
  readonly operator: Operator;
  /** Missing parts are zero. */
  readonly bound: Version;
  /** The first part that is missing or a wildcard: `1` and `1.x` omit the minor. */
  readonly open: 'all' | 'minor' | 'patch' | undefined;
}

/** Longest first, so that prefixes match last. */
const operators = ['!=', '>=', '=>', '<=', '=<', '~>', '=', '>', '<', '~', '^'] as const;
type Operator = (typeof operators)[number] | '';

/** Longer ones are not parsed: nobody writes them, parsing takes quadratic time, and an Application may have
 *  hundreds. */
const lengthAtMost = 100;

/** Undefined: not a range, so it can only be the name of a branch or a tag, or a commit. */
export function constraintOf(text: string): Constraint | undefined {
  if (text.length > lengthAtMost) return undefined;
  const groups = withoutHyphens(text).split('||').map(groupOf);
  const sound = groups.filter((group) => group !== undefined);
  return sound.length === groups.length ? sound : undefined;
}

/** Looks like a range but cannot be parsed: another version of Argo CD may support more. */
export function looksLikeConstraint(text: string): boolean {
  return /^[\s=!<>~^]*[vxX*\d]/.test(text) && /[\s=!<>~^*|,]/.test(text);
}

export function admits(constraint: Constraint, version: Version): boolean {
  return constraint.some(({ comparisons, namesPrerelease }) => {
    if (version.prerelease.length > 0 && !namesPrerelease) return false;
    return comparisons.every((comparison) => holds(comparison, version));
  });
}

/** One comparison for each part separated by white space or a comma. */
function groupOf(text: string): Group | undefined {
  const comparisons: Comparison[] = [];
  let at = 0;
  while (at < text.length || comparisons.length === 0) {
    const separated = comparisons.length === 0 ? skipSpace(text, at) : skipSeparator(text, at);
    if (separated === undefined) return undefined;
    if (separated === text.length && comparisons.length > 0) break;
    const read = readComparison(text, separated);
    if (read === undefined) return undefined;
    comparisons.push(read.comparison);
    at = read.end;
  }
  return { comparisons, namesPrerelease: comparisons.some(({ bound }) => bound.prerelease.length > 0) };
}

/** White space, or a comma with optional white space. At the end of the text no successor is needed, unless there was a
 *  comma. */
function skipSeparator(text: string, from: number): number | undefined {
  const space = skipSpace(text, from);
  if (text[space] !== ',') return space > from ? space : undefined;
  const next = skipSpace(text, space + 1);
  return next < text.length ? next : undefined;
}

function readComparison(
  text: string,
  from: number,
): { readonly comparison: Comparison; readonly end: number } | undefined {
  const operator = operators.find((each) => text.startsWith(each, from)) ?? '';
  const begin = skipSpace(text, from + operator.length);
  const pattern = readPattern(text, begin);
  const comparison = pattern === undefined ? undefined : comparisonOf(operator, pattern);
  return pattern === undefined || comparison === undefined ? undefined : { comparison, end: pattern.end };
}

function comparisonOf(operator: Operator, pattern: Pattern): Comparison | undefined {
  const { major, minor, patch, prerelease } = pattern;
  const open = openPart(pattern);
  const kept = { all: '0.0.0', minor: `${major}.0.0`, patch: `${major}.${minor}.0` };
  const bound = versionOf((open === undefined ? `${major}.${minor}.${patch}` : kept[open]) + prerelease);
  return bound === undefined ? undefined : { operator, bound, open };
}

function openPart({ major, minor, patch }: Pattern): Comparison['open'] {
  if (isWildcard(major)) return 'all';
  if (minor === '' || isWildcard(minor)) return 'minor';
  return patch === '' || isWildcard(patch) ? 'patch' : undefined;
}

function isWildcard(part: string): boolean {
  return part === 'x' || part === 'X' || part === '*';
}

/** A version whose parts may be wildcards. */
interface Pattern {
  readonly major: string;
  readonly minor: string;
  readonly patch: string;
  /** With its hyphen; empty if there is none. */
  readonly prerelease: string;
  readonly end: number;
}

const numberLetters = new Set('0123456789xX*|');
const wordLetters = new Set('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-');
const spaces = new Set('\t\n\f\r ');

function readPattern(text: string, from: number): Pattern | undefined {
  const begin = text[from] === 'v' ? from + 1 : from;
  const afterMajor = skipAll(text, begin, numberLetters);
  if (afterMajor === begin) return undefined;
  const afterMinor = skipPart(text, afterMajor, '.', numberLetters);
  const afterPatch = afterMinor === afterMajor ? afterMinor : skipPart(text, afterMinor, '.', numberLetters);
  const afterPrerelease = skipWords(text, afterPatch, '-');
  return {
    major: text.slice(begin, afterMajor),
    minor: text.slice(afterMajor + 1, afterMinor),
    patch: text.slice(afterMinor + 1, afterPatch),
    prerelease: text.slice(afterPatch, afterPrerelease),
    end: skipWords(text, afterPrerelease, '+'),
  };
}

function skipSpace(text: string, from: number): number {
  return skipAll(text, from, spaces);
}

function skipAll(text: string, from: number, letters: ReadonlySet<string>): number {
  let at = from;
  while (at < text.length && letters.has(text[at] ?? '')) at += 1;
  return at;
}

/** Index after a sign and at least one letter; the start if there is no such part. */
function skipPart(text: string, from: number, sign: string, letters: ReadonlySet<string>): number {
  if (text[from] !== sign) return from;
  const end = skipAll(text, from + 1, letters);
  return end === from + 1 ? from : end;
}

/** Index after `sign` and words separated by dots. */
function skipWords(text: string, from: number, sign: string): number {
  let at = skipPart(text, from, sign, wordLetters);
  if (at === from) return from;
  for (;;) {
    const next = skipPart(text, at, '.', wordLetters);
    if (next === at) return at;
    at = next;
  }
}

/** `1.2 - 1.4` -> `>= 1.2, <= 1.4 `. */
function withoutHyphens(text: string): string {
  let rewritten = text;
  let at = 0;
  while (at < text.length) {
    const range = readHyphenRange(text, at);
    if (range === undefined) {
      at += 1;
      continue;
    }
    rewritten = rewritten.replace(range.text, () => range.comparisons);
    at = range.end;
  }
  return rewritten;
}

function readHyphenRange(
  text: string,
  from: number,
): { readonly text: string; readonly comparisons: string; readonly end: number } | undefined {
  const begin = skipSpace(text, from);
  const low = readPattern(text, begin);
  if (low === undefined) return undefined;
  const hyphen = skipSpace(text, low.end);
  if (hyphen === low.end || text[hyphen] !== '-') return undefined;
  const next = skipSpace(text, hyphen + 1);
  const high = next === hyphen + 1 ? undefined : readPattern(text, next);
  if (high === undefined) return undefined;
  const end = skipSpace(text, high.end);
  const comparisons = `>= ${text.slice(begin, low.end)}, <= ${text.slice(next, high.end)} `;
  return { text: text.slice(from, end), comparisons, end };
}

function holds(comparison: Comparison, version: Version): boolean {
  const { operator, bound, open } = comparison;
  switch (operator) {
    case '':
    case '=':
      return open === undefined ? compareVersions(version, bound) === 0 : isNear(comparison, version);
    case '!=':
      return isOther(comparison, version);
    case '>':
      return isAbove(comparison, version);
    case '<':
      return compareVersions(version, bound) < 0;
    case '>=':
    case '=>':
      return compareVersions(version, bound) >= 0;
    case '<=':
    case '=<':
      return isAtMost(comparison, version);
    case '~':
    case '~>':
      return isNear(comparison, version);
    case '^':
      return isCompatible(comparison, version);
    default:
      return operator satisfies never;
  }
}

function isOther({ bound, open }: Comparison, version: Version): boolean {
  if (open === undefined) return compareVersions(version, bound) !== 0;
  // `!= *` compares the major as if it were 0, and then the minor.
  if (version.major !== bound.major) return true;
  if (open === 'minor') return false;
  if (version.minor !== bound.minor) return true;
  if (open === 'all') return version.patch !== bound.patch || compareVersions(version, bound) !== 0;
  return comparePrereleases(version.prerelease, bound.prerelease) !== 0;
}

/** `> 11` begins at 12, `> 11.1` at 11.2. */
function isAbove({ bound, open }: Comparison, version: Version): boolean {
  if (open === undefined || open === 'all') return compareVersions(version, bound) > 0;
  if (version.major !== bound.major) return version.major > bound.major;
  return open === 'patch' && version.minor > bound.minor;
}

/** `<= 11` admits all of 11. */
function isAtMost({ bound, open }: Comparison, version: Version): boolean {
  if (open === undefined) return compareVersions(version, bound) <= 0;
  if (version.major !== bound.major) return version.major < bound.major;
  return open === 'minor' || version.minor <= bound.minor;
}

/** `~1.2.3` is at least that and below 1.3.0; `~1` is below 2.0.0. */
function isNear({ bound, open }: Comparison, version: Version): boolean {
  if (compareVersions(version, bound) < 0) return false;
  const isZero = bound.major === 0n && bound.minor === 0n && bound.patch === 0n;
  if (isZero && open !== 'minor' && open !== 'patch') return true;
  return version.major === bound.major && (open === 'minor' || version.minor === bound.minor);
}

/** `^1.2.3` is at least that and below 2.0.0; below 1.0.0 the minor must not change, below 0.1.0 nothing may. */
function isCompatible({ bound, open }: Comparison, version: Version): boolean {
  if (compareVersions(version, bound) < 0) return false;
  if (bound.major > 0n || open === 'minor') return version.major === bound.major;
  if (version.major > 0n) return false;
  if (bound.minor > 0n || open === 'patch') return version.minor === bound.minor;
  return version.minor === 0n && version.patch === bound.patch;
}
