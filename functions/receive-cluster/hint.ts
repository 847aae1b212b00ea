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

/** The first hints of each cluster, in order. */
export function firstOfEachCluster(hints: readonly Hint[]): readonly Hint[] {
  const taken = new Map<string, number>();
  return hints.filter(({ cluster }) => {
    const nth = (taken.get(cluster) ?? 0) + 1;
    taken.set(cluster, nth);
    return nth <= hintsPerClusterAtMost;
  });
}
