import { baseUrl, count, listOf, mapping, matching, oneOf, secret, type Values, yesOrNo } from './fields.ts';

/** The GitHub App that Poolkeeper signs in as. */
const GithubApp = mapping({
  id: count(1, Number.MAX_SAFE_INTEGER).describe("Id of the App, from its settings' page."),
  privateKeySecret: secret('Private key of the App, PEM'),
});
export type GithubApp = Values<typeof GithubApp>;

/** Logins of Enterprise Managed Users end in `_` and a short code. */
const githubName = /[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38})/.source;

/** A webhook of a repository or of an organization: one of the two is set. */
export const GithubHook = mapping({
  repository: matching(
    new RegExp(`^${githubName}/(?!\\.{1,2}$)[A-Za-z0-9._-]{1,100}$`),
    'must be owner/name of a repository',
  )
    .optional()
    .describe('Repository of the webhook, owner/name. Either this or organization.'),
  organization: matching(new RegExp(`^${githubName}$`), 'must be the name of an organization')
    .optional()
    .describe('Organization of the webhook. Either this or repository.'),
  id: count(1, Number.MAX_SAFE_INTEGER).describe(
    "Id of the webhook: the number at the end of its settings page's address.",
  ),
});
export type GithubHook = Values<typeof GithubHook>;

/** Whether and how pull requests get a preview of what they would do. */
export const PreviewSettings = mapping({
  clusterNames: oneOf('show', 'hide')
    .default('hide')
    .describe(
      'show: clusters, Applications and holders are named in the comment. hide: they are only counted. Everybody who reads the repository reads the comment.',
    ),
  /** Anyone can open one. */
  forks: oneOf('nothing', 'status', 'comment')
    .default('status')
    .describe('What a pull request from a fork gets. status: a commit status and no comment.'),
});
export type PreviewSettings = Values<typeof PreviewSettings>;

export const GithubSettings = mapping({
  api: baseUrl('the base URL of the GitHub REST API')
    .default('https://api.github.com')
    .describe('Base URL of the REST API; `https://<host>/api/v3` for an Enterprise Server.'),
  tokenSecret: secret('Token with the rights of what is asked for below')
    .optional()
    .describe(
      'Token: name or ARN of the secret in Secrets Manager; on one machine the name of an environment variable. Either this or app.',
    ),
  app: GithubApp.optional().describe('The GitHub App that Poolkeeper signs in as. Either this or tokenSecret.'),
  readsChanges: yesOrNo(
    'Read the files that a push changes (Contents: read), so that only the pools concerned are paused. Without it, the pools of everything the Application manages are paused.',
    true,
  ),
  hooks: listOf(GithubHook, 'must be a list of webhooks')
    .default([])
    .describe(
      'The webhooks that deliver to Poolkeeper: pushes that GitHub could not deliver are asked for again. Without them only ticks and sweeps make up for those.',
    ),
  preview: PreviewSettings.optional().describe(
    'Pull requests get a preview of what they would do: a commit status and one comment. Without it, none.',
  ),
});
export type GithubSettings = Values<typeof GithubSettings>;

/** Undefined: nothing is asked of GitHub; it only delivers. */
export const Github = GithubSettings.optional().describe(
  'What is asked of GitHub: what a push changes, lost deliveries once more, and comments on pull requests. Without it GitHub only delivers.',
);
