import { duration } from '../../core/text/durations.ts';
import { unreadableWords } from '../../core/timeline/unreadable-pool.ts';
import { type Html, html } from '../html.ts';
import { isOperatorDown } from '../is-operator-down.ts';
import type { ClusterStatus, PoolStatus } from '../status.ts';
import { rollingChanges, unpausedPushes } from './change.ts';
import { guardsList } from './guards.ts';
import { holdersTable, ignoredAnnotationsList } from './holders.ts';
import { joinedNodes, nodesTable } from './nodes.ts';
import { operatorParts } from './operator-parts.ts';
import { pauses } from './pauses.ts';
import { poolsTable } from './pools.ts';
import { racesTable } from './races.ts';
import { moment, pill, withMoments } from './words.ts';

/** With more clusters than this, those that need no attention are collapsed to one line each. */
const unfoldedAtMost = 4;

/** A section for each cluster, and one with links to those that do not fit into this answer. */
export function clusterSections(clusters: readonly ClusterStatus[], now: Date): readonly Html[] {
  const omitted = clusters.filter(({ whole }) => !whole);
  const sections = clusters
    .filter(({ whole }) => whole)
    .map((cluster) =>
      clusters.length > unfoldedAtMost && isAtRest(cluster) ? folded(cluster, now) : unfolded(cluster, now),
    );
  return omitted.length === 0 ? sections : [...sections, omittedClusters(omitted)];
}

/** Clusters whose pools do not fit into this answer, each with a link to its own page. */
function omittedClusters(clusters: readonly ClusterStatus[]): Html {
  return html`
<details class="card more" open>
<summary>${clusters.length} more clusters</summary>
<ul>${clusters.map(
    ({ name, sight: word, poolCounts }) => html`
<li>${clusterLink(name, name)} ${sightPill(word)}<span class="mute">${countWords(poolCounts)}</span></li>`,
  )}</ul>
</details>`;
}

function clusterLink(name: string, text: string): Html {
  return html`<a href="?cluster=${encodeURIComponent(name.toWellFormed())}">${text}</a>`;
}

function countWords({ all, paused, degraded, unreadable = 0 }: ClusterStatus['poolCounts']): string {
  const parts = [`${all} ${all === 1 ? 'pool' : 'pools'}`];
  if (paused > 0) parts.push(`${paused} paused`);
  if (degraded > 0) parts.push(`${degraded} degraded`);
  if (unreadable > 0) parts.push(`${unreadable} cannot be parsed`);
  return parts.join(', ');
}

function sightPill(word: ClusterStatus['sight']): Html | undefined {
  return word === 'seen' ? undefined : pill(word === 'blind' ? 'bad' : 'warn', sightNames[word]);
}

const sightNames = { stale: 'Stale', blind: 'Unreadable', never: 'Never read' } as const;

function unfolded(cluster: ClusterStatus, now: Date): Html {
  return html`
<section class="card cluster">
<header><h3><span class="name">${cluster.name}</span></h3>${sight(cluster, now)}</header>
${body(cluster, now)}
</section>`;
}

function folded(cluster: ClusterStatus, now: Date): Html {
  const { length } = cluster.pools;
  return html`
<details class="card cluster">
<summary><h3><span class="name">${cluster.name}</span></h3><span class="mute">${length} ${length === 1 ? 'pool' : 'pools'}, all updated</span>${sight(cluster, now)}</summary>
${body(cluster, now)}
</details>`;
}

function body(cluster: ClusterStatus, now: Date): Html {
  const { name, pools, blind, unreadablePools: unread = [] } = cluster;
  return html`${blind !== undefined && html`<p class="alarm">This cluster cannot be read: ${blind.why}. Poolkeeper changes nothing until it can; below is the last known state.</p>`}
${unread.map((pool) => html`<p class="alarm">Pool ${pool.name} ${withMoments(unreadableWords(pool), now)}.</p>`)}
${pools.length > 0 ? poolsTable(name, pools, now) : unread.length === 0 && html`<p class="mute">${cluster.sight === 'never' ? 'Not read yet.' : 'No pools.'}</p>`}
${leftOut(cluster)}
${cluster.inShort === true && html`<p class="remark">Not all of it has room beside other clusters: ${clusterLink(name, 'its own page')} says more.</p>`}
${operatorParts(cluster, now)}
${nodesTable(name, pools, now)}
${joinedNodes(pools, now)}
${holdersTable(cluster, now)}
${pauses(cluster, now)}
${rollingChanges(pools, now)}
${unpausedPushes(pools, now)}
${racesTable(name, pools, now)}
${guardsList(cluster, now)}
${ignoredAnnotationsList(cluster)}`;
}

function leftOut({ poolsLeftOut: left = 0, poolCounts, pools }: ClusterStatus): Html | undefined {
  if (left === 0) return undefined;
  const paused = poolCounts.paused - pools.filter(({ pause }) => pause !== undefined).length;
  const degraded = poolCounts.degraded - pools.filter((pool) => pool.degraded).length;
  return html`<p class="remark">${left} more ${left === 1 ? 'pool is' : 'pools are'} not shown, because there is no room for so many: ${paused} paused, ${degraded} degraded.</p>`;
}

function sight(cluster: ClusterStatus, now: Date): Html {
  return html`<p class="sight">${sightWords(cluster, now)}${!cluster.configured && html` ${pill('mute', 'not in the configuration')}`}</p>`;
}

function sightWords({ sight: word, readAt, readAgeSeconds, blind }: ClusterStatus, now: Date): Html | string {
  const ago = readAgeSeconds === undefined ? 'by a clock that is ahead' : `${duration(readAgeSeconds)} ago`;
  const read = html`last successful read ${moment(readAt, now)}, ${ago}`;
  switch (word) {
    case 'seen':
      return html`${read}`;
    case 'stale':
      return html`${sightPill(word)} ${read}`;
    case 'blind':
      return html`${pill('bad', `Unreadable, ${blind?.misses ?? 0} failed reads`)} ${read}`;
    case 'never':
      return html`${sightPill(word)}`;
    default:
      return word satisfies never;
  }
}

function isAtRest(cluster: ClusterStatus): boolean {
  const { sight: word, pools, guards = [], poolsLeftOut: left, unreadablePools: unread = [] } = cluster;
  return (
    word === 'seen' &&
    left === undefined &&
    unread.length === 0 &&
    guards.length === 0 &&
    !isOperatorDown(cluster) &&
    pools.every(isPoolAtRest)
  );
}

function isPoolAtRest({ state, pause, overridden, emergency }: PoolStatus): boolean {
  return (state === 'updated' || state === 'empty') && pause === undefined && !overridden && emergency === undefined;
}
