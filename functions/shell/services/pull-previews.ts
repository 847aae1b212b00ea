import { dynamoKeptCalendars } from '../../adapters/aws/dynamo-kept-calendars.ts';
import { dynamoNodeRollouts } from '../../adapters/aws/dynamo-node-rollouts.ts';
import { dynamoRoutes } from '../../adapters/aws/dynamo-routes.ts';
import { previewNotes } from '../../adapters/aws/preview-notes.ts';
import { openTable, type TableOptions } from '../../adapters/aws/table.ts';
import { githubAnswers } from '../../adapters/github/github-answers.ts';
import { githubAuthorization } from '../../adapters/github/github-authorization.ts';
import { githubCommits } from '../../adapters/github/github-commits.ts';
import { githubPulls } from '../../adapters/github/github-pulls.ts';
import { githubRepositories } from '../../adapters/github/github-repositories.ts';
import { repositoryNames } from '../../adapters/github/repository-names.ts';
import { manifestReader } from '../../adapters/yaml/read-manifests.ts';
import type { GithubSettings, PreviewSettings } from '../../core/configuration/github.ts';
import type { Parting } from '../../core/preview/compared.ts';
import type { Pull } from '../../core/preview/pull.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Runtime } from '../../ports/time.ts';
import type { PredictPorts } from '../../preview-changes/predict-ports.ts';
import { predictPull } from '../../preview-changes/predict-pull.ts';
import type { PreviewPorts } from '../../preview-changes/preview-ports.ts';

export interface PullPreviewsOptions
  extends Pick<PredictPorts, 'configuration' | 'argocd' | 'cluster' | 'logger'>,
    Pick<PreviewPorts, 'metrics'> {
  readonly github: GithubSettings;
  readonly settings: PreviewSettings;
  readonly stored: Pick<TableOptions, 'client' | 'table'>;
  readonly secrets: Secrets;
  readonly runtime: Pick<Runtime, 'clock' | 'deadline' | 'newId' | 'yieldToEventLoop'>;
}

/** Milliseconds, per request. */
const timeoutMs = 8_000;
/** A commit and a comparison without its files are several kilobytes. */
const answerAtMost = 1024 * 1024;

/** Reads, predicts and posts previews: GitHub's API, the table's notes and the clusters. */
export function pullPreviews(options: PullPreviewsOptions): PreviewPorts {
  const { github, settings, stored, secrets, runtime, logger, metrics } = options;
  const { clock, deadline, newId, yieldToEventLoop } = runtime;
  const table = openTable({ ...stored, clock, newId });
  const authorization = githubAuthorization({ settings: github, secrets, clock, deadline });
  const pulls = githubPulls({ api: github.api, authorization, appId: github.app?.id, deadline });
  const ask = githubAnswers({ api: github.api, authorization, clock, deadline, timeoutMs, answerAtMost });
  const commits = githubCommits(ask, () => deadline(timeoutMs));
  /** The base is where its branch is now: `base.sha` of a pull request stays what it was when the branch is set back.
   *  Source: getstackit/stackit#1192. */
  async function parting({ repository, number, base, head }: Pull): Promise<Parting> {
    // A tag may have the name of the branch.
    const tip = await commits.resolve(repository, `heads/${base.ref}`);
    const mergeBase = tip && (await commits.mergeBase(repository, tip, head));
    if (tip !== undefined && mergeBase !== undefined) return { tip, mergeBase };
    throw new Misconfigured([`GitHub does not report the merge base of pull request ${number} of ${repository}`]);
  }
  const predict: PredictPorts = {
    ...options,
    repositories: githubRepositories({ api: github.api, authorization, clock, deadline }),
    repositoryNames: repositoryNames({ api: github.api, authorization, appId: github.app?.id, clock, deadline }),
    manifestReader,
    nodeRollouts: dynamoNodeRollouts(table),
    keptCalendars: dynamoKeptCalendars(table),
    routes: dynamoRoutes(table, newId),
    clock,
    yieldToEventLoop,
  };
  return {
    settings,
    pulls,
    notes: previewNotes({ ...stored, clock, newId }),
    parting,
    parentsOf: commits.parents,
    mergeBaseOf: commits.mergeBase,
    predict: (pull, compared) => predictPull(pull, compared, predict),
    clock,
    logger,
    metrics,
  };
}
