import { PullSeen } from '../../events/index.ts';
import { PreviewChangesEnvironment, readEnvironment } from '../shell/environment.ts';
import { queueFunction } from '../shell/queue.ts';
import { previewer } from '../shell/services/previewer.ts';
import { retryLater } from '../shell/services/retry-later.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { previewChanges } from './preview-changes.ts';

const telemetry = openTelemetry('preview-changes');

export const handler = queueFunction({
  telemetry,
  event: PullSeen,
  build: () => previewer(readEnvironment(PreviewChangesEnvironment, process.env), telemetry),
  handle: previewChanges,
  // GitHub's limit of requests is one of each hour; the queue keeps a message for longer than five of them.
  waitsAtMostSeconds: 3600,
  retryLater: retryLater(() => readEnvironment(PreviewChangesEnvironment, process.env).PREVIEW_QUEUE_URL),
});
