import { previewNotes } from '../../adapters/aws/preview-notes.ts';
import type { TableOptions } from '../../adapters/aws/table.ts';
import { githubAuthorization } from '../../adapters/github/github-authorization.ts';
import { githubPulls } from '../../adapters/github/github-pulls.ts';
import { githubRepositories } from '../../adapters/github/github-repositories.ts';
import { manifestReader } from '../../adapters/yaml/read-manifests.ts';
import type { GithubSettings, PreviewSettings } from '../../core/configuration.ts';
import type { Clock, Secrets } from '../../ports.ts';
import { type PredictPorts, predictPull } from '../../preview-changes/predict-pull.ts';
import type { PreviewPorts } from '../../preview-changes/preview-ports.ts';

export interface PullPreviewsOptions
  extends Pick<PredictPorts, 'configuration' | 'argocd' | 'cluster' | 'logger'>,
    Pick<PreviewPorts, 'metrics'> {
  readonly github: GithubSettings;
  readonly settings: PreviewSettings;
  readonly stored: Pick<TableOptions, 'client' | 'table'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** How pull requests are read, judged and told: GitHub's API, the table's notes and the clusters. */
export function pullPreviews(options: PullPreviewsOptions): PreviewPorts {
  const { github, settings, stored, secrets, clock, logger, metrics } = options;
  const authorization = githubAuthorization({ settings: github, secrets, clock });
  const pulls = githubPulls({ api: github.api, authorization, appId: github.app?.id });
  const predict: PredictPorts = {
    ...options,
    repositories: githubRepositories({ api: github.api, authorization, clock }),
    mergeBase: pulls.mergeBase,
    manifestReader,
  };
  return {
    settings,
    pulls,
    notes: previewNotes({ ...stored, clock }),
    predict: (pull) => predictPull(pull, predict),
    clock,
    logger,
    metrics,
  };
}
