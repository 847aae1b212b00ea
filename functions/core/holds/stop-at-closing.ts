import { noEvidence } from '../gates/evidence.ts';
import { closingOf } from '../gates/fit.ts';
import type { GateQuestion } from '../gates/gate.ts';
import { window } from '../gates/window.ts';
import { isManaged } from '../openshift/managed-pools.ts';
import { hasPendingRollout, isRolling, type Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { seenValue } from '../text/observed.ts';
import { windowsFor } from '../windows/openings.ts';
import { gateQuestion } from './gate-question.ts';
import { respected } from './let-go.ts';
import { type AfterResume, pauseAgain } from './pause-again.ts';
import type { Snapshot } from './snapshot.ts';

/** For the record of a resume: the rendered config whose rollout is stopped when a window of the pool closes; empty:
 *  none is. What goes although its window is closed is not stopped for that. */
export function stoppedAtClosing(question: GateQuestion): { readonly target?: string } {
  const { pool, windows, settings, emergency } = question;
  const hasWindows = windowsFor(windows, pool).length > 0;
  if (!hasWindows || !hasPendingRollout(pool) || settings.overrun === 'go') return {};
  return emergency !== undefined || window.ask(question).open ? { target: pool.target.name } : {};
}

/** Pauses a pool whose rollout Poolkeeper let go, or whose nodes are taken back before it rests, and whose window
 *  closes. Undefined: it is left alone. A rollout that somebody else began, or a person resumed, is not ours to
 *  stop. */
export function stopAtClosing(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): AfterResume | undefined {
  const { last } = record;
  const isOurs = last?.did === 'resumed' && last.target !== undefined && last.target === pool.target.name;
  const isTheirs = respected(record, pool, now) !== undefined || record.letGo?.config === pool.target.name;
  const mayStop = isRolling(pool) ? isOurs : !pool.paused && !isTheirs && isTakenBack(pool, snapshot);
  if (!mayStop || !isManaged(snapshot.settings, pool)) return undefined;
  const closing = closingOf(gateQuestion(record, pool, snapshot, now));
  if (closing.kind === 'goes on') return undefined;
  if (closing.kind === 'unread') return { pool, action: { kind: 'none' }, gates: [], lacking: closing.lacks };
  return pauseAgain(record, pool, closing.why, now);
}

/** Of level `rest`, which alone asks: a change was reverted in the middle of its rollout. */
function isTakenBack({ name }: Pool, { evidence }: Snapshot): boolean {
  const { nodesBehind } = evidence.get(name) ?? noEvidence;
  return (seenValue(nodesBehind) ?? []).length > 0;
}
