import type { PullSeen } from '../../events/index.ts';
import { messageGroup } from '../../functions/adapters/aws/message-group.ts';
import { previewChanges } from '../../functions/preview-changes/preview-changes.ts';
import { type PullPreviewsOptions, pullPreviews } from '../../functions/shell/services/pull-previews.ts';
import type { AcceleratedClock } from './accelerated-clock.ts';
import type { OpenTable } from './embedded-table.ts';
import { type LocalQueue, type LocalQueueOptions, localQueue } from './local-queue.ts';

export interface PreviewingOptions extends Omit<PullPreviewsOptions, 'stored' | 'runtime'> {
  readonly table: OpenTable;
  readonly clock: AcceleratedClock;
  readonly onFailure: LocalQueueOptions<PullSeen>['onFailure'];
}

/** preview-changes on this machine: the queue of pull requests and its consumer. */
export function startPreviewing({ table, clock, onFailure, ...options }: PreviewingOptions): LocalQueue<PullSeen> {
  const ports = pullPreviews({ ...options, stored: table, runtime: clock.runtime });
  return localQueue<PullSeen>({
    name: 'previews',
    clock,
    groupOf: messageGroup,
    retryAfterSeconds: 10,
    receiveAtMost: 5,
    concurrency: 1,
    onFailure,
    handle: (event) => previewChanges(event, ports),
  });
}
