import { cloudEvent, type PublishedEvent } from '../../../events/index.ts';
import type { Hold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { emptyRecord, type PoolRecord, recordIn, standingHolds } from '../openshift/pool-record.ts';
import type { Race } from '../races/race.ts';
import { given } from '../text/given.ts';
import { untoldSteps } from './told-steps.ts';

const source = '/poolkeeper/keep-pools';

/** A pool after a pass, and what is known of it in public. */
export interface PoolToPublish {
  readonly cluster: string;
  readonly pool: Pool;
  /** Its record as last published; undefined: it never was. */
  readonly published: PoolRecord | undefined;
  /** Of further holds what was published, in short; absent: there are none. */
  readonly publishedSteps?: string | undefined;
  readonly now: Date;
}

/** Events for a pool: the difference between the last published record and the current one. If a pass dies between its
 *  patch and publishing, the next one publishes the same events with the same ids. */
export function poolEvents({
  cluster,
  pool,
  published,
  publishedSteps,
  now,
}: PoolToPublish): readonly PublishedEvent[] {
  if (pool.record.kind === 'unreadable') return [];
  const before = published ?? emptyRecord;
  const after = recordIn(pool);
  const about = { cluster, pool: pool.name };
  const common = { source, subject: `${cluster}/${pool.name}`, time: now };
  return [
    ...overriddenEvents(before, after, about, common),
    ...heldEvents(untoldSteps(after.holds, before.holds, publishedSteps), about, common),
    ...pausedEvents(before, after, pool, about, common),
    ...releasedEvents(before, after, about, common),
    ...resumedEvents(before, after, about, common),
    ...emergencyEvents(before, after, about, common),
  ];
}

/** A lane that is opened again, with another end, is told again. */
function emergencyEvents(
  { emergency: before }: PoolRecord,
  { emergency: after }: PoolRecord,
  about: About,
  common: Common,
): readonly PublishedEvent[] {
  const isSame = before?.since === after?.since;
  const correlation = `emergency/${about.pool}/${(after ?? before)?.since}`;
  return [
    ...(before === undefined || isSame
      ? []
      : [
          cloudEvent({
            ...common,
            type: 'poolkeeper.emergency.ended.v1',
            id: eventId(about, 'emergency-ended', before.since),
            correlation,
            data: { ...about, who: before.who, why: before.why, since: before.since },
          }),
        ]),
    ...(after === undefined || (isSame && before?.until === after.until && before.who === after.who)
      ? []
      : [
          cloudEvent({
            ...common,
            type: 'poolkeeper.emergency.opened.v1',
            id: eventId(about, 'emergency', after.since, after.until, after.who),
            correlation,
            data: { ...about, ...after },
          }),
        ]),
  ];
}

/** What every event of the pool has in its data, and in its envelope. */
type About = { readonly cluster: string; readonly pool: string };
type Common = { readonly source: string; readonly subject: string; readonly time: Date };

function heldEvents(holds: readonly Hold[], about: About, common: Common): readonly PublishedEvent[] {
  return holds.map((hold) => {
    const { id, kind, who, why, since, until } = hold;
    const phase = hold.phase ?? '';
    return cloudEvent({
      ...common,
      type: 'poolkeeper.pool.held.v1',
      id: eventId(about, 'held', id, since, phase, hold.startedAt ?? ''),
      correlation: correlationOf(hold),
      data: { ...about, hold: { id, kind, who, why, since, until }, phase },
    });
  });
}

function pausedEvents(
  before: PoolRecord,
  after: PoolRecord,
  pool: Pool,
  about: About,
  common: Common,
): readonly PublishedEvent[] {
  const correlation = lastHeldFor(after, about);
  const didPause =
    after.pause === 'ours' && after.pausedSince !== undefined && before.pausedSince !== after.pausedSince;
  const foundForeign = isForeign(after) && !isForeign(before);
  return [
    ...(didPause
      ? [
          cloudEvent({
            ...common,
            type: 'poolkeeper.pool.paused.v1',
            id: eventId(about, 'paused', after.pausedSince ?? ''),
            correlation,
            data: { ...about, why: after.last?.why ?? '', generation: pool.generation },
          }),
        ]
      : []),
    ...(foundForeign
      ? [
          cloudEvent({
            ...common,
            type: 'poolkeeper.pool.foreign.v1',
            id: eventId(about, 'foreign', after.last?.at ?? ''),
            correlation,
            data: { ...about, by: after.last?.by ?? pool.pausedBy?.manager ?? 'somebody' },
          }),
        ]
      : []),
  ];
}

/** Once no hold is left, the record says of a pause of others only that Git wants it. */
function isForeign({ pause, pausedInGit }: PoolRecord): boolean {
  return pause === 'foreign' || pausedInGit !== undefined;
}

function releasedEvents(
  before: PoolRecord,
  after: PoolRecord,
  about: About,
  common: Common,
): readonly PublishedEvent[] {
  const left = new Set(after.holds.map(holdKey));
  return before.holds
    .filter((hold) => !left.has(holdKey(hold)))
    .map((hold) =>
      cloudEvent({
        ...common,
        type: 'poolkeeper.pool.released.v1',
        id: eventId(about, 'released', hold.id, hold.since),
        correlation: correlationOf(hold),
        data: { ...about, hold: hold.id, why: whyReleased(hold, before, after) },
      }),
    );
}

function holdKey({ id, since }: Hold): string {
  return JSON.stringify([id, since]);
}

/** Only what was noted since is about this hold: what the record says of earlier ones stays in it. */
function whyReleased({ id }: Hold, before: PoolRecord, after: PoolRecord): string {
  if (after.release !== undefined && after.release.since !== before.release?.since) return after.release.why;
  if (after.last !== undefined && after.last.at !== before.last?.at) return after.last.why;
  if (after.holds.some((each) => each.id === id)) return 'it is held for something else now';
  return after.pause === undefined && after.last !== undefined
    ? 'Poolkeeper holds it no longer'
    : 'its record was changed';
}

/** A person resumed the pool, whatever was done about it in the same pass. */
function overriddenEvents(
  before: PoolRecord,
  after: PoolRecord,
  about: About,
  common: Common,
): readonly PublishedEvent[] {
  const { at, by } = after.letGo ?? letGoOfLast(after) ?? {};
  if (at === undefined || at === before.letGo?.at || at === letGoOfLast(before)?.at) return [];
  const data = { ...about, by: by ?? 'somebody' };
  const id = eventId(about, 'overridden', at);
  return [
    cloudEvent({ ...common, type: 'poolkeeper.pool.overridden.v1', id, correlation: lastHeldFor(before, about), data }),
  ];
}

/** Where a version noted it that had no other place for it. */
function letGoOfLast({ last }: PoolRecord): Pick<NonNullable<PoolRecord['last']>, 'at' | 'by'> | undefined {
  return last?.did === 'overridden' ? last : undefined;
}

/** Poolkeeper resumed the pool. */
function resumedEvents(before: PoolRecord, after: PoolRecord, about: About, common: Common): readonly PublishedEvent[] {
  const last = after.last;
  if (last?.did !== 'resumed' || last.at === before.last?.at) return [];
  return [
    cloudEvent({
      ...common,
      type: 'poolkeeper.pool.resumed.v1',
      id: eventId(about, 'resumed', last.at),
      correlation: lastHeldFor(before, about),
      data: { ...about, why: last.why },
    }),
  ];
}

function lastHeldFor(record: PoolRecord, { pool }: About): string {
  const [hold] = standingHolds(record);
  return hold === undefined ? pool : correlationOf(hold);
}

/** Events for a race, as the difference between two passes: its confirmation and its verdict, each once. */
export function raceEvents(before: Race | undefined, after: Race, now: Date): readonly PublishedEvent[] {
  const about = { cluster: after.cluster, pool: after.pool };
  const common = { source, subject: `${after.cluster}/${after.pool}`, time: now, correlation: after.hold };
  const isSamePause = before?.pausedAt === undefined || before.pausedAt === after.pausedAt;
  const confirmed = after.confirmedAt !== undefined && !(isSamePause && before?.confirmedAt !== undefined);
  const decided = before?.verdict === undefined ? after.verdict : undefined;
  return [
    ...(confirmed
      ? [
          cloudEvent({
            ...common,
            type: 'poolkeeper.pool.confirmed.v1',
            id: eventId(about, 'confirmed', after.hold, after.since, ...pauseInId(after)),
            data: { ...about, generation: after.pauseGeneration ?? 0, missedNodes: [...after.missedNodes] },
          }),
        ]
      : []),
    ...(decided === undefined
      ? []
      : [
          cloudEvent({
            ...common,
            type: 'poolkeeper.race.decided.v1',
            id: eventId(about, 'race', after.hold, after.since),
            data: {
              ...about,
              hold: after.hold,
              verdict: decided,
              missedNodes: [...after.missedNodes],
              ...timesOf(after),
            },
          }),
        ]),
  ];
}

/** Each pause of one hold is confirmed once. */
function pauseInId({ isPausedAnew, pausedAt }: Race): readonly string[] {
  return isPausedAnew === true && pausedAt !== undefined ? [pausedAt] : [];
}

function timesOf(race: Race) {
  return {
    ...given({
      pushedAt: race.pushedAt,
      pausedAt: race.pausedAt,
      confirmedAt: race.confirmedAt,
      appliedAt: race.appliedAt,
      firstTargetedAt: race.firstTargetedAt,
    }),
  };
}

/** What joins all events of one change, from the push to the messages: the commit if a push began it, else the
 *  operation, else the hold. */
function correlationOf(hold: Hold): string {
  return hold.revision ?? hold.startedAt ?? hold.id;
}

function eventId(about: About, ...parts: readonly string[]): string {
  return [about.cluster, about.pool, ...parts].join('/');
}
