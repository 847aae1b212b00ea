import type { Hold } from '../openshift/hold.ts';
import { type Emergency, type PoolRecord, standingHolds, without } from '../openshift/pool-record.ts';
import { isPast } from '../text/instant.ts';

/** The emergency lane of the pool, while it is open. */
export function openEmergency({ emergency }: PoolRecord, now: Date): Emergency | undefined {
  return emergency === undefined || isPast(emergency.until, now) ? undefined : emergency;
}

/** The holds that keep the pool paused: those that no person has overruled. An open emergency lane passes freezes and
 *  nothing else. */
export function holdsThatCount(record: PoolRecord, now: Date): readonly Hold[] {
  const standing = standingHolds(record);
  if (openEmergency(record, now) === undefined) return standing;
  return standing.filter(({ kind }) => kind !== 'freeze');
}

/** The lane closes by itself. */
export function withoutEndedLane(record: PoolRecord, now: Date): PoolRecord {
  return record.emergency !== undefined && isPast(record.emergency.until, now) ? without(record, 'emergency') : record;
}

/** Who opened it and why. */
export function emergencyWords({ emergency }: PoolRecord): string {
  return emergency === undefined ? '' : `emergency of ${emergency.who}: ${emergency.why}`;
}
