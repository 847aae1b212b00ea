import { fieldManager, type Hold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { isPast } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { laneCommand } from '../text/pool-command.ts';
import { unique } from '../text/unique.ts';
import { holdsThatCount } from './emergency.ts';
import { type ManualChange, type ManualRequest, recordOf } from './manual-hold.ts';

/** Opens the emergency lane of the pool until `until`; opening it again moves its end. The next pass resumes the pool
 *  if nothing but what the lane passes keeps it.
 *  Throws BadInput for a pool whose record cannot be read.
 *  @param request `cluster`: for a command that is advised; absent: that does not name it */
export function openLane(
  pool: Pool,
  until: Date,
  request: ManualRequest & { readonly cluster?: string | undefined },
): ManualChange {
  const { who, why, now, cluster } = request;
  const before = recordOf(pool);
  if (pool.paused && before.pause !== 'ours') {
    const by = pool.pausedBy?.manager ?? 'somebody';
    const why =
      by === fieldManager ? 'Poolkeeper no longer resumes it; resume does' : `${by} has paused it, not Poolkeeper`;
    return { paused: undefined, record: undefined, said: `stays paused: ${why}` };
  }
  const known = before.emergency;
  const since = known === undefined || isPast(known.until, now) ? now.toISOString() : known.since;
  const record = { ...before, emergency: { who, why, since, until: until.toISOString() } };
  return { paused: undefined, record, said: saidOf(pool, holdsThatCount(record, now), cluster) };
}

/** Closes the lane before its end; the next pass pauses the pool again if it is frozen. Throws BadInput for a pool
 *  whose record cannot be read. */
export function closeLane(pool: Pool, { now }: Pick<ManualRequest, 'now'>): ManualChange {
  const { emergency, ...before } = recordOf(pool);
  if (emergency === undefined || isPast(emergency.until, now))
    return { paused: undefined, record: undefined, said: 'has no open emergency lane' };
  return { paused: undefined, record: before, said: 'is out of its emergency lane' };
}

/** A run keeps its pool paused, also in the lane, and lets its nodes go. */
function saidOf({ paused }: Pool, holds: readonly Hold[], cluster: string | undefined): string {
  if (!paused) return 'is not paused';
  const others = namesOf(holds.filter(({ kind }) => kind !== 'rollout'));
  const runs = namesOf(holds.filter(({ kind }) => kind === 'rollout'));
  const open = 'once the gates that an emergency does not pass are open';
  if (others.length > 0) return `stays paused as long as ${listed(others, 3)} ${verbOf(others, 'hold')} it`;
  if (runs.length === 0) return `resumes ${open}`;
  const canaries = unique(holds.flatMap(({ canary }) => canary ?? [])).map(
    (canary) =>
      ` and nothing keeps pool ${canary}, which they move to, paused: a freeze of that has a lane of its own, ${laneCommand({ cluster, pool: canary })}`,
  );
  return `stays paused: ${listed(runs, 3)} ${verbOf(runs, 'take')} its nodes, one after another, ${open}${canaries.join()}`;
}

function namesOf(holds: readonly Hold[]): readonly string[] {
  return unique(holds.map(({ who }) => who));
}

function verbOf({ length }: readonly string[], verb: string): string {
  return length === 1 ? `${verb}s` : verb;
}
