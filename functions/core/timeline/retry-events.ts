import { cloudEvent, type PublishedEvent } from '../../../events/index.ts';
import type { Application } from '../argocd/application.ts';
import { refusedPoolsOf } from '../argocd/refused-sync.ts';
import type { ClusterSettings } from '../configuration/cluster.ts';
import { refusingPools } from '../openshift/managed-pools.ts';

/** A sync that the admission policy refused was started again by us. One event for each refused operation. */
export function syncRestarted(
  { name: cluster, pools }: Pick<ClusterSettings, 'name' | 'pools'>,
  application: Application,
  now: Date,
): PublishedEvent {
  const { argocd, namespace, name, uid, operation } = application;
  const refusedAt = operation?.startedAt ?? '';
  return cloudEvent({
    type: 'poolkeeper.sync.restarted.v1',
    id: `${cluster}/sync-restarted/${uid}/${refusedAt}`,
    source: '/poolkeeper/keep-pools',
    subject: `${cluster}/${namespace}/${name}`,
    time: now,
    correlation: `${namespace}/${name}@${refusedAt}`,
    data: {
      cluster,
      argocd,
      namespace,
      name,
      pools: [...refusedPoolsOf(application, refusingPools({ pools }))],
      refusedAt,
    },
  });
}
