import { clean } from '../text/safe-text.ts';
import type { Following } from './revision.ts';

/** Characters shown of a text that others wrote; an annotation may have 256 KiB. */
const shownAtMost = 80;

/** A text of others as it is shown: cleaned and shortened, not escaped. */
export function shown(text: string): string {
  // Cut first, because cleaning looks at every character.
  const short = clean(text.slice(0, 4 * shownAtMost)).replace(/\s+/g, ' ');
  return short.length > shownAtMost ? `${[...short].slice(0, shownAtMost - 1).join('')}…` : short;
}

/** What a source follows, in words: `the default branch`, `main`, `versions 1.*`. */
export function shownFollowing(following: Following): string {
  switch (following.kind) {
    case 'head':
      return 'the default branch';
    case 'name':
      return shown(following.name);
    case 'range':
    case 'unclear':
      return `versions ${shown(following.name)}`;
    default:
      return following satisfies never;
  }
}

/** `source 2 of 3 ($values)`; a single one needs no number. `ref`: the name by which other sources refer to it. */
export function shownSource(number: number, count: number, ref: string | undefined): string {
  const named = ref ? ` ($${shown(ref)})` : '';
  return count === 1 ? 'its source' : `source ${number} of ${count}${named}`;
}
