/** Characters. A name of this length or less is not shortened: what would be left identifies nothing. */
const shortestName = 12;

interface Word {
  readonly text: string;
  readonly isName: boolean;
  readonly isKept: boolean;
}

/** A line of at most `limit` UTF-16 units in which names outlive prose: words that are not names are dropped first,
 *  beginning in the middle; then the longest names lose their middle. Undefined if even that is not enough.
 *  @param line without line breaks, and short: every word is looked at again for each that is dropped */
export function keepNames(line: string, limit: number): string | undefined {
  let words: readonly Word[] = line.split(' ').map((text) => ({ text, isName: isName(text), isKept: true }));
  while (joined(words).length > limit) {
    const next = withoutOneWord(words) ?? withOneNameShorter(words);
    if (next === undefined) return undefined;
    words = next;
  }
  return joined(words);
}

/** A line of about `limit` UTF-16 units in which no name is cut: words that are not names are dropped first, beginning
 *  at the end, since what has happened stands before what follows from it; names stay whole, even if the line is longer
 *  for that. */
export function keepWholeNames(line: string, limit: number): string {
  let words: readonly Word[] = line.split(' ').map((text) => ({ text, isName: isName(text), isKept: true }));
  while (joined(words).length > limit) {
    const next = withoutOneWord(words, words.length);
    if (next === undefined) return joined(words);
    words = next;
  }
  return joined(words);
}

/** Names of objects, nodes, files, hosts and commits have a separator or a digit, or are longer than English
 *  words. */
function isName(word: string): boolean {
  return /[/\d_]|\w[-.:=]\w/.test(word) || word.length > 20;
}

/** Neighbouring dropped words leave one ellipsis together. */
function joined(words: readonly Word[]): string {
  return words
    .map(({ text, isKept }) => (isKept ? text : '…'))
    .filter((text, index, all) => text !== '…' || all[index - 1] !== '…')
    .join(' ');
}

/** Without the word nearest to the middle, or to `center`, that is not a name; undefined if only names are left. */
function withoutOneWord(words: readonly Word[], center = (words.length - 1) / 2): readonly Word[] | undefined {
  const candidates = words.flatMap((word, at) => (word.isKept && !word.isName ? [at] : []));
  const [first, ...others] = candidates;
  if (first === undefined) return undefined;
  const dropped = others.reduce((best, at) => (Math.abs(at - center) < Math.abs(best - center) ? at : best), first);
  return words.with(dropped, { text: '', isName: false, isKept: false });
}

/** The longest name without one more character of its middle; undefined if none can be shortened further. */
function withOneNameShorter(words: readonly Word[]): readonly Word[] | undefined {
  const longest = words.reduce((best, word, at) => (word.text.length > (words[best]?.text.length ?? 0) ? at : best), 0);
  const name = words[longest];
  if (name === undefined || name.text.length <= shortestName) return undefined;
  const points = [...name.text.replace('…', '')];
  const room = points.length - 2;
  const head = Math.ceil(room / 2);
  const text = `${points.slice(0, head).join('')}…${points.slice(points.length - (room - head)).join('')}`;
  return words.with(longest, { ...name, text });
}
