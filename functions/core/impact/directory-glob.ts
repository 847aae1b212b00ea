/** `spec.source.directory.include` and `exclude`. Source: argo-cd util/glob, which uses gobwas/glob without separators:
 *  `*` and `**` match anything, slashes included, `?` one character, `[a-z]` and `[!a-z]` one of a class, `{a,b}` one
 *  of several patterns. Where one of these is empty or has `?` or a class, or a star beside another group or a class,
 *  the library (v0.2.3) matches otherwise than it says: `{?,-new}` also nothing. Such a pattern is not evaluated. */

/** More alternatives than this are not tried. */
const alternativesAtMost = 200;
const lengthAtMost = 2_000;

/** Steps of all comparisons with one push: about a second. Patterns and paths are both a stranger's. */
const stepsAtMost = 10_000_000;

/** Patterns of one push: each is read once, and all share their steps. */
export interface DirectoryGlobs {
  /** Undefined: the pattern is too large to evaluate, or malformed, or the steps are used up. */
  matches(pattern: string, path: string): boolean | undefined;
}

export function directoryGlobs(steps: Steps = { left: stepsAtMost }): DirectoryGlobs {
  const known = new Map<string, readonly (readonly Token[] | undefined)[] | undefined>();

  function alternativesOf(pattern: string) {
    if (known.has(pattern)) return known.get(pattern);
    const alternatives = pattern.length > lengthAtMost ? undefined : expand(pattern);
    steps.left -= (alternatives ?? []).reduce((sum, { length }) => sum + length, pattern.length);
    const tokens = steps.left < 0 ? undefined : alternatives?.map(tokensOf);
    known.set(pattern, tokens);
    return tokens;
  }

  return {
    matches(pattern, path) {
      if (path.length > lengthAtMost || steps.left < 0) return undefined;
      const answers = alternativesOf(pattern)?.map((tokens) => matches(tokens, path, steps));
      if (answers === undefined) return undefined;
      if (answers.includes(true)) return true;
      return answers.includes(undefined) ? undefined : false;
    },
  };
}

/** Counts down. */
interface Steps {
  left: number;
}

/** `a{b,c}` -> `ab`, `ac`; innermost first, so that braces may be nested. */
function expand(pattern: string): readonly string[] | undefined {
  let open: readonly string[] = [pattern];
  const done: string[] = [];
  while (open.length > 0) {
    const next: string[] = [];
    for (const each of open) {
      const braces = innermost(each);
      if (braces === undefined) done.push(each);
      else if (!braces.isPlain) return undefined;
      else for (const option of braces.options) next.push(`${braces.before}${option}${braces.after}`);
    }
    if (next.length + done.length > alternativesAtMost) return undefined;
    open = next;
  }
  return done;
}

function innermost(pattern: string) {
  let begin = -1;
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at];
    if (letter === '\\') at += 1;
    else if (letter === '{') begin = at;
    else if (letter === '}' && begin >= 0) {
      const [before, after] = [pattern.slice(0, begin), pattern.slice(at + 1)];
      const options = splitOutsideEscapes(pattern.slice(begin + 1, at));
      return { before, options, after, isPlain: isPlain(options, `${before}${after}`) };
    }
  }
  return undefined;
}

function isPlain(options: readonly string[], around: string): boolean {
  if (options.some((each) => each === '' || /[?[]/.test(each))) return false;
  return !options.some((each) => each.includes('*')) || !/[{?[]/.test(around);
}

function splitOutsideEscapes(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === ',') {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

type Token = { readonly kind: 'any' } | { readonly kind: 'one'; readonly admits: (letter: string) => boolean };

function tokensOf(pattern: string): readonly Token[] | undefined {
  const letters = [...pattern];
  const tokens: Token[] = [];
  let at = 0;
  while (at < letters.length) {
    const read = tokenAt(letters, at);
    if (read === undefined) return undefined;
    tokens.push(read.token);
    at = read.end;
  }
  return tokens;
}

function tokenAt(letters: readonly string[], at: number): { readonly token: Token; readonly end: number } | undefined {
  const letter = letters[at];
  switch (letter) {
    case '*':
      return { token: { kind: 'any' }, end: at + 1 };
    case '?':
      return { token: { kind: 'one', admits: () => true }, end: at + 1 };
    case '[': {
      const end = letters.indexOf(']', at + 2);
      return end < 0
        ? undefined
        : { token: { kind: 'one', admits: classOf(letters.slice(at + 1, end)) }, end: end + 1 };
    }
    case '{':
    case '}':
      return undefined;
    default: {
      const begin = letter === '\\' ? at + 1 : at;
      const literal = letters[begin];
      return { token: { kind: 'one', admits: (each) => each === literal }, end: begin + 1 };
    }
  }
}

function classOf(written: readonly string[]): (letter: string) => boolean {
  const isNegated = written[0] === '!';
  const letters = isNegated ? written.slice(1) : written;
  const [low, dash, high] = letters;
  const isRange = letters.length === 3 && dash === '-' && low !== undefined && high !== undefined;
  return (letter) => (isRange ? low <= letter && letter <= high : letters.includes(letter)) !== isNegated;
}

/** Tracks all positions in the pattern, letter by letter. Undefined: malformed, or the steps are used up. */
function matches(tokens: readonly Token[] | undefined, text: string, steps: Steps): boolean | undefined {
  if (tokens === undefined) return undefined;
  let places = skipping(tokens, new Set([0]));
  for (const letter of text) {
    steps.left -= places.size + 1;
    if (steps.left < 0) return undefined;
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token?.kind === 'any') next.add(place);
      else if (token?.admits(letter)) next.add(place + 1);
    }
    if (next.size === 0) return false;
    places = skipping(tokens, next);
  }
  return places.has(tokens.length);
}

/** A star may match nothing. Additions to the set are seen by the loop that iterates over it. */
function skipping(tokens: readonly Token[], places: Set<number>): Set<number> {
  for (const place of places) if (tokens[place]?.kind === 'any') places.add(place + 1);
  return places;
}
