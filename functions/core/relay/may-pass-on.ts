import { clustersServedBy } from '../argocd/destination.ts';
import type { ArgoCdSettings } from '../configuration/argocd.ts';
import { argocdOf } from '../openshift/collective-hold-id.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { pauseNow, type Race } from '../races/race.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import type { PausedForPush, PushOutcome } from './push-outcome.ts';

/** What decides whether one Argo CD gets one push. */
export interface PassingOn {
  readonly argocd: ArgoCdSettings;
  /** When the push was received. */
  readonly receivedAt: string;
  /** Seconds. How long it may be held back. */
  readonly waitAtMostSeconds: number;
  /** Undefined: no pass for it has ended yet. */
  readonly outcome: PushOutcome | undefined;
  /** Races of the clusters that `poolsOf` names. */
  readonly races: readonly Race[];
  /** The last looks at the same clusters. */
  readonly looks: readonly LastLook[];
  readonly now: Date;
}

/** What the last look at a cluster has found, as the checkpoint has it. */
export interface LastLook {
  readonly cluster: string;
  readonly lastGoodReadAt: string | undefined;
  /** The records of its pools. */
  readonly told: Readonly<Record<string, PoolRecord>>;
  /** Of pools with more holds than there is room for, those that are left out. */
  readonly toldSteps?: Readonly<Record<string, string>> | undefined;
}

export type MayPassOn =
  /** What is missing may still come. */
  | { readonly kind: 'wait'; readonly why: string }
  /** `isLate`: the time is up, or waiting is of no use, and something is lacking; `why` says what. */
  | { readonly kind: 'go'; readonly isLate: boolean; readonly why: string };

/** Whether the push may be relayed to this Argo CD now: once every pool that it will change there is confirmed paused
 *  and is so still, or none needs to be, or it has waited long enough: holding a push back forever would be worse than
 *  not protecting it. */
export function mayPassOn(passing: PassingOn): MayPassOn {
  const { receivedAt, waitAtMostSeconds, now } = passing;
  const pools = poolsOf(passing.argocd.name, passing.outcome).map((paused) => ({
    ...paused,
    state: stateOf(paused, passing),
  }));
  const lacking = whatLacks(passing, pools);
  if (lacking.length === 0) return goNow(passing, pools);
  const isTimeUp = isPast(plusSeconds(new Date(receivedAt), waitAtMostSeconds), now);
  const why = shortList(lacking);
  return isTimeUp ? { kind: 'go', isLate: true, why } : { kind: 'wait', why };
}

/** The pools that Applications of this instance hold because of the push, or such as its Applications write. */
export function poolsOf(argocd: string, outcome: PushOutcome | undefined): readonly PausedForPush[] {
  const isOfIt = ({ hold, writtenIn = [] }: PausedForPush) => argocdOf(hold) === argocd || writtenIn.includes(argocd);
  return (outcome?.paused ?? []).filter(isOfIt);
}

/** `resumed`: a person has decided so since; that is respected. `ended`: the pool was resumed for any other reason, as
 *  when no sync came. */
interface PoolOfPush extends PausedForPush {
  readonly state: 'confirmed' | 'unconfirmed' | 'resumed' | 'ended';
}

function whatLacks({ argocd, outcome }: PassingOn, pools: readonly PoolOfPush[]): readonly string[] {
  if (outcome === undefined) return ['its pools are not determined yet'];
  const served = clustersServedBy(argocd);
  return [
    ...(outcome.unasked.includes(argocd.name) ? ['its Applications could not be read'] : []),
    ...outcome.unseen.filter((cluster) => served.includes(cluster)).map((cluster) => `cluster ${cluster} was not read`),
    ...poolsIn('unconfirmed', pools).map((pool) => `the pause of ${pool} is not confirmed`),
    ...poolsIn('ended', pools).map((pool) => `the pause of ${pool} has ended`),
  ];
}

function poolsIn(state: PoolOfPush['state'], pools: readonly PoolOfPush[]): readonly string[] {
  return poolNames(pools.filter((each) => each.state === state));
}

function stateOf(paused: PausedForPush, { outcome, races, looks }: PassingOn): PoolOfPush['state'] {
  const { cluster, pool, hold, since } = paused;
  const race = races.find(
    (each) => each.cluster === cluster && each.pool === pool && each.hold === hold && each.since === since,
  );
  const confirmedAt = race && pauseNow(race).confirmedAt;
  const look = looks.find((each) => each.cluster === cluster);
  const own = look?.told[pool]?.holds.find((each) => each.id === hold && each.since === since);
  if (own?.overruled !== undefined) return 'resumed';
  // Until a look that came after the pause was told, nothing is known of its end.
  const isLater = look?.lastGoodReadAt !== undefined && isPast(outcome?.decidedAt ?? '', new Date(look.lastGoodReadAt));
  if (look !== undefined && isLater && !isPausedSince(paused, confirmedAt, look)) return 'ended';
  return confirmedAt === undefined ? 'unconfirmed' : 'confirmed';
}

/** Whether the pool is paused, whatever for, and has not been resumed and paused again since its pause was confirmed.
 *  While its own hold stands, its race is about the pause that there is: a new time alone may be of one that Git has
 *  given back. Of a pool with more holds than there is room for, nothing is known. */
function isPausedSince(
  { pool, hold, since }: PausedForPush,
  confirmedAt: string | undefined,
  { told, toldSteps }: LastLook,
): boolean {
  if (toldSteps?.[pool] !== undefined) return true;
  const record = told[pool];
  if (record?.pause !== 'ours' && record?.pause !== 'foreign') return false;
  const { holds, pausedSince } = record;
  if (holds.some((each) => each.id === hold && each.since === since)) return true;
  return confirmedAt === undefined || pausedSince === undefined || isPast(pausedSince, new Date(confirmedAt));
}

/** What cannot be parsed or may not be read is not waited for: only somebody who corrects it ends that. An Application
 *  that cannot be parsed, which anybody may write who has one, makes nobody's push late. */
function goNow({ argocd, outcome }: PassingOn, ofPush: readonly PoolOfPush[]): MayPassOn {
  const served = clustersServedBy(argocd);
  const pools = (outcome?.unpausable ?? []).filter(({ cluster }) => served.includes(cluster));
  const ofItsOwn = (all: PushOutcome['unparsed'] = []) =>
    all.filter((each) => each.argocd === argocd.name).map(({ application }) => `Application ${application}`);
  const forbidden = ofItsOwn(outcome?.forbidden);
  const paused = poolsIn('confirmed', ofPush);
  const resumed = poolsIn('resumed', ofPush);
  const unknown = [...poolNames(pools).map((pool) => `pool ${pool}`), ...ofItsOwn(outcome?.unparsed)];
  const why = [
    ...(paused.length === 0 ? [] : [`confirmed paused: ${shortList(paused)}`]),
    ...(resumed.length === 0 ? [] : [`resumed since, and not waited for: ${shortList(resumed)}`]),
    ...(unknown.length === 0 ? [] : [`cannot be parsed, so that nothing is paused there: ${shortList(unknown)}`]),
    ...(forbidden.length === 0 ? [] : [`may not be read, so that nothing is paused for it: ${shortList(forbidden)}`]),
  ];
  return {
    kind: 'go',
    isLate: pools.length + forbidden.length > 0,
    why: why.join('; ') || nothingPaused(outcome),
  };
}

function nothingPaused(outcome: PushOutcome | undefined): string {
  const isUnfollowed = outcome?.isUnfollowed === true;
  return isUnfollowed ? 'no watched Application is known to follow it' : 'no pool needs to be paused for it';
}

/** Several Applications may hold one pool. */
function poolNames(pools: readonly Pick<PausedForPush, 'cluster' | 'pool'>[]): readonly string[] {
  return [...new Set(pools.map(({ cluster, pool }) => `${cluster}/${pool}`))].toSorted();
}

/** Items of a list that are named. */
const namedAtMost = 5;

function shortList(words: readonly string[]): string {
  const more = words.length - namedAtMost;
  return `${words.slice(0, namedAtMost).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
