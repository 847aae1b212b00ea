/** Go's filepath.Match, told again, for texts of ASCII. What Go calls malformed matches nothing. */
export function goMatch(pattern: string, name: string): boolean {
  try {
    return matchChunks(pattern, name);
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}

/** Stars, and what stands between them and the next one that is in no class. */
const starsAndChunk = /^(\**)((?:\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?|[^*[\\]|\\$)*)/;

function matchChunks(whole: string, wholeName: string): boolean {
  let pattern = whole;
  let name: string | undefined = wholeName;
  while (pattern !== '' && name !== undefined) {
    const [both = '', stars = '', chunk = ''] = starsAndChunk.exec(pattern) ?? [];
    pattern = pattern.slice(both.length);
    if (stars !== '' && chunk === '') return !name.includes('/');
    name = matchFromSomewhere(chunk, name, { star: stars !== '', last: pattern === '' });
  }
  return name === '';
}

function matchFromSomewhere(
  chunk: string,
  name: string,
  { star, last }: { readonly star: boolean; readonly last: boolean },
): string | undefined {
  const reach = star ? name.search(/\/|$/) : 0;
  for (let skip = 0; skip <= reach; skip += 1) {
    const rest = matchChunk(chunk, name.slice(skip));
    if (rest !== undefined && (!last || rest === '')) return rest;
  }
  return undefined;
}

/** What is left of the name. A chunk is read to its end even when it failed, for it may be malformed. */
function matchChunk(chunk: string, name: string): string | undefined {
  let rest = chunk;
  let left: string | undefined = name;
  while (rest !== '') {
    const letter: string | undefined = left?.[0];
    const [holds, after] = matchSign(rest, letter);
    left = holds && letter !== undefined ? left?.slice(1) : undefined;
    rest = after;
  }
  return left;
}

function matchSign(text: string, letter: string | undefined): readonly [boolean, string] {
  if (text[0] === '[') return matchClass(text.slice(1), letter ?? '\0');
  if (text[0] === '?') return [letter !== '/', text.slice(1)];
  const literal = text[0] === '\\' ? text.slice(1) : text;
  if (literal === '') throw new SyntaxError('bad pattern');
  return [literal[0] === letter, literal.slice(1)];
}

function matchClass(text: string, letter: string): readonly [boolean, string] {
  const negated = text.startsWith('^');
  let rest = negated ? text.slice(1) : text;
  let isIn = false;
  do {
    const [low, afterLow] = bound(rest);
    const [high, afterHigh] = afterLow[0] === '-' ? bound(afterLow.slice(1)) : [low, afterLow];
    isIn ||= low <= letter && letter <= high;
    rest = afterHigh;
  } while (rest[0] !== ']');
  return [isIn !== negated, rest.slice(1)];
}

function bound(text: string): readonly [string, string] {
  const [, letter, rest = ''] = /^(?:\\)?([\s\S])([\s\S]*)$/.exec(text) ?? [];
  if (letter === undefined || rest === '' || text[0] === '-' || text[0] === ']') throw new SyntaxError('bad pattern');
  return [letter, rest];
}
