import type { Application, Operation } from '../argocd/application.ts';
import { appliedMachineConfigs, renderedResources } from '../impact/affected-pools.ts';
import { hasWritten } from '../impact/pools-affected-by-sync.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { isEarlierSecond, secondsSince } from '../text/instant.ts';
import { lastSync } from './answers.ts';
import { openEmergency } from './emergency.ts';
import { gateQuestion } from './gate-question.ts';
import { respected } from './let-go.ts';
import type { PoolAction } from './plan.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import { askedFor } from './rendered-late.ts';
import type { Snapshot } from './snapshot.ts';
import type { Step } from './step.ts';

/** Seconds after the end of a sync in which a pause may still come before its rollout. The MCO leaves 5 to 10 s
 *  (facts measured on release 4.21), and a busy one some more. */
const withinSeconds = 30;

/** A sync that was over before anybody looked, as one of half a second. A pause protects nothing of it any more, but if
 *  the pool has windows, approvals or another gate that decides about changes, they are asked before what the sync has
 *  brought rolls out. Otherwise the step as it is. */
export function unlessJustOver(step: Step, application: Application, at: Missed): Step {
  const operation = lastSync(application);
  if (step.kind !== 'nothing' || operation?.phase !== 'Succeeded') return step;
  if (!isJustOver(operation, at) || !hasRendered(application, operation) || !mayPause(at)) return step;
  const why = `the sync of ${application.namespace}/${application.name} was over before the pool could be paused for it`;
  return { kind: 'release', why, machineConfigs: appliedMachineConfigs(operation.results) };
}

/** A pool, and its record before this step. */
type Missed = PoolInSnapshot & { readonly record: PoolRecord };

/** What happened to the pool since then was decided with it. */
function isJustOver({ finishedAt }: Operation, { record: { last }, now }: Missed): boolean {
  if (finishedAt === undefined || !(Math.abs(secondsSince(finishedAt, now)) <= withinSeconds)) return false;
  return last === undefined || isEarlierSecond(last.at, finishedAt);
}

function hasRendered(application: Application, { results }: Operation): boolean {
  const rendered = new Set(renderedResources(application).map(({ kind, name }) => `${kind}/${name}`));
  return results.some((each) => rendered.has(`${each.kind}/${each.name}`) && hasWritten(each));
}

/** Nobody has decided about the pool, and something is to be asked. With `pauseFor: disruptive`, what does nothing to
 *  the nodes must not wait, and a sync does not say what it does. */
function mayPause({ record, pool, snapshot, now }: Missed): boolean {
  if (pool.paused || record.pause !== undefined || record.holds.length > 0) return false;
  if (!isManaged(snapshot.settings, pool)) return false;
  if (settingsOf(snapshot.settings, pool.name).pauseFor === 'disruptive') return false;
  if (openEmergency(record, now) !== undefined || respected(record, pool, now) !== undefined) return false;
  return Object.keys(askedFor(gateQuestion(record, pool, snapshot, now))).length > 0;
}

/** The pause for such a sync: the pool goes on through its gates. Undefined: there was none. */
export function pauseAfterMissed(
  record: PoolRecord,
  before: PoolRecord,
  pool: Pool,
  snapshot: Snapshot,
  now: Date,
): PoolAction | undefined {
  const { release } = record;
  const at = now.toISOString();
  const isNew = release?.since === at && before.release === undefined && before.holds.length === 0;
  if (release === undefined || !isNew || record.holds.length > 0 || record.pause !== undefined) return undefined;
  if (pool.paused || !isManaged(snapshot.settings, pool)) return undefined;
  const { why } = release;
  const paused: PoolRecord = {
    ...record,
    pause: 'ours',
    pausedSince: at,
    last: { did: 'paused', at, why },
  };
  return { kind: 'pause', record: paused, why };
}
