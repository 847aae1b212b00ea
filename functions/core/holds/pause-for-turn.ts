import { noEvidence } from '../gates/evidence.ts';
import { isManaged } from '../openshift/managed-pools.ts';
import { isRolling, type Pool } from '../openshift/pool.ts';
import { lasting, type PoolRecord, without } from '../openshift/pool-record.ts';
import { openEmergency } from './emergency.ts';
import { respected } from './let-go.ts';
import { unpausedWith } from './overruled.ts';
import { type AfterResume, pauseAgain } from './pause-again.ts';
import type { Snapshot } from './snapshot.ts';

/** Pauses a pool that is a step of a sequence and rolls before its turn, though nothing else has paused it: a change
 *  that no sync brought. Undefined: it is left alone. What its turn has let go once goes on, whatever becomes of lower
 *  waves, and a sequence that cannot be read stops nothing. */
export function pauseForTurn(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): AfterResume | undefined {
  const step = snapshot.sequenceSteps?.get(pool.name);
  if (step === undefined || !isRolling(pool) || !isManaged(snapshot.settings, pool)) return undefined;
  if (record.last?.asked === pool.target.name || openEmergency(record, now) !== undefined) return undefined;
  const letGo = respected(record, pool, now);
  if (letGo !== undefined) return goesOn(record, pool, letGo);
  const { turn } = snapshot.evidence.get(pool.name) ?? noEvidence;
  if (turn.kind === 'not-asked') return { pool, action: { kind: 'none' }, gates: [], lacking: 'turn' };
  if (turn.kind === 'unreadable') return undefined;
  if (!turn.value.mayGo)
    return pauseAgain(record, pool, `sequence ${step.sequence} has not come to it: ${turn.value.why}`, now);
  const at = now.toISOString();
  const why = `its turn in sequence ${step.sequence} has come`;
  const last = { did: 'left' as const, at, why, asked: pool.target.name };
  const known: PoolRecord = { v: 1, ...unpausedWith(record.holds), ...lasting(record, now), last };
  return { pool, action: { kind: 'record', record: known, why }, gates: [] };
}

/** What a person let go is noted, so that it goes on when the time has passed for which a resume is respected in any
 *  case. */
function goesOn(record: PoolRecord, pool: Pool, letGo: NonNullable<PoolRecord['letGo']>): AfterResume | undefined {
  if (record.letGo === undefined || record.letGo.config === letGo.config) return undefined;
  const known = { ...without(record, 'pause'), ...unpausedWith(record.holds), letGo };
  return { pool, action: { kind: 'record', record: known, why: `${letGo.by} resumed the pool` }, gates: [] };
}
