import type { Hold } from '../openshift/hold.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';

/** Characters of the record for holds and for names of applied MachineConfigs. Everything else in it takes some 2,000,
 *  and the API server accepts 256 KiB of annotations per object: a longer record would be refused, and with it the
 *  pause or the resume that it comes with. */
const room = { holds: 150_000, machineConfigs: 50_000 };

/** The holds that fit. Those that the pool has already stay; a new one that does not fit is no loss as long as the
 *  others keep the pool paused, and it is tried again in the next pass. */
export function holdsThatFit(holds: readonly Hold[], { holds: before }: PoolRecord): readonly Hold[] {
  const isOld = ({ id }: Hold) => before.some((each) => each.id === id);
  const used = sizeOf(holds.filter(isOld));
  const fresh = new Set(
    whileItFits(
      holds.filter((hold) => !isOld(hold)),
      room.holds - used,
    ),
  );
  return holds.filter((hold) => isOld(hold) || fresh.has(hold));
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
