import * as z from 'zod';
import { type ClusterSeen, cloudEvent } from '../../events/index.ts';

/** As in the configuration; empty if the sender did not name it. */
export const ClusterName = z.string().max(253).default('');

/** Something in a cluster changed: a reason for a pass. */
export interface Hint {
  /** The same for each repeat of one occurrence. */
  readonly id: string;
  /** Empty if the sender did not name it. */
  readonly cluster: string;
  readonly kind: string;
  readonly name: string;
  readonly what: string;
}

/** Hints of one cluster that are forwarded from one request. Any of them causes a pass over the whole cluster, so an
 *  alert storm of a thousand needs no thousand messages; the first ones are kept for the timeline. */
const hintsPerClusterAtMost = 10;
/** Hints of all clusters that are forwarded from one request. The sender writes the names, so that each alert may name
 *  another cluster, and pushes wait in the same queue. A cluster left out is looked at within a minute anyway. */
const hintsAtMost = 20;

export function clusterSeen({ id, cluster, kind, name, what }: Hint, receivedAt: Date): ClusterSeen {
  return cloudEvent({
    type: 'poolkeeper.cluster.seen.v1',
    id,
    source: '/poolkeeper/receive-cluster',
    subject: `${kind}/${name}`,
    time: receivedAt,
    correlation: id,
    data: { cluster, kind, name, what, receivedAt: receivedAt.toISOString() },
  });
}

/** The hints to forward: the first of each cluster, then the second of each, and so on. */
export function firstOfEachCluster(hints: readonly Hint[]): readonly Hint[] {
  const taken = new Map<string, number>();
  const numbered = hints.map((hint) => {
    const nth = (taken.get(hint.cluster) ?? 0) + 1;
    taken.set(hint.cluster, nth);
    return { hint, nth };
  });
  return numbered
    .filter(({ nth }) => nth <= hintsPerClusterAtMost)
    .toSorted((a, b) => a.nth - b.nth)
    .slice(0, hintsAtMost)
    .map(({ hint }) => hint);
}
