import { isOfOtherPerson } from '../openshift/field-managers.ts';
import { freezesIn } from '../openshift/freeze.ts';
import { endInGit, gitPauseOf } from '../openshift/git-pause.ts';
import { fieldManager, type Hold } from '../openshift/hold.ts';
import { keptPausedText } from '../openshift/kept-paused.ts';
import type { Pool } from '../openshift/pool.ts';
import { lasting, type PoolRecord, recordIn, standingHoldsOf, without } from '../openshift/pool-record.ts';
import { BadInput } from '../text/errors.ts';
import { given } from '../text/given.ts';
import { holdsThatCount, openEmergency } from './emergency.ts';
import { letGoBy, programResume } from './let-go.ts';
import { overrule, unpausedWith, withMarks } from './overruled.ts';
import { withUnendedResume } from './unended-resume.ts';

/** Who acts on a pool by hand, and why. */
export interface ManualRequest {
  /** As the API server knows them. */
  readonly who: string;
  readonly why: string;
  readonly now: Date;
  /** When it was asked, if a queue brings it; absent: now. */
  readonly askedAt?: string | undefined;
}

/** What a manual request writes to the pool, at most one patch, and what it reports. */
export interface ManualChange {
  /** Undefined leaves `spec.paused` as it is. */
  readonly paused: boolean | undefined;
  /** Undefined leaves the record as it is: there was nothing to do. Null removes it. */
  readonly record: PoolRecord | null | undefined;
  /** Continues `Pool worker ...`. */
  readonly said: string;
}

/** Adds a manual hold: the pool is paused now, and the first pass after `until` releases it. Holding again moves its
 *  end. Throws BadInput for a pool whose record cannot be read. */
export function addManualHold(pool: Pool, until: Date, request: ManualRequest): ManualChange {
  const id = manualHoldId(request.who);
  const known = recordOf(pool).holds.find((hold) => hold.id === id);
  // One that somebody has overruled held nothing since.
  const since = (known?.overruled === undefined ? known?.since : undefined) ?? request.now.toISOString();
  return holdByHand(pool, { id, kind: 'manual', since, until: until.toISOString() }, request);
}

/** A person has one hold per pool. */
export function manualHoldId(who: string): string {
  return `manual/${who}`;
}

/** The pool with this hold on its record, and paused. Throws BadInput for a pool whose record cannot be read. */
export function holdByHand(
  pool: Pool,
  { id, kind, since, until }: Pick<Hold, 'id' | 'kind' | 'since' | 'until'>,
  { who, why, now, askedAt }: ManualRequest,
): ManualChange {
  const before = withMarks(recordOf(pool), now);
  const at = now.toISOString();
  const asked: Hold = {
    id,
    kind,
    who,
    why,
    since,
    ...(since === (askedAt ?? at) ? {} : { askedAt: askedAt ?? at }),
    until,
  };
  const holds = [...before.holds.filter((each) => each.id !== id), asked];
  if (pool.paused) {
    // The hold is recorded; the pause still belongs to whoever set it.
    const mark = before.pause === undefined || before.pause === 'overridden' ? { pause: 'foreign' as const } : {};
    const said = before.pause === 'ours' ? 'was already paused by Poolkeeper' : 'was already paused by somebody else';
    return { paused: undefined, record: { ...before, ...mark, holds }, said };
  }
  if (kind === 'freeze' && holdsThatCount({ ...before, holds }, now).length === 0) {
    const record = before.pause === 'overridden' ? { ...without(before, 'pause'), holds } : { ...before, holds };
    return { paused: undefined, record, said: 'is not paused: its emergency lane is open' };
  }
  const { release: _release, ...kept } = before;
  // No pass has seen yet that somebody else resumed it: that is told all the same.
  const isLetGo = before.pause === 'ours';
  const by = pool.pausedBy?.manager ?? 'somebody';
  const letGo = isLetGo
    ? { letGo: { ...letGoBy(by, pool.target.name, now), ...programResume(pool, before, now) } }
    : {};
  const last = { did: 'paused' as const, at, why, by: who };
  return {
    paused: true,
    record: withUnendedResume({ ...kept, ...letGo, pause: 'ours', pausedSince: at, last, holds }, pool),
    said: 'is paused',
  };
}

/** Resumes a pool by hand. Holds of people and failed syncs are released. Holds of running or expected syncs, and of
 *  runs, stay in the record until they end, overruled, so that they do not pause the pool again. A pause that is not
 *  ours stays. Throws BadInput for a pool whose record cannot be read. */
export function resumeManually(pool: Pool, { who, why, now }: ManualRequest): ManualChange {
  const before = recordOf(pool);
  const at = now.toISOString();
  const frozen = latestFreeze(before);
  if (frozen !== undefined && openEmergency(before, now) === undefined)
    return {
      paused: undefined,
      record: undefined,
      said: `stays as it is: ${frozen.who} has frozen it until ${frozen.until}; thaw ends that, emergency passes it`,
    };
  const holds = before.holds.filter(({ kind, phase }) => kind !== 'manual' && phase !== 'failed');
  // A pool that Poolkeeper has given up, or whose record is lost, waits for exactly this decision.
  const manager = pool.pausedBy?.manager;
  // Another person may have paused it since, which no pass has seen yet.
  const isOurs = (before.pause === 'ours' && !isOfOtherPerson(manager)) || manager === fieldManager;
  if (pool.paused && !isOurs) {
    const isChanged = holds.length < before.holds.length;
    return {
      paused: undefined,
      record: isChanged
        ? withUnendedResume({ ...before, holds, last: { did: 'left', at, why, by: who } }, pool)
        : undefined,
      said: `stays paused: ${whyStaysPaused(pool)}`,
    };
  }
  if (!pool.paused && !before.holds.some(isUndecided)) {
    const record = holds.length < before.holds.length ? withUnendedResume({ ...before, holds }, pool) : undefined;
    return { paused: undefined, record, said: 'was not paused' };
  }
  // A freeze is passed by the emergency lane, and stands when that ends.
  const mark = { at, by: who, target: pool.target.name };
  const left = holds.map((hold) => (hold.kind === 'freeze' ? hold : overrule(hold, mark)));
  const resumed: PoolRecord = {
    v: 1,
    ...unpausedWith(left),
    ...lasting(before, now),
    ...given({ rolledOut: before.rolledOut }),
    letGo: letGoBy(who, pool.target.name, now),
    last: { did: 'overridden', at, why, by: who },
  };
  return {
    paused: pool.paused ? false : undefined,
    record: withUnendedResume(resumed, pool),
    said: pool.paused ? `is resumed${pastPerson(pool)}` : 'was not paused',
  };
}

/** A person may still resume the pool past it: nobody has, or only a program. A freeze is passed by the emergency lane
 *  here: without one nobody resumes by hand. */
function isUndecided({ kind, overruled }: Hold): boolean {
  return kind !== 'freeze' && (overruled === undefined || overruled.byProgram === true);
}

/** The holds that a resume would end or go past; none for a pool whose record cannot be read. */
export function holdsToPass(pool: Pool): readonly Hold[] {
  return standingHoldsOf(pool).filter(({ kind }) => kind !== 'freeze');
}

/** What a resume went past, a line for each hold that stays on the record: its sync or run goes on, and nodes go under
 *  it. */
export function passedLines(record: Pick<PoolRecord, 'holds'> | null | undefined): readonly string[] {
  return (record?.holds ?? [])
    .filter(({ overruled }) => overruled !== undefined)
    .map(
      ({ who, why, kind }) =>
        `${who} no longer holds it (${why}); the mark disappears with that ${kind === 'rollout' ? 'run' : 'sync'}.`,
    );
}

/** The annotation stays, and counts for the next pause: whoever resumed the pool may not have known of it. */
function pastPerson(pool: Pool): string {
  const kept = keptPausedText(pool);
  return kept === '' ? '' : `, past ${kept}`;
}

function whyStaysPaused(pool: Pool): string {
  const inGit = gitPauseOf(pool);
  if (inGit !== undefined) return `Git pauses it, too; first ${endInGit(inGit)}, and sync that`;
  return `${pool.pausedBy?.manager ?? 'somebody'} has paused it, not Poolkeeper`;
}

/** Why Poolkeeper will leave a pool paused once the hold of a person has ended; undefined: it will not. */
export function whyNotResumed({ pause, pausedInGit }: PoolRecord): string | undefined {
  if (pause !== 'foreign') return undefined;
  return pausedInGit === undefined ? 'it did not pause it' : 'Git pauses it, too';
}

/** The freeze that lasts longest. */
function latestFreeze(record: PoolRecord): Hold | undefined {
  return freezesIn(record).toSorted((a, b) => Date.parse(b.until) - Date.parse(a.until))[0];
}

/** Throws BadInput for a record that cannot be read. */
export function recordOf(pool: Pool): PoolRecord {
  if (pool.record.kind === 'unreadable') throw new BadInput(`pool ${pool.name}: ${pool.record.why}`);
  return recordIn(pool);
}
