import type { Window } from '../configuration/window.ts';
import type { Pool } from '../openshift/pool.ts';
import { nextStart, openUntil } from './spans.ts';

/** Whether the windows of a pool let it resume. */
export type WindowsAnswer =
  | { readonly open: true; readonly until: string | undefined }
  | {
      readonly open: false;
      /** The deny windows that are open; empty: none of the allow windows is. */
      readonly denied: readonly Window[];
      /** ISO instant; undefined: not within a year. */
      readonly opensAt: string | undefined;
    };

/** An opening, by ISO instants. `to` is undefined where no end was found within a year. */
export interface Opening {
  readonly from: string;
  readonly to: string | undefined;
}

/** How far ahead openings are looked for, milliseconds: a freeze is over by then. */
const horizonMs = 400 * 24 * 3_600_000;
/** Windows that are left one after the other, at most: every one costs a look at all of them. */
const stepsAtMost = 1000;
/** Openings that are looked at for one that is long enough: more than a year of days. */
const openingsAtMost = 500;

/** The windows that are for a pool. */
export function windowsFor(windows: readonly Window[], { name, labels }: Pick<Pool, 'name' | 'labels'>) {
  return windows.filter(
    (window) =>
      (window.pools.length === 0 || window.pools.includes(name)) &&
      Object.entries(window.labels).every(([label, value]) => labels[label] === value),
  );
}

/** Without an allow window everything is allowed that no deny window denies. Source: Argo CD, "Sync Windows". */
export function askWindows(windows: readonly Window[], now: Date): WindowsAnswer {
  const at = now.getTime();
  if (isOpen(windows, at)) return { open: true, until: isoOf(closingAfter(windows, at)) };
  const denied = windows.filter((window) => window.kind === 'deny' && openUntil(window, at) !== undefined);
  return { open: false, denied, opensAt: isoOf(openingFrom(windows, at)) };
}

/** The next openings, the one under way included. */
export function openingsOf(windows: readonly Window[], now: Date, count: number): readonly Opening[] {
  const found: Opening[] = [];
  for (const opening of openingsFrom(windows, now)) {
    found.push(opening);
    if (found.length >= count) break;
  }
  return found;
}

/** When the windows open next for at least so long; `none`: within a year they do not, or none of as many openings as
 *  are looked at is.
 *  @param minutes whole ones; an opening without a known end has as many */
export function nextOpening(
  windows: readonly Window[],
  now: Date,
  minutes: number,
): { readonly opensAt: string; readonly none?: undefined } | { readonly opensAt?: undefined; readonly none: string } {
  const isWithinYear = ({ from }: Opening) => Date.parse(from) <= now.getTime() + horizonMs;
  let looked = 0;
  for (const opening of openingsFrom(windows, now)) {
    const { from, to } = opening;
    if (!isWithinYear(opening)) break;
    const isLater = Date.parse(from) > now.getTime();
    if (isLater && (to === undefined || Date.parse(to) - Date.parse(from) >= minutes * 60_000))
      return { opensAt: from };
    looked += 1;
    if (looked === openingsAtMost) return { none: `none of the next ${openingsAtMost} openings` };
  }
  return { none: 'no opening within a year' };
}

function* openingsFrom(windows: readonly Window[], now: Date): Generator<Opening, undefined> {
  let at = openingFrom(windows, now.getTime());
  while (at !== undefined) {
    const end = closingAfter(windows, at);
    yield { from: new Date(at).toISOString(), to: isoOf(end) };
    at = end === undefined ? undefined : openingFrom(windows, end);
  }
}

function isOpen(windows: readonly Window[], at: number): boolean {
  const allows = windows.filter(({ kind }) => kind === 'allow');
  const isIn = (window: Window) => openUntil(window, at) !== undefined;
  if (windows.some((window) => window.kind === 'deny' && isIn(window))) return false;
  return allows.length === 0 || allows.some(isIn);
}

/** The first instant, from `from` on, at which the windows are open. Each step leaves what closes them: the deny
 *  windows of that instant, or the wait for an allow window. */
function openingFrom(windows: readonly Window[], from: number): number | undefined {
  const denies = windows.filter(({ kind }) => kind === 'deny');
  const allows = windows.filter(({ kind }) => kind === 'allow');
  let at = from;
  for (let steps = 0; steps < stepsAtMost && at <= from + horizonMs; steps += 1) {
    const denied = endsOf(denies, at);
    if (denied.length > 0) at = Math.max(...denied);
    else if (allows.length === 0 || endsOf(allows, at).length > 0) return at;
    else at = Math.min(...startsOf(allows, at));
  }
  return undefined;
}

/** The first instant after `from`, at which the windows are open, at which they are closed. */
function closingAfter(windows: readonly Window[], from: number): number | undefined {
  const denies = windows.filter(({ kind }) => kind === 'deny');
  const allows = windows.filter(({ kind }) => kind === 'allow');
  const denied = Math.min(...startsOf(denies, from));
  let at = from;
  for (let steps = 0; allows.length > 0 && at < denied && steps < stepsAtMost; steps += 1) {
    const ends = endsOf(allows, at);
    if (ends.length === 0 || at > from + horizonMs) break;
    at = Math.max(...ends);
  }
  const closing = allows.length > 0 ? Math.min(at, denied) : denied;
  return closing <= from + horizonMs ? closing : undefined;
}

function endsOf(windows: readonly Window[], at: number): readonly number[] {
  return windows.flatMap((window) => openUntil(window, at) ?? []);
}

/** Infinity for a window that does not open again. */
function startsOf(windows: readonly Window[], after: number): readonly number[] {
  return windows.map((window) => nextStart(window, after) ?? Number.POSITIVE_INFINITY);
}

function isoOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
