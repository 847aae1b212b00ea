import { askGates } from '../gates/ask-gates.ts';
import { canary } from '../gates/canary.ts';
import type { GateQuestion } from '../gates/gate.ts';
import { gates } from '../gates/index.ts';
import { rolloutOf } from '../gates/rollout.ts';
import { isManaged } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { windowsFor } from '../windows/openings.ts';
import { gateQuestion } from './gate-question.ts';
import { type AfterResume, lateWithinSeconds, pauseAgain, peopleOf } from './pause-again.ts';
import type { Snapshot } from './snapshot.ts';
import { stoppedAtClosing, takenBack } from './stop-at-closing.ts';

/** The gates at which people, or their calendars, budgets and tickets, decide about one rendered config: those that an
 *  emergency passes, and that of a canary, which stands for those of other pools. The others keep a rollout from doing
 *  harm when it begins, and this one has begun. */
const decisive = gates.filter((gate) => gate.inEmergency === 'passed' || gate === canary);

type Asking = Pick<GateQuestion, 'pool' | 'settings' | 'windows' | 'budget' | 'release' | 'step'>;

/** For the record of a resume: the rendered config that the decisive gates were asked for, and whose it is; empty: the
 *  pool has none of them. */
export function askedFor({ pool, settings, windows, budget, release, step }: Asking) {
  const people = peopleOf(release);
  const isAsked =
    settings.approve !== undefined ||
    settings.ticket !== undefined ||
    budget !== undefined ||
    step !== undefined ||
    windowsFor(windows, pool).length > 0 ||
    Object.keys(people).length > 0;
  return isAsked ? { asked: pool.target.name, ...people } : {};
}

/** A change that is rendered only after its pool was resumed, into a config that listed its MachineConfig before, or
 *  its revert: the decisive gates are asked for it, and pause the pool again. Undefined: nothing was rendered late. */
export function renderedLate(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): AfterResume | undefined {
  const { last } = record;
  if (last?.did !== 'resumed' || last.asked === undefined || last.asked === pool.target.name) return undefined;
  if (isPast(plusSeconds(new Date(last.at), lateWithinSeconds), now)) return undefined;
  if (pool.paused || !isManaged(snapshot.settings, pool)) return undefined;
  const people = Object.keys(peopleOf(last)).length === 0 ? {} : { release: releaseOf(last) };
  const question = gateQuestion({ ...record, ...people }, pool, snapshot, now);
  const { kind: rollout } = rolloutOf(question);
  if (rollout === 'unread') return { pool, action: { kind: 'none' }, gates: [], lacking: 'nodesBehind' };
  if (rollout !== 'rolls') return undefined;
  const { closed, lacking } = askGates(decisive, question);
  const shut = closed.find(({ unread }) => unread !== true);
  if (shut !== undefined) {
    const late = `${pool.target.name} was rendered after the pool had been resumed`;
    const why = `${late}, and gate ${shut.gate} is closed for it: ${shut.why}`;
    return pauseAgain(record, pool, why, now);
  }
  if (closed.length > 0) return { pool, action: { kind: 'none' }, gates: [], lacking };
  const asked = { ...last, asked: pool.target.name, ...stoppedAtClosing(question), ...takenBack(question) };
  return { pool, action: { kind: 'record', record: { ...record, last: asked }, why: last.why }, gates: [] };
}

function releaseOf(last: NonNullable<PoolRecord['last']>): NonNullable<PoolRecord['release']> {
  return { since: last.at, finishedAt: last.at, machineConfigs: [], why: last.why, ...peopleOf(last) };
}
