import { everyCommit, type Hold } from '../openshift/hold.ts';
import { countValues, type PoolRecord } from '../openshift/pool-record.ts';
import { unique } from '../text/unique.ts';

/** Bytes of the record for holds and for names of applied MachineConfigs. Everything else in it takes some 15,000, and
 *  the API server accepts 256 KiB of annotations per object: a longer record would be refused, and with it the pause or
 *  the resume that it comes with. */
const room = { holds: 150_000, machineConfigs: 50_000 };

/** Characters of the reason of a hold: it may quote what others write. */
const whyAtMost = 1_000;

/** What a hold keeps where the holds of a pool have outgrown their room: characters of its reason, and commits. */
const inShort = { why: 80, from: 2 };

/** The holds that fit, and those that do not. */
export interface Fitting {
  readonly fit: readonly Hold[];
  readonly leftOut: readonly Hold[];
}

/** Which holds fit into the record, if need be in short. Whoever may write Applications can fill it, so those come
 *  first that are not seen again if they are left out: holds of people, failed syncs, and pushes. */
export function holdsThatFit(holds: readonly Hold[], { holds: before }: PoolRecord): Fitting {
  const known = new Set(before.map(({ id }) => id));
  const rankOf = (hold: Hold) => rank(hold, known.has(hold.id));
  const bounded = holds.map((hold) => ({ ...hold, why: cut(hold.why, whyAtMost) }));
  const isImportant = (hold: Hold) => known.has(hold.id) || rankOf(hold) <= ranks.push;
  const doFit = (all: readonly Hold[]) => sizeOf(all.filter(isImportant)) <= room.holds;
  const all = [bounded, bounded.map(withShortReason)].find(doFit) ?? bounded.map(shortened);
  const people = all.filter((hold) => rankOf(hold) === ranks.person);
  const others = all.filter((hold) => rankOf(hold) !== ranks.person).toSorted((a, b) => rankOf(a) - rankOf(b));
  const left = people.reduce((most, hold) => most - sizeOf(hold), room.holds);
  const fit = new Set([...people, ...whileItFits(others, left)]);
  return { fit: all.filter((hold) => fit.has(hold)), leftOut: all.filter((hold) => !fit.has(hold)) };
}

/** Who stays, in this order. A sync that runs is seen again in every sweep, as long as it runs. */
const ranks = { person: 0, kept: 1, push: 2, keptSync: 3, sync: 4 } as const;

function rank({ kind, phase, pushedAt }: Hold, isKnown: boolean): number {
  if (kind !== 'sync') return ranks.person;
  if (phase === 'failed' || pushedAt !== undefined) return isKnown ? ranks.kept : ranks.push;
  return isKnown ? ranks.keptSync : ranks.sync;
}

/** Holds grow: by a push, by the reason why a sync failed, and by what it was to write. Of that everything counts that
 *  is not remembered. */
function withShortReason({ because: _, leftFailed: __, ...hold }: Hold): Hold {
  return { ...hold, why: cut(hold.why, inShort.why) };
}

/** Of commits that are not all remembered, any may be an earlier one, and of people who pushed any other. */
function shortened(hold: Hold): Hold {
  const { unpushed = [], ...rest } = hold;
  const { from = [], pushers = [], beside = [], via } = rest;
  return {
    ...withShortReason(rest),
    ...((via?.from ?? []).length > inShort.from && via !== undefined ? { via: { ...via, from: [everyCommit] } } : {}),
    ...(from.length > inShort.from ? { from: [everyCommit] } : {}),
    ...(beside.length > inShort.from ? { beside: [everyCommit] } : {}),
    ...(pushers.length > 1 || unpushed.length > 0 ? { pushers: [''] } : {}),
  };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

/** The names that fit, sorted: the gate `rendered` then waits for these. First come those that it may have to wait
 *  for: whoever may write an Application may say that it has applied thousands that nobody has made. */
export function machineConfigsThatFit(
  names: readonly string[],
  mayBeAwaited: (name: string) => boolean,
): readonly string[] {
  const all = unique(names).toSorted();
  const inOrder = [...all.filter(mayBeAwaited), ...all.filter((name) => !mayBeAwaited(name))];
  return whileItFits(inOrder, room.machineConfigs).toSorted();
}

/** One that is too large leaves room for those behind it. */
function whileItFits<Item>(items: readonly Item[], most: number): readonly Item[] {
  let left = most;
  return items.filter((item) => {
    const size = sizeOf(item);
    if (size > left) return false;
    left -= size;
    return true;
  });
}

/** Bytes that a value counts at least, so that a record of many short ones, which nobody writes in earnest, stays one
 *  that can be read: its room is for some 17,000. */
const bytesOfValue = 12;

/** Bytes, with what separates it from the next. */
function sizeOf(value: unknown): number {
  const bytes = encoder.encode(JSON.stringify(value)).length + 1;
  return Math.max(bytes, countValues(value, bytes) * bytesOfValue);
}

const encoder = new TextEncoder();
