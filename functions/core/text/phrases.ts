import { clean, redact } from './safe-text.ts';

/** `a`, `a and b`, `a, b and c`; beyond `limit` names: `a, b and 4 more`. */
export function listed(names: readonly string[], limit = 5): string {
  if (names.length > limit + 1) return `${names.slice(0, limit).join(', ')} and ${names.length - limit} more`;
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `1 node`, `3 nodes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Text of the cluster as evidence: cleaned and stripped of credentials before it is stored anywhere, on one line, the
 *  middle left out if it is long, because causes are at the end.
 *  @param limit UTF-16 units of the text, as schemas count them; what says that something is left out comes to it */
export function clipped(text: string, limit = 600): string {
  // Before, too: what cleaning joins would be no word of its own any more.
  const line = redact(clean(redact(text)))
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line.length <= limit) return line;
  const head = Math.floor(limit / 3);
  return `${wholeCharacters(line.slice(0, head))} ... ${wholeCharacters(line.slice(line.length - (limit - head)))}`;
}

/** A commit as people know it; the version of a chart as it is. */
export function shortRevision(revision: string): string {
  return /^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 8) : clipped(revision, 40);
}

/** Without halves of a surrogate pair at its ends. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}

/** The same inside a sentence of ours, which has its own full stop. */
export function quoted(text: string, limit = 300): string {
  return clipped(text, limit).replace(/(?<!\.)\.$/, '');
}

/** A text of others that should be one word, as a name, an address or a path, inside a sentence of ours. One that is
 *  none stands in quotes, and short: it could be advice. */
export function asWord(text: string): string {
  if (/^\S*$/.test(text)) return text.length <= longestWord ? text : clipped(text, longestWord);
  return `"${clipped(text, 80).replaceAll('"', "'")}"`;
}

/** Characters: a name has 253 at most, and where it is told its namespace is, too. */
const longestWord = 320;

/** `40 s`, `12 min`, `2 h 10 min`, `9 days`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** How long and since when, as a fact: `12 min, since ...`. What was seen for the first time just now may have lasted
 *  for long, so no duration is claimed for it. */
export function lastingText(since: string, now: string): string {
  const ms = between(since, now);
  return ms < 1000 ? `first seen at ${since}` : `${ageText(ms)}, since ${since}`;
}

export function between(from: string, to: string): number {
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isNaN(ms) ? 0 : ms;
}
