import { protectionOf } from '../configuration/protection.ts';
import { closingOf } from '../gates/fit.ts';
import type { GateQuestion } from '../gates/gate.ts';
import { rolloutOf } from '../gates/rollout.ts';
import { window } from '../gates/window.ts';
import { isGoingBack } from '../openshift/going-back.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import { condition, isRolling, mayHaveNodesBehind, type Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { gateQuestion } from './gate-question.ts';
import { respected } from './let-go.ts';
import { type AfterResume, lateWithinSeconds, pauseAgain } from './pause-again.ts';
import type { Snapshot } from './snapshot.ts';

/** For the record of a resume: the rendered config whose rollout is stopped when a window of the pool closes, also one
 *  that is configured only later; empty: none is. What goes although its window is closed is not stopped for that. */
export function stoppedAtClosing(question: GateQuestion): { readonly target?: string } {
  const { pool, emergency } = question;
  if (rolloutOf(question).kind !== 'rolls') return {};
  return emergency !== undefined || window.ask(question).open ? { target: pool.target.name } : {};
}

/** For the record of a resume that takes nodes back, or to another image: to which rendered config; empty: it takes
 *  none. */
export function takenBack(question: GateQuestion): { readonly takesBack?: string } {
  const rollout = rolloutOf(question);
  return rollout.kind === 'rolls' && rollout.takesBack ? { takesBack: question.pool.target.name } : {};
}

/** Pauses a pool whose rollout Poolkeeper let go, or whose nodes are taken back, and whose window closes. Undefined: it
 *  is left alone. A rollout that somebody else began, or that a person kept paused past its window, is not ours. */
export function stopAtClosing(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): AfterResume | undefined {
  const isOurs = isLetGoByUs(record, pool);
  const mayStop = isRolling(pool)
    ? isOurs
    : (isOurs && isGoingBack(pool)) || mayBeLetThrough(record, pool, snapshot, now);
  if (!mayStop || !isManaged(snapshot.settings, pool)) return undefined;
  const question = gateQuestion(record, pool, snapshot, now);
  const closing = closingOf(question);
  if (closing.kind === 'goes on') return undefined;
  if (closing.kind === 'unread') return { pool, action: { kind: 'none' }, gates: [], lacking: closing.lacks };
  const stops = isRolling(pool) ? 'some' : nodesToStop(question, isOurs);
  if (stops === 'unread') return { pool, action: { kind: 'none' }, gates: [], lacking: 'nodesBehind' };
  return stops === 'none' ? undefined : pauseAgain(record, pool, closing.why, now);
}

/** It is the rollout that our last resume let go: the pool has not been updated since, whose next change is another one
 *  even where it leads to the same config. */
function isLetGoByUs({ last }: PoolRecord, pool: Pool): boolean {
  if (last?.did !== 'resumed' || last.target !== pool.target.name) return false;
  const { status, since } = condition(pool, 'Updated') ?? {};
  const isLater = since !== undefined && isPast(plusSeconds(new Date(last.at), lateWithinSeconds), new Date(since));
  return status !== 'False' || !isLater;
}

/** Of level `rest`: nodes may be let through before it rests, whoever resumed it besides a person. */
function mayBeLetThrough(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): boolean {
  if (pool.paused || !mayHaveNodesBehind(pool)) return false;
  const isTheirs = respected(record, pool, now) !== undefined || record.letGo?.config === pool.target.name;
  return !isTheirs && protectionOf(settingsOf(snapshot.settings, pool.name)).rests;
}

/** Whether any node is still to go, without which nothing is stopped. Where they cannot be read, our own resume counts:
 *  not all have arrived. */
function nodesToStop(question: GateQuestion, isOurs: boolean): 'some' | 'none' | 'unread' {
  const { nodesBehind } = question.evidence;
  switch (nodesBehind.kind) {
    case 'not-asked':
      return 'unread';
    case 'unreadable':
      return isOurs ? 'some' : 'none';
    case 'seen': {
      const all = protectionOf(question.settings).rests;
      return nodesBehind.value.some(({ hasJustJoined }) => all || !hasJustJoined) ? 'some' : 'none';
    }
    default:
      return nodesBehind satisfies never;
  }
}
