import type { Incident } from '../core/alerts/incident.ts';
import { safeLine } from '../core/alerts/message/safe-text.ts';
import type { Configuration } from '../core/configuration.ts';
import { defaultPolicy } from '../core/policy.ts';
import type { ClusterView, TimelineEntry } from '../core/view.ts';
import { clusterStatus } from './cluster-status.ts';
import { incidentStatuses } from './incident-status.ts';
import { policyChanges, policyLines } from './policy-lines.ts';
import type { ClusterStatus, IncidentStatus, Status } from './status.ts';

/** What was read for one answer; undefined = it could not be read. */
export interface StatusInput {
  readonly views: readonly ClusterView[] | undefined;
  readonly incidents: readonly Incident[] | undefined;
  readonly timeline: readonly TimelineEntry[] | undefined;
  readonly configuration: Pick<Configuration, 'clusters'> | undefined;
  readonly now: Date;
}

/** How many timeline entries people see. */
export const timelineShown = 100;

/** Puts together what people see. Every free text from a cluster is cleaned, freed of credentials and shortened here. */
export function buildStatus({ views, incidents, timeline, configuration, now }: StatusInput): Status {
  const clusters = clusterStatuses(views ?? [], configuration, now);
  const shown = incidentStatuses(incidents ?? [], now);
  const unread = [
    ...(views === undefined ? (['clusters'] as const) : []),
    ...(incidents === undefined ? (['incidents'] as const) : []),
    ...(timeline === undefined ? (['timeline'] as const) : []),
  ];
  return {
    v: 1,
    at: now.toISOString(),
    summary: summaryOf(clusters, shown, unread),
    unread,
    clusters: [...clusters],
    incidents: [...shown],
    timeline: (timeline ?? []).slice(0, timelineShown).map((entry) => ({ ...entry, text: safeLine(entry.text, 600) })),
    policy: {
      defaults: policyLines(defaultPolicy),
      changes: Object.fromEntries(
        (configuration?.clusters ?? [])
          .map(({ name, policy }) => [name, policyChanges(defaultPolicy, policy)] as const)
          .filter(([, changes]) => Object.keys(changes).length > 0),
      ),
    },
  };
}

function clusterStatuses(
  views: readonly ClusterView[],
  configuration: StatusInput['configuration'],
  now: Date,
): readonly ClusterStatus[] {
  const configured = new Set(configuration?.clusters.map(({ name }) => name));
  const seen = new Map(views.map((view) => [view.cluster, view]));
  return [...new Set([...configured, ...seen.keys()])]
    .map((name) =>
      clusterStatus(name, {
        view: seen.get(name),
        configured: configuration === undefined || configured.has(name),
        now,
      }),
    )
    .toSorted((a, b) => need(b) - need(a) || a.name.localeCompare(b.name, 'en'));
}

/** Clusters that want to be looked at stand first. */
function need({ sight, pools }: ClusterStatus): number {
  const troubled = pools.some(({ degraded }) => degraded);
  const paused = pools.some(({ pause }) => pause !== undefined);
  return (sight === 'seen' ? 0 : 8) + (troubled ? 4 : 0) + (paused ? 2 : 0);
}

function summaryOf(
  clusters: readonly ClusterStatus[],
  incidents: readonly IncidentStatus[],
  unread: Status['unread'],
): Status['summary'] {
  const pools = clusters.flatMap((cluster) => cluster.pools);
  const counts = {
    clusters: clusters.length,
    clustersUnseen: clusters.filter(({ sight }) => sight !== 'seen').length,
    pools: pools.length,
    poolsPaused: pools.filter(({ pause }) => pause !== undefined).length,
    poolsDegraded: pools.filter(({ degraded }) => degraded).length,
    incidentsFiring: incidents.filter(({ state }) => state === 'firing').length,
    latePauses: pools.flatMap(({ races }) => races).filter(({ verdict }) => verdict === 'late').length,
  };
  return { state: summaryState(counts, unread), sentence: sentenceOf(counts, unread), ...counts };
}

type Counts = Omit<Status['summary'], 'state' | 'sentence'>;

function summaryState(counts: Counts, unread: Status['unread']): Status['summary']['state'] {
  if (counts.incidentsFiring + counts.poolsDegraded > 0) return 'trouble';
  if (counts.clustersUnseen + unread.length > 0) return 'unseen';
  return counts.poolsPaused > 0 ? 'holding' : 'calm';
}

function sentenceOf(counts: Counts, unread: Status['unread']): string {
  const parts = [
    ...(unread.length > 0 ? [`${unread.join(' and ')} could not be read`] : []),
    ...counted(counts.incidentsFiring, 'incident firing', 'incidents firing'),
    ...counted(counts.poolsDegraded, 'pool degraded', 'pools degraded'),
    ...counted(counts.clustersUnseen, 'cluster out of sight', 'clusters out of sight'),
    ...counted(counts.poolsPaused, 'pool paused', 'pools paused'),
  ];
  if (parts.length > 0) return `${sentenceCase(parts.join(', '))}.`;
  if (counts.clusters === 0) return 'No cluster has been read yet.';
  return 'All is calm: no pool is paused or degraded.';
}

function counted(count: number, one: string, many: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}

function sentenceCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
