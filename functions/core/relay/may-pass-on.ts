import { clustersServedBy } from '../argocd/destination.ts';
import type { ArgoCdSettings } from '../configuration/argocd.ts';
import { setOfHold } from '../holds/new-applications.ts';
import { applicationOfHold } from '../openshift/hold.ts';
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
  readonly now: Date;
}

export type MayPassOn =
  /** What is missing may still come. */
  | { readonly kind: 'wait'; readonly why: string }
  /** `isLate`: the time is up, or waiting is of no use, and something is lacking; `why` says what. */
  | { readonly kind: 'go'; readonly isLate: boolean; readonly why: string };

/** Whether the push may be relayed to this Argo CD now: once every pool that it will change there is confirmed paused,
 *  or none needs to be, or it has waited long enough: holding a push back forever would be worse than not protecting
 *  it. */
export function mayPassOn({ argocd, receivedAt, waitAtMostSeconds, outcome, races, now }: PassingOn): MayPassOn {
  const lacking = whatLacks(argocd, outcome, races);
  if (lacking.length === 0) return goNow(argocd, outcome);
  const isTimeUp = isPast(plusSeconds(new Date(receivedAt), waitAtMostSeconds), now);
  const why = shortList(lacking);
  return isTimeUp ? { kind: 'go', isLate: true, why } : { kind: 'wait', why };
}

/** The pools that Applications of this instance hold because of the push. */
export function poolsOf(argocd: string, outcome: PushOutcome | undefined): readonly PausedForPush[] {
  return (outcome?.paused ?? []).filter(({ hold }) => (applicationOfHold(hold) ?? setOfHold(hold))?.argocd === argocd);
}

function whatLacks(
  argocd: ArgoCdSettings,
  outcome: PushOutcome | undefined,
  races: readonly Race[],
): readonly string[] {
  if (outcome === undefined) return ['its pools are not determined yet'];
  const served = clustersServedBy(argocd);
  return [
    ...(outcome.unasked.includes(argocd.name) ? ['its Applications could not be read'] : []),
    ...outcome.unseen.filter((cluster) => served.includes(cluster)).map((cluster) => `cluster ${cluster} was not read`),
    ...poolNames(poolsOf(argocd.name, outcome).filter((paused) => !isConfirmed(paused, races))).map(
      (pool) => `the pause of ${pool} is not confirmed`,
    ),
  ];
}

function isConfirmed({ cluster, pool, hold, since }: PausedForPush, races: readonly Race[]): boolean {
  return races.some(
    (race) =>
      race.cluster === cluster &&
      race.pool === pool &&
      race.hold === hold &&
      race.since === since &&
      pauseNow(race).confirmedAt !== undefined,
  );
}

/** What cannot be parsed or may not be read is not waited for: only somebody who corrects it ends that. An Application
 *  that cannot be parsed, which anybody may write who has one, makes nobody's push late. */
function goNow(argocd: ArgoCdSettings, outcome: PushOutcome | undefined): MayPassOn {
  const served = clustersServedBy(argocd);
  const pools = (outcome?.unpausable ?? []).filter(({ cluster }) => served.includes(cluster));
  const ofItsOwn = (all: PushOutcome['unparsed'] = []) =>
    all.filter((each) => each.argocd === argocd.name).map(({ application }) => `Application ${application}`);
  const forbidden = ofItsOwn(outcome?.forbidden);
  const paused = poolNames(poolsOf(argocd.name, outcome));
  const unknown = [...poolNames(pools).map((pool) => `pool ${pool}`), ...ofItsOwn(outcome?.unparsed)];
  const why = [
    ...(paused.length === 0 ? [] : [`confirmed paused: ${shortList(paused)}`]),
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
