import type { Inquiry } from './inquiry.ts';
import { type Asked, type Reading, read, type Unread, unreadOf } from './unread.ts';

/** One page of a list. `from`: where the page before ended; empty: the first. `limit`: items that it has at most. */
export interface PageOf {
  readonly from: string;
  readonly limit: number;
}

interface PageRead<T> {
  readonly items: readonly T[];
  readonly metadata: { readonly continue: string };
}

/** A list that may be longer than a page, or larger than may be read at once. */
export interface Listing<T> {
  /** What it lists one of, for people: `PodDisruptionBudget`. */
  readonly each: string;
  readonly perPage: number;
  /** Pages, each one call. */
  readonly pagesAtMost: number;
  readonly page: (page: PageOf) => Asked<PageRead<T>>;
  /** After a page that had to be smaller, whether a larger one is tried again: where those of one owner, side by side,
   *  would leave no room for those of all others. It costs a call for each page that is too large still. Absent: no. */
  readonly growsAgain?: boolean | undefined;
}

export interface PagesRead<T> {
  /** Of the pages that could be read; unread where the first one could not. */
  readonly list: Reading<{ readonly items: readonly T[] }>;
  /** Empty: all that there are were read. */
  readonly unread: readonly Unread[];
}

/** Reads a list page after page. A page that is larger than may be read, as where somebody has filled annotations, is
 *  asked for in smaller ones, and so are those after it, unless the listing `growsAgain`. */
export function* readPages<T>(listing: Listing<T>): Inquiry<PagesRead<T>> {
  let { page, limit } = yield* readPage(listing, { from: '', limit: listing.perPage });
  if (page.kind !== 'read') return { list: page, unread: unreadOf([page]) };
  const { readAt } = page;
  const items: T[] = [];
  const of = (unread: readonly Unread[]): PagesRead<T> => ({
    list: { kind: 'read', value: { items }, readAt },
    unread,
  });
  for (let pages = 1; ; pages += 1) {
    items.push(...page.value.items);
    const from: string = page.value.metadata.continue;
    if (from === '') return of([]);
    if (pages >= listing.pagesAtMost) return of([moreThan(items.length, listing.each, readAt)]);
    const next = listing.growsAgain === true ? Math.min(listing.perPage, limit * smaller) : limit;
    ({ page, limit } = yield* readPage(listing, { from, limit: next }));
    if (page.kind !== 'read') return of(unreadOf([page]));
  }
}

/** How many times fewer items a page has than one that was too large. */
const smaller = 4;

interface Page<T> {
  readonly page: Reading<PageRead<T>>;
  /** Items that it was asked for with. */
  readonly limit: number;
}

function* readPage<T>(listing: Listing<T>, { from, limit }: PageOf): Inquiry<Page<T>> {
  const page = yield* read(listing.page({ from, limit }));
  const isTooLarge = page.kind === 'unread' && page.isTooLarge === true;
  return isTooLarge && limit > 1
    ? yield* readPage(listing, { from, limit: Math.ceil(limit / smaller) })
    : { page, limit };
}

function moreThan(count: number, each: string, readAt: string): Unread {
  return { kind: 'unread', what: `every ${each}`, why: `there are more than ${count}`, readAt };
}
