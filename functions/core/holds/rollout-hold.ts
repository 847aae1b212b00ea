import type { PoolRollout } from '../node-turns/pool-rollouts.ts';
import { type Hold, rolloutHoldId, runOfHold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { given } from '../text/given.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import type { Snapshot } from './snapshot.ts';
import { released, type Step } from './step.ts';

/** Seconds that a run holds a pool without being looked at. A day: people have been told by then. */
const heldSeconds = 86_400;

/** The next step of a run's hold. It never ends by age: the MCO would take the nodes that are left without their
 *  jobs. */
export function rolloutStep(hold: Hold, pool: Pool, { rollouts }: Snapshot, now: Date): Step {
  const run = runOfHold(hold.id) ?? '';
  // Nothing is known of any run in this pass.
  if (rollouts === undefined) return { kind: 'hold', hold };
  const rollout = rollouts.get(pool.name);
  if (rollout?.run !== run)
    return released(
      rollout?.given ?? `run ${run} is no longer configured for it; the MCO takes the nodes that are left without jobs`,
    );
  if (rollout.wants === 'let go') return released(rollout.why);
  const isLong = !isPast(hold.until, new Date(now.getTime() + (heldSeconds / 4) * 1000));
  // Its mode may have changed, and nodes may have joined.
  const { canary: _, reached: _reached, ...known } = hold;
  const marked = { ...known, ...marksOf(rollout) };
  return { kind: 'hold', hold: isLong ? marked : { ...marked, until: plusSeconds(now, heldSeconds) } };
}

function marksOf({ recordIn, canary, reached }: PoolRollout): Pick<Hold, 'recordIn' | 'canary' | 'reached'> {
  return {
    ...given({ recordIn, canary, reached }),
  };
}

/** The hold of the run that has this pool, if it lacks it. Undefined: no run wants one. */
export function missingRollout(record: PoolRecord, pool: Pool, { rollouts }: Snapshot, now: Date): Hold | undefined {
  const rollout = rollouts?.get(pool.name);
  if (rollout?.wants !== 'hold') return undefined;
  const id = rolloutHoldId(rollout.run);
  if (record.holds.some((hold) => hold.id === id)) return undefined;
  const at = now.toISOString();
  const who = `run ${rollout.run}`;
  const until = plusSeconds(now, heldSeconds);
  return { id, kind: 'rollout', who, why: rollout.why, since: at, until, ...marksOf(rollout) };
}
