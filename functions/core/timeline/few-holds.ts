import { ownerOfHold } from '../openshift/hold.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { earliest, latest } from '../text/instant.ts';
import { byTurns } from '../text/rounds.ts';
import type { HoldView } from './view.ts';
import { keepsPaused } from './waits-of.ts';

/** How many holds of a pool are named. */
export interface HoldsNamed {
  /** In all. */
  readonly all: number;
  /** Of people and runs, however few are named in all. */
  readonly people: number;
}

/** Whoever may write Applications can make up any number of holds: what keeps the pool paused comes first, of that what
 *  is no sync, and of syncs one of each owner after the other. Others are told of, or a person would resume past
 *  them: together, but each kind and phase for itself, or all that is no freeze, if not `apart`. */
export function fewHolds(holds: readonly HoldView[], { all, people }: HoldsNamed, apart = true): readonly HoldView[] {
  if (holds.length <= all + 1) return holds;
  const named = holds.filter(({ more }) => more === undefined);
  const [keeping, past] = [named.filter(keepsPaused), named.filter((hold) => !keepsPaused(hold))];
  const [ofPeople, ofSyncs] = [inTurns(keeping.filter(isNoSync)), inTurns(keeping.filter((hold) => !isNoSync(hold)))];
  const first = ofPeople.slice(0, Math.max(all, people));
  const others = [...ofSyncs, ...inTurns(past)];
  const room = Math.max(0, all - first.length);
  const left = [
    ...ofPeople.slice(first.length),
    ...others.slice(room),
    ...holds.filter(({ more }) => more !== undefined),
  ];
  const together = [...Map.groupBy(left, apart ? ofAKind : inShort).values()].map(counted);
  return [...first, ...others.slice(0, room), ...together];
}

function isNoSync({ kind }: HoldView): boolean {
  return kind !== 'sync';
}

/** Freezes first, because their pool is not resumed by hand. */
function inTurns(holds: readonly HoldView[]): readonly HoldView[] {
  const [freezes, others] = [
    holds.filter(({ kind }) => kind === 'freeze'),
    holds.filter(({ kind }) => kind !== 'freeze'),
  ];
  return [...byTurns(freezes, ({ who }) => who), ...byTurns(others, ownerOf)];
}

function ownerOf(hold: HoldView): string {
  return isNoSync(hold) ? hold.who : ownerOfHold(hold);
}

function ofAKind(hold: HoldView): string {
  return [hold.kind, hold.phase, hold.passed ?? false, hold.overruled !== undefined].join();
}

function inShort(hold: HoldView): string {
  return keepsPaused(hold) ? `keeps${hold.kind === 'freeze'}` : 'past';
}

/** One that stands for several. */
function counted(left: readonly HoldView[]): HoldView {
  const [only, ...others] = left;
  if (only === undefined) throw new RangeError('nothing is left');
  if (others.length === 0) return only;
  const more = left.reduce((sum, hold) => sum + (hold.more ?? 1), 0);
  const { timeout: _ofOneAlone, project: _ofItsOwner, overruled, ...first } = only;
  const by = new Set(left.flatMap((hold) => hold.overruled?.by ?? []));
  return {
    ...first,
    id: 'more',
    who: `${more} more`,
    why: 'not named for lack of room: see the annotations of the pool',
    since: earliest(left.map(({ since }) => since)) ?? only.since,
    until: latest(left.map(({ until }) => until)) ?? only.until,
    more,
    ...(overruled === undefined ? {} : { overruled: by.size === 1 ? overruled : { ...overruled, by: 'several' } }),
  };
}

/** The id of a hold in which `keep` characters of a longer one are left. It ends as no other does, and names nothing:
 *  no two holds become one, and none that of somebody else. */
export function shortId(id: string, keep: number): string {
  return id.length <= keep || isShortened(id) ? id : `${id.slice(0, keep).toWellFormed()}${mark}${fingerprint(id)}`;
}

/** Whether the id names no hold any more. No name of an object has the mark. */
export function isShortened(id: string): boolean {
  return id.includes(mark);
}

const mark = '…#';
