import { remedy } from '../diagnose/remedies.ts';
import { explainPause } from '../diagnose/rules.ts';
import { finding, ref } from '../findings/make-finding.ts';
import { type Finding, refText, type Severity, type Trouble, type TroubleKind } from '../findings/trouble.ts';
import { type Wait, waitSentence } from '../gates/wait.ts';
import { contentText } from '../machine-config/pending-text.ts';
import { freezesIn } from '../openshift/freeze.ts';
import { isGivenUp } from '../openshift/given-up.ts';
import { fieldManager } from '../openshift/hold.ts';
import { heldLongest } from '../openshift/holders.ts';
import {
  condition,
  hasPendingChange,
  hasPendingRollout,
  imageOf,
  isTrue,
  mayHaveNodesBehind,
  type Pool,
} from '../openshift/pool.ts';
import { holdsOf, type PoolRecord, standingHoldsOf } from '../openshift/pool-record.ts';
import { versionUpdateText } from '../openshift/version-update.ts';
import { earliest, isPast, latest, secondsSince } from '../text/instant.ts';
import { ageText, between, lastingText, listed } from '../text/phrases.ts';
import { becauseOf, poolFacts } from './facts.ts';
import { buildSeconds, unrenderedSeconds } from './find-subjects.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble, type TroubleDraft } from './make-trouble.ts';
import type { PoolState } from './pool-state.ts';
import type { SuspectClocks } from './settled-suspects.ts';

/** Seconds. That controllers of two versions render is normal during an upgrade; only when it lasts is it trouble
 *  (R8). */
const mixedVersionsSeconds = 30 * 60;
/** What the MCO tries again by itself fails for minutes. Later it needs somebody, whatever its text says. */
const healsWithinSeconds = 3600;

const weekMs = 7 * 24 * 3_600_000;

/** What is wrong with a pool as a whole. */
export function poolTroubles(
  state: PoolState,
  input: JudgeInput,
  { unsettled }: Pick<SuspectClocks, 'unsettled'>,
): readonly Trouble[] {
  return [
    ...(unsettled.has(state.pool.name) ? [] : renderFailed(state, input)),
    ...unrendered(state, input),
    ...buildFailed(state, input),
    ...pausedTooLong(state, input),
  ];
}

type Fact = Trouble['facts'][number];

function renderFailed(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const { pool } = state;
  if (!isTrue(pool, 'RenderDegraded')) return [];
  const since = condition(pool, 'RenderDegraded')?.since ?? input.now.toISOString();
  const findings = input.diagnoses.get(`${pool.name}/render`)?.findings ?? [];
  const mixed = findings.some(({ code, class: sort }) => code === 'R8' && sort === 'self-healing');
  if (mixed && secondsSince(since, input.now) < mixedVersionsSeconds) return [];
  const mayHeal = findings.length > 0 && findings.every(({ class: sort }) => sort === 'self-healing');
  const heals = mayHeal && (mixed || secondsSince(since, input.now) < healsWithinSeconds);
  const culprits = findings.map(({ subject }) => subject).filter(({ kind }) => kind === 'MachineConfig');
  return [
    trouble(state, input, 'render-failed', {
      severity: heals ? 'warning' : 'high',
      headline: `cannot be rendered${culprits.length === 0 ? '' : `: MachineConfig ${listed(culprits.map(({ name }) => name))}`}`,
      since,
      findings,
      facts: poolFacts(state, [
        { label: 'Nodes affected', value: culprits.length === 0 ? 'none' : 'none; a revert in Git is enough' },
        { label: 'Config', value: `stays ${pool.current.name}` },
        { label: 'Failing for', value: lastingText(since, input.now.toISOString()) },
      ]),
    }),
  ];
}

/** No RenderDegraded, yet the applied change is not rendered: the pool stays paused behind its gate without any
 *  reported error. */
function unrendered(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const { pool, unrenderedSince: since } = state;
  if (since === undefined || secondsSince(since, input.now) < unrenderedSeconds) return [];
  const findings = input.diagnoses.get(`${pool.name}/unrendered`)?.findings ?? [];
  const culprits = findings.map(({ subject }) => subject).filter(({ kind }) => kind !== 'MachineConfigPool');
  return [
    trouble(state, input, 'render-failed', {
      severity: 'warning',
      headline: `what was applied is not rendered${culprits.length === 0 ? '' : `: ${listed(culprits.map(refText), 2)}`}`,
      since,
      findings,
      facts: poolFacts(state, [
        { label: 'Nodes affected', value: 'none; the pool stays paused until it is rendered' },
        { label: 'Pending for', value: lastingText(since, input.now.toISOString()) },
      ]),
    }),
  ];
}

function buildFailed(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const { pool } = state;
  const failed = isTrue(pool, 'ImageBuildDegraded');
  const since = failed ? (condition(pool, 'ImageBuildDegraded')?.since ?? input.now.toISOString()) : state.buildSince;
  if (since === undefined || (!failed && secondsSince(since, input.now) < buildSeconds)) return [];
  return [
    trouble(state, input, 'build-failed', {
      severity: failed ? 'high' : 'warning',
      headline: failed ? 'operating system image cannot be built' : 'operating system image not built yet',
      since,
      findings: input.diagnoses.get(`${pool.name}/build`)?.findings ?? [],
      facts: poolFacts(state, [
        { label: 'Nodes affected', value: 'none' },
        {
          label: failed ? 'Failing for' : 'Pending for',
          value: lastingText(since, input.now.toISOString()),
        },
      ]),
    }),
  ];
}

/** Our pause counts by its age, even if its record is unreadable: nobody else would end it. A foreign pause counts only
 *  if a change, or nodes, have been pending behind it for that long (EUS and canary pauses are meant to last). */
function pausedTooLong(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const { pool, blocks } = state;
  if (!pool.paused) return [];
  const record = pool.record.kind === 'record' ? pool.record.record : undefined;
  const orphaned = isOrphaned(pool);
  const ours = orphaned || record?.pause === 'ours';
  const since = pauseBegan(state, ours ? record : 'foreign', input.now) ?? blocks?.since;
  if (since === undefined) return [];
  const severity = severityOfPause(state, input, { since, record: ours ? record : 'foreign' });
  if (severity === undefined) return [];
  const by = pool.pausedBy?.manager ?? 'someone';
  return [
    trouble(state, input, 'paused-too-long', {
      severity,
      headline: headlineOf(state, ours ? holderWords(pool, orphaned) : undefined),
      since,
      findings: withWaits(explainPause(pool, since, input.now.toISOString()), state),
      facts: poolFacts(state, [
        {
          label: ours ? 'Paused for' : 'Pending for',
          value: `${lastingText(since, input.now.toISOString())}${since === state.pausedAgainSince ? resumedBriefly : ''}`,
        },
        { label: 'Paused by', value: by },
        {
          label: 'Config',
          value: configText(state),
        },
        ...pendingFact(state, input),
        ...(blocks === undefined ? [] : [{ label: 'Cluster update', value: versionUpdateText(blocks) }]),
        ...certificatesFact(pool),
      ]),
    }),
  ];
}

/** As pushes and syncs that follow each other leave it. */
const resumedBriefly = ', resumed now and then for seconds, in which no node was updated';

/** A pool that rests paused is too late only with what waits for it, or what holds it: how long it has rested before
 *  says nothing of a sync that holds it for a minute. */
function pauseBegan(
  { pool, pendingSince, pausedAgainSince, rests }: PoolState,
  record: PoolRecord | 'foreign' | undefined,
  now: Date,
): string | undefined {
  if (record === 'foreign') return pendingSince;
  if (rests !== true) return earliest([pausedAgainSince, pausedSince(record, pool, now)]);
  const holds = [...standingHoldsOf(pool)];
  return earliest([
    pausedAgainSince,
    pendingSince,
    holds.length === 0 ? undefined : pausedSince({ v: 1, holds }, pool, now),
  ]);
}

function configText({ pool, change }: PoolState): string {
  const { current, target, counts } = pool;
  if (hasPendingChange(pool)) return `${current.name} -> ${target.name}${becauseOf(change, target.name)}`;
  const nodes = mayHaveNodesBehind(pool) ? `; ${counts.updated} of ${counts.machines} nodes updated` : '';
  const waiting = hasPendingRollout(pool) ? `image ${imageOf(pool)} pending` : 'no change pending';
  return `${current.name} (${waiting}${nodes})`;
}

/** Paused under our name, and by its record the pause is not ours to end. */
function isOrphaned(pool: Pool): boolean {
  const isClaimed = pool.record.kind === 'record' && pool.record.record.pause !== undefined;
  return isGivenUp(pool) || (!isClaimed && pool.pausedBy?.manager === fieldManager);
}

/** Undefined: it has not lasted too long. A pool that an update of the cluster waits for has, at once. */
function severityOfPause(
  state: PoolState,
  { policy, now }: JudgeInput,
  { since, record }: { readonly since: string; readonly record: PoolRecord | 'foreign' | undefined },
): Severity | undefined {
  const ours = record !== 'foreign';
  const age = secondsSince(ours ? countedSince(since, record, now) : since, now);
  const limit = policy.pausedAtMostSeconds;
  if (state.blocks !== undefined) return 'high';
  const isTooLong = ours ? hasLastedTooLong({ age, limit, since }, state, now) : age >= limit;
  if (!isTooLong) return undefined;
  return age >= 2 * limit ? 'high' : 'warning';
}

/** @param holder in words; undefined: somebody else paused it */
function headlineOf({ pool, blocks }: PoolState, holder: string | undefined): string {
  const by = pool.pausedBy?.manager ?? 'someone';
  // The version operator does not end an update before the pools that it waits for are updated.
  if (blocks !== undefined)
    return `the update of the cluster to ${blocks.to} waits for this pool, ${holder ?? `paused by ${by}`}`;
  if (holder !== undefined) return `paused too long, ${holder}`;
  return `${hasPendingRollout(pool) ? 'change' : 'nodes'} pending behind a pause by ${by}`;
}

/** A gate that its timeout makes an alert of counts at once, whatever the age of the pause, and so does one that made
 *  Poolkeeper give the pool up: only a person resumes it. */
function hasLastedTooLong(
  { age, limit, since }: { readonly age: number; readonly limit: number; readonly since: string },
  state: PoolState,
  now: Date,
): boolean {
  if (state.waits?.isOverdue === true || isGivenUp(state.pool)) return true;
  return age >= limit && !waitsBriefly(since, state) && !isFrozenBriefly(since, state, now);
}

/** Who keeps the pool paused, or why nobody can tell. */
function holderWords({ record }: Pool, isOrphaned: boolean): string {
  const holders = heldLongest(standingHoldsOf({ record })).map(({ who }) => who);
  if (holders.length > 0) return `held by ${listed(holders, 2)}`;
  if (!isOrphaned) return 'waiting for its gates';
  if (record.kind === 'record' && record.record.last?.did === 'left') return record.record.last.why;
  return record.kind === 'unreadable' ? 'its record cannot be read' : 'by somebody who uses our name';
}

/** The change that the pause holds back, and for how long. */
function pendingFact({ change, pendingSince }: PoolState, { now }: JudgeInput): readonly Fact[] {
  if (change === undefined) return [];
  const age = pendingSince === undefined ? '' : `, for ${ageText(between(pendingSince, now.toISOString()))}`;
  return [{ label: 'Pending change', value: `${contentText(change)}${age}` }];
}

/** In some releases the pause also holds back certificate rotation; the finding has details. */
function certificatesFact({ certificatesExpire }: Pool): readonly Fact[] {
  if (certificatesExpire === undefined) return [];
  return [{ label: 'Certificates', value: `the first expires ${certificatesExpire}` }];
}

/** A pool that only waits for its window is not forgotten: it resumes by itself, and its page says when. A wait of more
 *  than a week is a trouble all the same, because certificates and pull secrets wait behind the pause. */
function waitsBriefly(since: string, { windowOpensAt }: PoolState): boolean {
  return windowOpensAt !== undefined && between(since, windowOpensAt) <= weekMs;
}

/** A frozen pool is not forgotten either: the freeze has a person, a reason and an end. One of more than a week is a
 *  trouble, and so is one that outlasts the first certificate. */
function isFrozenBriefly(since: string, { pool }: PoolState, now: Date): boolean {
  const ends = freezesIn({ holds: holdsOf(pool) }).map(({ until }) => until);
  const end = latest(ends.filter((until) => !isPast(until, now)));
  if (end === undefined || between(since, end) > weekMs) return false;
  return pool.certificatesExpire === undefined || between(end, pool.certificatesExpire) > 0;
}

/** What was frozen counts as forgotten only by the time since its freeze ended. */
function countedSince(since: string, record: PoolRecord | undefined, now: Date): string {
  const thawedAt = record?.release?.thawedAt;
  if (thawedAt === undefined || !isPast(thawedAt, now) || between(since, thawedAt) > weekMs) return since;
  return latest([since, thawedAt]) ?? since;
}

/** Since when we have paused the pool. Anybody who may write the pool may write our record: a date in the future, or
 *  before the pool existed, is ignored. Then the API server's time of the last write counts, and then the pool's own
 *  age: an impossible date never hides a pause. */
function pausedSince(record: PoolRecord | undefined, pool: Pool, now: Date): string | undefined {
  const isPossible = (at: string | undefined) =>
    at !== undefined &&
    Date.parse(at) <= now.getTime() &&
    (pool.createdAt === undefined || Date.parse(at) >= Date.parse(pool.createdAt));
  const holds = (record?.holds ?? []).map(({ since }) => since).filter(isPossible);
  const candidates = [record?.pausedSince, earliest(holds), pool.pausedBy?.at];
  const isClaimed = record?.pausedSince !== undefined || (record?.holds.length ?? 0) > 0;
  return candidates.find(isPossible) ?? (isClaimed ? pool.createdAt : undefined);
}

/** Waits that are told beside each other: the page has all. */
const waitsTold = 3;

/** The pause, with what it waits for as its cause, in the words of the page. */
function withWaits(pause: Finding, { waits }: PoolState): readonly Finding[] {
  const told = (waits?.now ?? []).slice(0, waitsTold).map((wait) => waitFinding(wait, pause));
  const [first, ...others] = told;
  return first === undefined ? [pause] : [{ ...pause, because: [first] }, ...others];
}

function waitFinding(wait: Wait, { code, confidence, class: sort }: Finding): Finding {
  const { kind, name, opens, how } = wait;
  return finding({
    code,
    subject: ref(kind, name),
    sentence: waitSentence(wait),
    confidence,
    class: sort,
    // The pause of somebody else has its remedy already.
    remedies:
      how === undefined || kind === 'pause'
        ? []
        : [
            remedy(kind === 'gate' ? `Open gate ${name}: ${opens}` : `End the hold of ${name}`, {
              command: how,
              risk: 'low',
            }),
          ],
  });
}

/** A trouble of this pool. */
export function trouble(
  { pool }: Pick<PoolState, 'pool'>,
  { cluster }: Pick<JudgeInput, 'cluster'>,
  kind: TroubleKind,
  draft: Omit<TroubleDraft, 'key'>,
): Trouble {
  return makeTrouble({ key: { cluster, pool: pool.name, kind }, ...draft });
}
