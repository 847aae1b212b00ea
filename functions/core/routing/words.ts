import { clean } from '../text/safe-text.ts';
import type { Following } from './revision.ts';

/** Texts of strangers may be 256 KiB long. */
const shownAtMost = 80;

/** Cleaned and shortened; not escaped. */
export function shown(text: string): string {
  const short = clean(text.slice(0, 4 * shownAtMost)).replace(/\s+/g, ' ');
  return short.length > shownAtMost ? `${[...short].slice(0, shownAtMost - 1).join('')}…` : short;
}

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

/** `source 2 of 3 (values)`; a single one needs no number. */
export function shownSource(number: number, count: number, ref: string | undefined): string {
  const named = ref ? ` ($${shown(ref)})` : '';
  return count === 1 ? 'its source' : `source ${number} of ${count}${named}`;
}
