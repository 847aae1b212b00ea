import { syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import type { GuardQuestion } from './guard-question.ts';

/** One condition: the reasons, for people, why the window stays closed by it. Empty: it is met. */
export type GuardCondition = (question: GuardQuestion) => readonly string[];

/** All of them. What else a sync has to wait for (its turn in a sequence) is one more function here. */
const conditions: readonly GuardCondition[] = [poolsAreConfirmedPaused, namesakesArePaused];

/** Why the window of an Application that wants to sync stays closed. Empty: it may be opened. */
export function staysClosed(question: GuardQuestion): readonly string[] {
  return conditions.flatMap((condition) => condition(question));
}

/** Each pool that it affects is paused, the MCO has confirmed it, and it is this Application's own hold that keeps
 *  it so: a pause for another reason may end at any time. */
function poolsAreConfirmedPaused({ application, affected, pools }: GuardQuestion): readonly string[] {
  const id = syncHoldId(application);
  return affected.flatMap((name) => {
    const pool = pools.get(name);
    if (pool === undefined) return [`pool ${name} cannot be read`];
    const why = notConfirmedPaused(pool);
    if (why !== undefined) return [why];
    return holdsOf(pool).some((hold) => hold.id === id) ? [] : [`pool ${name} is paused, but not for this Application`];
  });
}

/** One window is for every Application of its name in the project. */
function namesakesArePaused({ alsoAffected, cluster, pools }: GuardQuestion): readonly string[] {
  return alsoAffected.flatMap((other) => {
    if (other.cluster !== cluster)
      return [`${other.application} of cluster ${other.cluster} has the same name in this project`];
    return other.pools.flatMap((name) => {
      const pool = pools.get(name);
      const why = pool === undefined ? `pool ${name} cannot be read` : notConfirmedPaused(pool);
      return why === undefined ? [] : [`${why}, and ${other.application}, which has the same name, affects it`];
    });
  });
}

function notConfirmedPaused(pool: Pool): string | undefined {
  const { name, paused, generation, observedGeneration, record } = pool;
  if (record.kind === 'unreadable') return `pool ${name} cannot be paused: ${record.why}`;
  if (!paused) {
    const isPersons = record.kind === 'record' && record.record.pause === 'overridden';
    return isPersons ? `pool ${name} was resumed by a person, which is respected` : `pool ${name} is not paused yet`;
  }
  return observedGeneration >= generation ? undefined : `the pause of pool ${name} is not confirmed yet`;
}
