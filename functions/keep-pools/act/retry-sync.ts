import { cloudEvent, type PublishedEvent } from '../../../events/index.ts';
import type { Application } from '../../core/argocd/application.ts';
import { refusedPoolsOf } from '../../core/argocd/refused-sync.ts';
import { syncsToRetry } from '../../core/holds/retry-sync.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { Transient } from '../../core/text/errors.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { Performed } from './perform.ts';

export interface RetryInput {
  readonly snapshot: Snapshot;
  readonly performed: readonly Performed[];
  readonly now: Date;
}

/** Starts again, once each, the syncs that the admission level refused and whose pools are paused by now. What
 *  cannot be started is no reason to hold up the pass: the incident says that somebody has to. */
export async function retrySyncs(
  { snapshot, performed, now }: RetryInput,
  ports: KeepPorts,
): Promise<readonly PublishedEvent[]> {
  const pools = performed.map(({ pool }) => pool);
  const due = syncsToRetry({ ...snapshot, pools }, now);
  const told = await Promise.all(due.map((application) => startOne(application, { snapshot, performed, now }, ports)));
  return told.flat();
}

async function startOne(
  application: Application,
  { snapshot, now }: RetryInput,
  ports: KeepPorts,
): Promise<readonly PublishedEvent[]> {
  const { argocd, namespace, name, uid, operation } = application;
  const startedAt = operation?.startedAt ?? '';
  const about = { application: `${namespace}/${name}`, startedAt };
  try {
    const outcome = await (await ports.argocd(argocd)).retrySync(application, startedAt);
    ports.logger.info('refused sync', { ...about, outcome });
    if (outcome === 'changed') return [];
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('a refused sync could not be started again', { ...about, why: cause.message });
    return [];
  }
  const cluster = snapshot.settings.name;
  return [
    cloudEvent({
      type: 'poolkeeper.sync.restarted.v1',
      id: `${cluster}/sync-restarted/${uid}/${startedAt}`,
      source: '/poolkeeper/keep-pools',
      subject: `${cluster}/${namespace}/${name}`,
      time: now,
      correlation: `${namespace}/${name}@${startedAt}`,
      data: { cluster, argocd, namespace, name, pools: [...refusedPoolsOf(application)], refusedAt: startedAt },
    }),
  ];
}
