import type { Hold } from '../openshift/hold.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';

/** Characters of the record for holds and for names of applied MachineConfigs. Everything else in it takes some 2,000,
 *  and the API server accepts 256 KiB of annotations per object: a longer record would be refused, and with it the
 *  pause or the resume that it comes with. */
const room = { holds: 150_000, machineConfigs: 50_000 };

/** Characters of the reason of a hold: it may quote what others write. */
const whyAtMost = 1_000;

/** What a hold keeps where the holds of a pool have outgrown their room: characters of its reason, and commits. */
const inShort = { why: 80, from: 2 };

/** The holds that fit. Those that the pool has already stay, if need be in short; a new one that does not fit is no
 *  loss as long as the others keep the pool paused, and it is tried again in the next pass. */
export function holdsThatFit(holds: readonly Hold[], { holds: before }: PoolRecord): readonly Hold[] {
  const isOld = ({ id }: Hold) => before.some((each) => each.id === id);
  const bounded = holds.map((hold) => ({ ...hold, why: cut(hold.why, whyAtMost) }));
  const all = sizeOf(bounded.filter(isOld)) > room.holds ? bounded.map(shortened) : bounded;
  const used = sizeOf(all.filter(isOld));
  const fresh = new Set(
    whileItFits(
      all.filter((hold) => !isOld(hold)),
      room.holds - used,
    ),
  );
  return all.filter((hold) => isOld(hold) || fresh.has(hold));
}

/** Holds grow: by a push, and by the reason why a sync failed. */
function shortened({ because: _, ...hold }: Hold): Hold {
  const from = hold.from === undefined ? {} : { from: hold.from.slice(-inShort.from) };
  return { ...hold, ...from, why: cut(hold.why, inShort.why) };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

/** The names that fit, sorted. The gate `rendered` then waits for these. */
export function machineConfigsThatFit(names: readonly string[]): readonly string[] {
  return whileItFits([...new Set(names)].toSorted(), room.machineConfigs);
}

function whileItFits<Item>(items: readonly Item[], most: number): readonly Item[] {
  let left = most;
  return items.filter((item) => {
    left -= sizeOf(item);
    return left >= 0;
  });
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}
