import { cloudEvent, type OperationSeen } from '../../events/index.ts';
import type { OperationNotified } from './operation-notified.ts';

/** Our event for a notification. Re-announcements of one state have one id. */
export function operationSeen(notified: OperationNotified, receivedAt: Date): OperationSeen {
  const { application, operation } = notified.data;
  const id = `${notified.id}${outOfSyncOf(notified)}`;
  return cloudEvent({
    type: 'poolkeeper.operation.seen.v1',
    id,
    source: '/poolkeeper/receive-argocd',
    subject: `${application.namespace}/${application.name}`,
    time: receivedAt,
    correlation: notified.id,
    data: {
      argocd: notified.source.slice('argocd/'.length),
      namespace: application.namespace,
      name: application.name,
      phase: operation.phase,
      startedAt: operation.startedAt,
      receivedAt: receivedAt.toISOString(),
    },
  });
}

/** An Application that goes out of sync is announced under the id of its last operation, so that id alone would make a
 *  new commit look like a repeat of the old sync. */
function outOfSyncOf({ data: { sync, operation } }: OperationNotified): string {
  if (sync.status !== 'OutOfSync' || ['Running', 'Terminating'].includes(operation.phase)) return '';
  return `/out-of-sync/${[sync.revision, ...sync.revisions].filter(Boolean).join('+')}`;
}
