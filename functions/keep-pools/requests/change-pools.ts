import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import { freezeManually, freezesToThaw, thawManually } from '../../core/holds/manual-freeze.ts';
import {
  addManualHold,
  holdsToPass,
  type ManualChange,
  manualHoldId,
  passedLines,
  resumeManually,
  whyNotResumed,
} from '../../core/holds/manual-hold.ts';
import { freezeId } from '../../core/openshift/freeze.ts';
import type { Hold } from '../../core/openshift/hold.ts';
import { isManaged } from '../../core/openshift/managed-pools.ts';
import { isRequiredForUpgrade, type Pool } from '../../core/openshift/pool.ts';
import { holdsOf, standingHoldsOf } from '../../core/openshift/pool-record.ts';
import type { AskedRequest, ClusterRequest } from '../../core/requests/asked-request.ts';
import { byName } from '../../core/text/by-name.ts';
import { BadInput, isInDoubt, Transient } from '../../core/text/errors.ts';
import { isPast, plusSeconds } from '../../core/text/instant.ts';
import { counted, listed } from '../../core/text/phrases.ts';
import { unique } from '../../core/text/unique.ts';
import type { Pools } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/telemetry.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { Outcome } from './outcome.ts';

type PoolRequest = Extract<ClusterRequest, { readonly pool: string }>;
type Asked = Pick<AskedRequest, 'at' | 'who' | 'cluster'> & { readonly request: PoolRequest };

/** Lost races before giving up; the MCO writes a pool a few times a second at most. */
const attempts = 20;

/** Holds, resumes, freezes or thaws, as the commands of the same names on the command line do. Throws BadInput for what
 *  cannot be done, Transient where nobody can say. */
export async function changePools(asked: Asked, settings: ClusterSettings, ports: KeepPorts): Promise<Outcome> {
  const { pools } = await ports.cluster(settings.name);
  const { items, unreadable } = await pools.listPools();
  const unread = unreadable.map(({ name }) => name);
  const chosen = chosenPools(asked.request, { items, unread }, settings);
  // All are judged before any is written.
  for (const pool of chosen) changeOf(pool, asked, ports.clock());
  const lines: string[] = [];
  const earlier: (readonly Hold[])[] = [];
  let isRequired = false;
  for (const pool of chosen) {
    let before: readonly Hold[] = [];
    const done = await writeByHand(pool, pools, (fresh) => {
      before = earlierOn(fresh, asked, ports.clock());
      return changeOf(fresh, asked, ports.clock());
    }).catch((cause: unknown) => leftAsItIs(cause, { done: lines, chosen, logger: ports.logger }));
    lines.push(`${asked.cluster}/${pool.name} ${done.said}${endOf(asked, done)}`, ...passedBy(asked, done));
    if (done.record === undefined) continue;
    earlier.push(before);
    isRequired ||= isRequiredForUpgrade(pool);
    await note(pool, asked, { pools, ports });
  }
  if (asked.request.pool === '*' && unread.length > 0)
    lines.push(`Not changed, because they cannot be read: ${listed(unread, 10)}.`);
  return {
    said: lines.length === 0 ? 'No pool of the cluster is concerned.' : lines.join('\n'),
    changed: earlier.length > 0,
    earlier: { ofPools: earlier, isRequired, now: ports.clock() },
  };
}

/** What the command moves, joins or ends, and what takes it back must leave or bring back. A command that is repeated
 *  finds its own. */
function earlierOn(pool: Pool, { request, who, at }: Asked, now: Date): readonly Hold[] {
  if (request.kind === 'resume') return holdsToPass(pool);
  const going = (holds: readonly Hold[]) => holds.filter(({ until }) => !isPast(until, now));
  if (request.kind === 'thaw') return going(freezesToThaw(pool, {}));
  const isFreeze = request.kind === 'freeze';
  const id = idOfHold(request, who);
  const until = endsAt(at, request.forSeconds).toISOString();
  const found = isFreeze ? freezesToThaw(pool, {}) : standingHoldsOf(pool).filter((hold) => hold.id === id);
  return going(found).filter((hold) => !(hold.id === id && hold.until === until));
}

/** What was judged well and cannot be done any more, or failed: of several pools, the others are done all the same. */
function leftAsItIs(
  cause: unknown,
  {
    done,
    chosen,
    logger,
  }: { readonly done: readonly string[]; readonly chosen: readonly Pool[]; readonly logger: Logger },
): ManualChange {
  if (cause instanceof Transient && chosen.length > 1) {
    logger.error('command failed on a pool', { error: cause });
    const said = isInDoubt(cause)
      ? 'did not answer, and may have changed or not: look'
      : 'stays as it is: the cluster refused the change, and the log of keep-pools says why';
    return { paused: undefined, record: undefined, said };
  }
  if (!(cause instanceof BadInput) || done.length === 0) throw cause;
  return { paused: undefined, record: undefined, said: `stays as it is: ${cause.message}` };
}

function chosenPools(
  { kind, pool: wanted }: PoolRequest,
  { items, unread }: { readonly items: readonly Pool[]; readonly unread: readonly string[] },
  settings: ClusterSettings,
): readonly Pool[] {
  if (wanted === '*') {
    const managed = items.filter((pool) => isManaged(settings, pool));
    const frozen = items.filter((pool) => freezesToThaw(pool, {}).length > 0 && !isLeftToTerminal(pool, settings));
    const chosen = kind === 'thaw' ? frozen : managed;
    if (kind === 'thaw') requireOnePerson(chosen);
    return chosen;
  }
  const pool = byName(items, wanted);
  if (pool === undefined)
    throw new BadInput(unread.includes(wanted) ? `pool ${wanted} cannot be read` : noPool(wanted, items));
  if (kind === 'thaw') requireOnePerson([pool]);
  if (kind === 'hold' || kind === 'freeze') requireManaged(pool, settings);
  else if (isLeftToTerminal(pool, settings))
    throw new BadInput(`cluster upgrades wait for pool ${pool.name}; \`poolkeeper ${kind}\` can do it`);
  return [pool];
}

function noPool(wanted: string, items: readonly Pool[]): string {
  const known = items.map(({ name }) => name).toSorted();
  return `there is no pool ${wanted}; the cluster has ${known.length === 0 ? 'none' : listed(known, 20)}`;
}

/** Somebody with a terminal paused it, on purpose and against the default. */
function isLeftToTerminal(pool: Pool, settings: ClusterSettings): boolean {
  return isRequiredForUpgrade(pool) && !isManaged(settings, pool);
}

/** Nobody pauses from Slack what Poolkeeper itself would not pause. */
function requireManaged(pool: Pool, settings: ClusterSettings): void {
  if (isManaged(settings, pool)) return;
  throw new BadInput(
    isRequiredForUpgrade(pool)
      ? `cluster upgrades wait for pool ${pool.name}; \`poolkeeper\` can do it with --required`
      : `pool ${pool.name} is only observed`,
  );
}

/** Where it is not clear whose freeze is to end, a person with a terminal says so. */
function requireOnePerson(pools: readonly Pool[]): void {
  const people = unique(pools.flatMap((pool) => freezesToThaw(pool, {}).map(({ who }) => who))).toSorted();
  if (people.length > 1)
    throw new BadInput(`it is frozen by ${listed(people, 5)}; poolkeeper thaw --by says whose freeze ends, or all`);
}

function changeOf(pool: Pool, asked: Asked, clock: Date): ManualChange {
  requireNothingLater(pool, asked);
  const { request, who, at } = asked;
  const change = { who, why: request.reason, now: clock, askedAt: at };
  switch (request.kind) {
    case 'hold':
      return addManualHold(pool, endsAt(at, request.forSeconds), change);
    case 'resume':
      return resumeManually(pool, change);
    case 'freeze':
      return freezeManually(
        pool,
        { scope: scopeOf(request), until: withinCertificates(pool, at, request.forSeconds) },
        change,
      );
    case 'thaw':
      return thawManually(pool, { scope: scopeOf(request) }, change);
    default:
      return request satisfies never;
  }
}

/** A command that the queue brought late ends nothing that came after it was asked: nobody decided about that. Nor does
 *  it move the end of the person's own hold, if they have moved that since. */
function requireNothingLater(pool: Pool, { request, who, at }: Asked): void {
  const { kind } = request;
  const ends = (hold: Hold) => {
    if (kind === 'resume') return true;
    if (kind === 'thaw') return hold.kind === 'freeze';
    return hold.id === idOfHold(request, who);
  };
  const isLater = ({ since, askedAt = since }: Hold) => Date.parse(askedAt) > Date.parse(at);
  const later = holdsOf(pool).find((hold) => ends(hold) && isLater(hold));
  if (later !== undefined)
    throw new BadInput(
      `${later.who} holds pool ${pool.name} since ${later.askedAt ?? later.since}, after that was asked; ask again`,
    );
}

/** The hold that a command adds or moves. */
function idOfHold(request: Pick<PoolRequest, 'kind' | 'pool'>, who: string): string {
  return request.kind === 'freeze' ? freezeId(scopeOf(request), who) : manualHoldId(who);
}

function scopeOf({ pool }: Pick<PoolRequest, 'pool'>): 'pool' | 'cluster' {
  return pool === '*' ? 'cluster' : 'pool';
}

/** Counted from the command, so that the queue may bring it late. */
function endsAt(at: string, forSeconds: number): Date {
  return new Date(plusSeconds(new Date(at), forSeconds));
}

function withinCertificates({ name, certificatesExpire: expiry }: Pool, at: string, forSeconds: number): Date {
  const until = endsAt(at, forSeconds);
  if (expiry !== undefined && Date.parse(expiry) <= until.getTime())
    throw new BadInput(`the first certificate of pool ${name} expires ${expiry}, before the end of the freeze`);
  return until;
}

function endOf({ at, request }: Asked, { record }: ManualChange): string {
  if (record === undefined || !('forSeconds' in request)) return '';
  const until = endsAt(at, request.forSeconds).toISOString().slice(0, 16);
  const stays = record === null ? undefined : whyNotResumed(record);
  const foreign = stays === undefined ? '' : `; Poolkeeper will not resume it, because ${stays}`;
  return `, ${request.kind === 'hold' ? 'held' : 'frozen'} until ${until}Z${foreign}`;
}

/** Holds that an answer names: whoever may create Applications makes any number of them. */
const passedAtMost = 5;

function passedBy({ request }: Asked, { record }: ManualChange): readonly string[] {
  const lines = request.kind === 'resume' ? passedLines(record) : [];
  const more = lines.length - passedAtMost;
  return more > 0 ? [...lines.slice(0, passedAtMost), `So it is with ${counted(more, 'more hold')}.`] : lines;
}

async function writeByHand(first: Pool, pools: Pools, decide: (pool: Pool) => ManualChange): Promise<ManualChange> {
  let pool = first;
  for (let attempt = 1; ; attempt += 1) {
    const done = decide(pool);
    if (done.record === undefined) return done;
    try {
      await pools.patchPool(pool, { paused: done.paused, record: done.record });
      return done;
    } catch (cause) {
      if (!(cause instanceof Transient) || cause.kind !== 'conflict' || attempt === attempts) throw cause;
      const fresh = await pools.readPool(pool.name);
      if (fresh === undefined) throw new BadInput(`pool ${pool.name} is gone`, { cause });
      pool = fresh;
    }
  }
}

const eventReasons = {
  hold: 'HeldByHand',
  resume: 'ResumedByHand',
  freeze: 'FrozenByHand',
  thaw: 'ThawedByHand',
} as const;

/** Best effort: what counts is the record. */
async function note(
  pool: Pool,
  { request, who }: Asked,
  { pools, ports: { clock, logger } }: { readonly pools: Pools; readonly ports: KeepPorts },
): Promise<void> {
  const event = {
    reason: eventReasons[request.kind],
    message: `${who}: ${request.reason}`,
    type: 'Normal',
    at: clock(),
  } as const;
  try {
    await pools.recordEvent(pool, event);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('Kubernetes event was not accepted', { pool: pool.name, why: cause.message });
  }
}
