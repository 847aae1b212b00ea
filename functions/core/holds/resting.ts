import { protectionOf } from '../configuration/protection.ts';
import { noEvidence } from '../gates/evidence.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import { isRolling, mayHaveNodesBehind, type Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { lasting } from '../openshift/pool-record.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { openEmergency } from './emergency.ts';
import { respected } from './let-go.ts';
import type { AfterResume } from './pause-again.ts';
import type { Snapshot } from './snapshot.ts';

const why = 'the pool rests paused between changes';

/** Pauses a pool of protection level `rest` once its rollout is done, or taken back. Undefined: it is left alone. */
export function restAgain(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): AfterResume | undefined {
  const rests = protectionOf(settingsOf(snapshot.settings, pool.name)).rests;
  if (!rests || pool.paused || isRolling(pool) || !isManaged(snapshot.settings, pool)) return undefined;
  if (openEmergency(record, now) !== undefined || yieldsToCertificates(pool, snapshot, now) !== undefined)
    return undefined;
  if (respected(record, pool, now) !== undefined) return undefined;
  if (mayHaveNodesBehind(pool)) {
    const { nodesBehind } = snapshot.evidence.get(pool.name) ?? noEvidence;
    if (nodesBehind.kind === 'not-asked') return { pool, action: { kind: 'none' }, gates: [], lacking: 'nodesBehind' };
    if (nodesBehind.kind === 'unreadable' || nodesBehind.value.length > 0) return undefined;
  }
  const at = now.toISOString();
  const resting: PoolRecord = {
    v: 1,
    pause: 'ours',
    pausedSince: at,
    holds: record.holds,
    ...lasting(record, now),
    last: { did: 'paused', at, why },
  };
  return { pool, action: { kind: 'pause', record: resting, why }, gates: [] };
}

/** Why a pool of level `rest` does not wait: the first certificate that the MCO renews expires soon, and a paused pool
 *  may keep that from its nodes, which are lost then. Undefined: it waits. One that has expired is of the past. */
export function yieldsToCertificates(pool: Pool, { settings }: Snapshot, now: Date): string | undefined {
  const expires = pool.certificatesExpire;
  if (expires === undefined || !protectionOf(settingsOf(settings, pool.name)).rests) return undefined;
  const isSoon = isPast(expires, new Date(plusSeconds(now, settings.policy.restYieldsWithinSeconds)));
  return isSoon && !isPast(expires, now) ? `the first certificate of the pool expires at ${expires}` : undefined;
}
