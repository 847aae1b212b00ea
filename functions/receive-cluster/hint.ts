import * as z from 'zod';
import { type ClusterSeen, cloudEvent } from '../../events/index.ts';

/** As the configuration names it; empty when the sender does not say it. */
export const ClusterName = z.string().max(253).default('');

/** Something of a cluster moved: look there. */
export interface Hint {
  /** The same for each repeat of one happening. */
  readonly id: string;
  /** Empty when the sender did not say it. */
  readonly cluster: string;
  readonly kind: string;
  readonly name: string;
  readonly what: string;
}

/** Hints of one cluster that are passed on from one request. Any of them makes a pass look at the whole cluster, so
 *  an alert storm of a thousand needs no thousand messages; the first ones are kept for the timeline. */
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

/** The first hints of each cluster, in the order they came. */
export function firstOfEachCluster(hints: readonly Hint[]): readonly Hint[] {
  const taken = new Map<string, number>();
  return hints.filter(({ cluster }) => {
    const nth = (taken.get(cluster) ?? 0) + 1;
    taken.set(cluster, nth);
    return nth <= hintsPerClusterAtMost;
  });
}
