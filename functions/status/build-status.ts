import type { Incident } from '../core/alerts/incident.ts';
import type { Configuration } from '../core/configuration/configuration.ts';
import { defaultPolicy } from '../core/configuration/policy.ts';
import { type Locks, noLocks } from '../core/fleet-lock/locks.ts';
import type { FoundRollouts } from '../core/node-rollouts/rollout-query.ts';
import type { ShownRun } from '../core/node-turns/shown-run.ts';
import type { ShownSequence } from '../core/sequences/shown-sequence.ts';
import { safeHeadline, safeLine } from '../core/text/safe-text.ts';
import { unique } from '../core/text/unique.ts';
import { movementOf } from '../core/timeline/movement.ts';
import type { ClusterView, TimelineEntry } from '../core/timeline/view.ts';
import { clusterStatus } from './cluster-status.ts';
import { fitClusters, type Shown } from './fit-clusters.ts';
import { incidentStatuses } from './incident-status.ts';
import { isOperatorDown } from './is-operator-down.ts';
import { lockStatuses } from './lock-status.ts';
import { policyChanges, policyLines } from './policy-lines.ts';
import { rebootStatus } from './reboot-status.ts';
import { runStatuses } from './run-status.ts';
import { clustersOf, sequenceStatuses } from './sequence-status.ts';
import type { ClusterStatus, IncidentStatus, SequenceStatus, Status } from './status.ts';
import { windowsOf } from './window-status.ts';

/** What the page shows of the configuration. */
export type ShownConfiguration = Pick<Configuration, 'clusters' | 'sequences' | 'nodeTurns' | 'fleetLock'> &
  Partial<Pick<Configuration, 'argocd'>>;

/** What was read for one answer; undefined: could not be read. */
export interface StatusInput {
  readonly views: readonly ClusterView[] | undefined;
  readonly incidents: readonly Incident[] | undefined;
  readonly timeline: readonly TimelineEntry[] | undefined;
  readonly reboots: FoundRollouts | undefined;
  readonly sequences: readonly ShownSequence[] | undefined;
  readonly runs: readonly ShownRun[] | undefined;
  readonly locks: Locks | undefined;
  readonly configuration: ShownConfiguration | undefined;
  /** Name of the one cluster that is asked for; undefined: all. */
  readonly only?: string | undefined;
  /** shown: as much as an answer has room for. whole: all of it. Absent: shown. */
  readonly extent?: 'shown' | 'whole' | undefined;
  readonly now: Date;
}

/** Timeline entries in one answer. */
export const timelineShown = 100;
/** Entries of all clusters that are searched for those of one. */
export const timelineSearched = 2_000;
/** Incidents in one answer. */
export const incidentsShown = 100;
/** Sequences in one answer, each with at most some three hundred items. */
const sequencesShown = 20;
/** Runs in one answer, each with at most a hundred and fifty nodes. */
const runsShown = 20;
/** Clusters shown with all their pools, worst first. A fleet of a thousand clusters with twenty pools each would be 17
 *  MB; a Lambda function may answer with 6 MB. */
const wholeClusters = 50;

/** Builds the status. Every free text from a cluster is cleaned, stripped of credentials and shortened here. */
export function buildStatus(input: StatusInput): Status {
  const { views, incidents, timeline, reboots, configuration, only, now } = input;
  const isAsked = (cluster: string) => only === undefined || cluster === only;
  const all = clusterStatuses(
    (views ?? []).filter(({ cluster }) => isAsked(cluster)),
    configuration,
    now,
  ).filter(({ status }) => isAsked(status.name));
  const clusters = all.map(({ status }) => status);
  const wrong = incidentStatuses(
    (incidents ?? []).filter(({ key }) => isAsked(key.cluster)),
    now,
  );
  const sequences = sequenceStatuses(input.sequences ?? [], configuration, now).filter((each) =>
    clustersOf(each, configuration).some(isAsked),
  );
  const runs = runStatuses(input.runs ?? [], configuration, now).filter(({ cluster }) => isAsked(cluster));
  const locks = lockStatuses(input.locks ?? noLocks, configuration?.fleetLock, now);
  const happened = (timeline ?? []).filter(({ cluster }) => isAsked(cluster));
  const isCut = only !== undefined && happened.length < timelineShown && (timeline ?? []).length >= timelineSearched;
  const unread = unreadOf(input);
  const most = (count: number) => (input.extent === 'whole' ? Number.POSITIVE_INFINITY : count);
  const isAll = only === undefined && input.extent !== 'whole';
  const withPools = isAll
    ? fitClusters(all.slice(0, wholeClusters), (view) => statusOf(view.cluster, view, configuration, now))
    : clusters;
  return {
    v: 1,
    at: now.toISOString(),
    only,
    summary: summaryOf({ clusters, incidents: wrong, sequences }, unread),
    unread,
    clusters: [
      ...withPools.map((cluster) => ({ ...cluster, ...windowsOf(cluster.name, configuration, now) })),
      ...clusters.slice(withPools.length).map(withoutPools),
    ],
    incidents: wrong.slice(0, most(incidentsShown)),
    sequences: sequences.slice(0, most(sequencesShown)),
    ...(runs.length === 0 ? {} : { runs: runs.slice(0, most(runsShown)) }),
    ...beyondOf({
      incidents: Math.max(0, wrong.length - most(incidentsShown)),
      sequences: Math.max(0, sequences.length - most(sequencesShown)),
      runs: Math.max(0, runs.length - most(runsShown)),
    }),
    ...(locks === undefined ? {} : { locks: [...locks] }),
    timeline: happened.slice(0, timelineShown).map((entry) => ({ ...entry, text: safeLine(entry.text, 600) })),
    ...(isCut ? { timelineSearched } : {}),
    ...rebootsOf(reboots ?? { rollouts: [] }, configuration),
    policy: policyOf(configuration),
  };
}

function beyondOf(beyond: NonNullable<Status['beyond']>): Pick<Status, 'beyond'> {
  return Object.values(beyond).every((count) => count === 0) ? {} : { beyond };
}

function rebootsOf(
  { rollouts, isCut, searched }: FoundRollouts,
  configuration: StatusInput['configuration'],
): Pick<Status, 'reboots' | 'moreReboots' | 'rebootsSearched'> {
  return {
    reboots: rollouts.map((each) => rebootStatus(each, configuration)),
    ...(isCut === true ? { moreReboots: true } : {}),
    ...(searched === undefined ? {} : { rebootsSearched: searched }),
  };
}

/** A cluster whose pools do not fit into this answer. */
function withoutPools({
  holders: _holders,
  holdersLeftOut: _otherHolders,
  ignoredAnnotations: _ignored,
  operatorParts: _parts,
  guards: _guards,
  poolsLeftOut: _left,
  unreadablePools: _unreadable,
  ...cluster
}: ClusterStatus): ClusterStatus {
  return { ...cluster, whole: false, pools: [] };
}

function unreadOf({ views, incidents, timeline, ...input }: StatusInput): Status['unread'] {
  return [
    ...(views === undefined ? (['clusters'] as const) : []),
    ...(incidents === undefined ? (['incidents'] as const) : []),
    ...(input.sequences === undefined ? (['sequences'] as const) : []),
    ...(input.runs === undefined ? (['runs'] as const) : []),
    ...(input.locks === undefined ? (['locks'] as const) : []),
    ...(timeline === undefined ? (['timeline'] as const) : []),
    ...(input.reboots === undefined ? (['reboots'] as const) : []),
  ];
}

function policyOf(configuration: StatusInput['configuration']): Status['policy'] {
  const changes = (configuration?.clusters ?? [])
    .map(({ name, policy }) => [name, policyChanges(defaultPolicy, policy)] as const)
    .filter(([, own]) => Object.keys(own).length > 0);
  return { defaults: policyLines(defaultPolicy), changes: Object.fromEntries(changes) };
}

function clusterStatuses(
  views: readonly ClusterView[],
  configuration: StatusInput['configuration'],
  now: Date,
): readonly Shown[] {
  const seen = new Map(views.map((view) => [view.cluster, view]));
  return unique([...(configuration?.clusters ?? []).map(({ name }) => name), ...seen.keys()])
    .map((name) => ({ status: statusOf(name, seen.get(name), configuration, now), view: seen.get(name) }))
    .toSorted(({ status: a }, { status: b }) => need(b) - need(a) || a.name.localeCompare(b.name, 'en'));
}

function statusOf(
  name: string,
  view: ClusterView | undefined,
  configuration: StatusInput['configuration'],
  now: Date,
): ClusterStatus {
  const configured = configuration === undefined || configuration.clusters.some((each) => each.name === name);
  return clusterStatus(name, { view, configured, places: configuration, now });
}

/** Sort key: clusters that need a person come first. */
function need(cluster: ClusterStatus): number {
  const { poolCounts, guards = [] } = cluster;
  const waits = (poolCounts.paused > 0 ? 2 : 0) + (guards.length > 0 ? 1 : 0);
  const isBroken = poolCounts.degraded > 0 || isOperatorDown(cluster);
  const isUnread = isUnseen(cluster) || (poolCounts.unreadable ?? 0) > 0;
  return (isUnread ? 8 : 0) + (isBroken ? 4 : 0) + waits;
}

/** Nobody reads a cluster that was taken out of the configuration; it is shown for a while as it was. */
function isUnseen({ sight, configured }: ClusterStatus): boolean {
  return configured && sight !== 'seen';
}

interface Summarised {
  readonly clusters: readonly ClusterStatus[];
  readonly incidents: readonly IncidentStatus[];
  readonly sequences: readonly SequenceStatus[];
}

/** What is shown of a cluster is so now, as far as anybody knows. */
function isOfNow({ sight, configured }: ClusterStatus): boolean {
  return configured || sight === 'seen';
}

function summaryOf({ clusters: all, incidents, sequences }: Summarised, unread: Status['unread']): Status['summary'] {
  const clusters = all.filter(isOfNow);
  const left = all
    .filter((each) => !isOfNow(each))
    .flatMap(({ pools: some, unreadablePools = [] }) => [
      ...some.filter(({ pause, degraded }) => pause !== undefined || degraded),
      ...unreadablePools,
    ]).length;
  const pools = clusters.flatMap((cluster) => cluster.pools);
  const overridden = pools.filter((pool) => pool.overridden).length;
  const movements = pools.filter(({ pause }) => pause === undefined).map(movementOf);
  const rolling = movements.filter((movement) => movement === 'rolls').length;
  const lacking = movements.filter((movement) => movement === 'lacks-nodes').length;
  const broken = clusters.filter((each) => each.configured && isOperatorDown(each)).length;
  const guards = clusters.reduce((sum, each) => sum + (each.guards?.length ?? 0), 0);
  const poolsIn = (what: keyof ClusterStatus['poolCounts']) =>
    clusters.reduce((sum, { poolCounts }) => sum + (poolCounts[what] ?? 0), 0);
  const unreadable = poolsIn('unreadable');
  const lost = (verdict: 'late' | 'unprotected') =>
    all
      .flatMap((cluster) => cluster.pools)
      .flatMap(({ lostRaces = [] }) => lostRaces)
      .reduce((sum, each) => sum + (each.verdict === verdict ? each.count : 0), 0);
  const counts = {
    clusters: all.length,
    clustersUnseen: clusters.filter(isUnseen).length,
    ...(broken === 0 ? {} : { operatorsDown: broken }),
    pools: poolsIn('all'),
    ...(left === 0 ? {} : { poolsLeft: left }),
    ...(unreadable === 0 ? {} : { poolsUnreadable: unreadable }),
    poolsPaused: poolsIn('paused'),
    ...(overridden === 0 ? {} : { poolsOverridden: overridden }),
    ...(rolling === 0 ? {} : { poolsRolling: rolling }),
    ...(lacking === 0 ? {} : { poolsLackingNodes: lacking }),
    ...(guards === 0 ? {} : { guardsClosed: guards }),
    poolsDegraded: poolsIn('degraded'),
    incidentsFiring: incidents.filter(({ state }) => state === 'firing').length,
    incidentsRecovering: incidents.filter(({ state }) => state === 'recovering').length,
    incidentsPending: incidents.filter(({ state }) => state === 'pending').length,
    latePauses: lost('late'),
    ...(lost('unprotected') === 0 ? {} : { unprotectedPauses: lost('unprotected') }),
    sequencesOpen: sequences.filter(isOpen).length,
  };
  const sentence = [worstWords(incidents), sentenceOf(counts, unread, clusters.length)].filter(Boolean).join(' ');
  return { state: summaryState(counts, unread, clusters.length), sentence, ...counts };
}

type Counts = Omit<Status['summary'], 'state' | 'sentence'>;

/** @param ofNow clusters of which something is shown that is so now, or is to be */
function summaryState(counts: Counts, unread: Status['unread'], ofNow: number): Status['summary']['state'] {
  if (counts.incidentsFiring + counts.poolsDegraded + (counts.operatorsDown ?? 0) > 0) return 'trouble';
  if (counts.clustersUnseen + (counts.poolsUnreadable ?? 0) + unread.length > 0) return 'unseen';
  if (ofNow === 0 && counts.clusters > 0) return 'unseen';
  const held = counts.poolsPaused + (counts.poolsOverridden ?? 0) + (counts.poolsLeft ?? 0);
  const open =
    held + (counts.guardsClosed ?? 0) + counts.sequencesOpen + counts.incidentsRecovering + counts.incidentsPending;
  return open > 0 ? 'holding' : 'calm';
}

function isOpen({ state }: Status['sequences'][number]): boolean {
  return state === 'running' || state === 'paused';
}

function sentenceOf(counts: Counts, unread: Status['unread'], ofNow: number): string {
  const parts = [
    ...(unread.length > 0 ? [`${unread.join(' and ')} could not be read`] : []),
    ...counted(counts.incidentsFiring, 'incident firing', 'incidents firing'),
    ...counted(counts.poolsDegraded, 'pool degraded', 'pools degraded'),
    ...counted(
      counts.operatorsDown ?? 0,
      'cluster whose Machine Config Operator is down or degraded',
      'clusters whose Machine Config Operator is down or degraded',
    ),
    ...counted(counts.clustersUnseen, 'cluster without current data', 'clusters without current data'),
    ...counted(counts.poolsUnreadable ?? 0, 'pool that cannot be parsed', 'pools that cannot be parsed'),
    ...counted(counts.incidentsRecovering, 'incident recovering', 'incidents recovering'),
    ...counted(counts.incidentsPending, 'incident not alerted yet', 'incidents not alerted yet'),
    ...counted(counts.poolsPaused, 'pool paused', 'pools paused'),
    ...counted(counts.poolsOverridden ?? 0, 'pool resumed past a hold', 'pools resumed past a hold'),
    ...counted(counts.guardsClosed ?? 0, 'guard stays closed', 'guards stay closed'),
    ...counted(counts.sequencesOpen, 'sequence not done', 'sequences not done'),
    ...counted(counts.poolsRolling ?? 0, 'pool rolling out', 'pools rolling out'),
    ...counted(
      counts.poolsLackingNodes ?? 0,
      'pool with nodes cordoned or not ready',
      'pools with nodes cordoned or not ready',
    ),
    ...counted(
      counts.poolsLeft ?? 0,
      'pool paused, degraded or unreadable when last read, of a cluster that is not in the configuration',
      'pools paused, degraded or unreadable when last read, of clusters that are not in the configuration',
    ),
  ];
  if (parts.length > 0) return `${sentenceCase(parts.join(', '))}.`;
  if (counts.clusters === 0) return 'No cluster has been read yet.';
  if (ofNow === 0) return 'No cluster of the configuration is shown: what is here is as it was when last read.';
  return 'All clear: no pool is paused or degraded.';
}

/** UTF-16 units of the headline. */
const worstLimit = 90;

/** The worst incident, in words that change only with it: the page reads them out. `*`: it concerns the whole
 *  cluster. */
function worstWords(incidents: readonly IncidentStatus[]): string {
  const worst = incidents.find(({ state }) => state === 'firing');
  if (worst === undefined) return '';
  const { cluster, pool, headline } = worst;
  return `${pool === '*' ? '' : `${pool} of `}${cluster}: ${safeHeadline(headline, worstLimit)}.`;
}

function counted(count: number, one: string, many: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}

function sentenceCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
