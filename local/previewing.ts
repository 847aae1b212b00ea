import type { PullSeen } from '../events/index.ts';
import { previewNotes } from '../functions/adapters/aws/preview-notes.ts';
import { githubAuthorization } from '../functions/adapters/github/github-authorization.ts';
import { githubPulls } from '../functions/adapters/github/github-pulls.ts';
import { githubRepositories } from '../functions/adapters/github/github-repositories.ts';
import { manifestReader } from '../functions/adapters/yaml/read-manifests.ts';
import type { Configuration, GithubSettings, PreviewSettings } from '../functions/core/configuration.ts';
import type { Logger, Metrics, Secrets } from '../functions/ports.ts';
import { type PredictPorts, predictPull } from '../functions/preview-changes/predict-pull.ts';
import { previewChanges } from '../functions/preview-changes/preview-changes.ts';
import type { AcceleratedClock } from './accelerated-clock.ts';
import type { EmbeddedTable } from './embedded-table.ts';
import { type LocalQueue, type LocalQueueOptions, localQueue } from './local-queue.ts';

export interface PreviewingOptions extends Pick<PredictPorts, 'argocd' | 'cluster'> {
  readonly configuration: Configuration;
  readonly github: GithubSettings;
  readonly settings: PreviewSettings;
  readonly table: EmbeddedTable;
  readonly secrets: Secrets;
  readonly clock: AcceleratedClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onFailure: LocalQueueOptions<PullSeen>['onFailure'];
}

/** The queue of the previews, and what works on it. */
export function startPreviewing(options: PreviewingOptions): LocalQueue<PullSeen> {
  const { github, settings, table, secrets, clock, logger, metrics, onFailure } = options;
  const now = () => clock.now();
  const authorization = githubAuthorization({ settings: github, secrets, clock: now });
  const pulls = githubPulls({ api: github.api, authorization, appId: github.app && Number(github.app.id) });
  const predict: PredictPorts = {
    ...options,
    repositories: githubRepositories({ api: github.api, authorization, clock: now }),
    mergeBase: pulls.mergeBase,
    manifestReader,
  };
  const notes = previewNotes({ client: table.client, table: table.table, clock: now });
  return localQueue({
    name: 'previews',
    clock,
    retryAfterSeconds: 10,
    receiveAtMost: 5,
    concurrency: 1,
    onFailure,
    handle: (event) =>
      previewChanges(event, {
        settings,
        pulls,
        notes,
        predict: (pull) => predictPull(pull, predict),
        clock: now,
        logger,
        metrics,
      }),
  });
}
