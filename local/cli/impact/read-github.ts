import { githubAnswers } from '../../../functions/adapters/github/github-answers.ts';
import { githubCommits } from '../../../functions/adapters/github/github-commits.ts';
import { githubRepositories } from '../../../functions/adapters/github/github-repositories.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { isLoopback } from '../../../functions/core/configuration/loopback.ts';
import { mayMeet } from '../../../functions/core/impact/unmerged.ts';
import { repositoryOf } from '../../../functions/core/routing/repository.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { baseUrl, type Surroundings } from '../command.ts';
import type { ChangeRead } from './change-read.ts';

/** Milliseconds; generous, because no pause waits for the answer. */
const limits = { totalMs: 120_000, requestMs: 20_000 };
const answerAtMost = 1024 * 1024;

/** `owner/name` as GitHub allows it. */
export function isGithubName(repository: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/.test(repository);
}

/** `to` compared with its merge base with `from`, through GitHub's REST API: nothing is cloned, and nothing merged.
 *  Throws Misconfigured and Transient. */
export async function readGithub(
  repository: string,
  { from, to }: { readonly from: string; readonly to: string },
  { environment, now }: Pick<Surroundings, 'environment' | 'now'>,
): Promise<ChangeRead> {
  const api = apiOf(environment['GITHUB_API_URL'] ?? 'https://api.github.com');
  const token = environment['GITHUB_TOKEN'] ?? environment['GH_TOKEN'] ?? '';
  if (token === '')
    throw new Misconfigured([
      `--repo ${repository}: is not a local folder; to read it at GitHub, set GITHUB_TOKEN to a token that may read its contents`,
    ]);
  const { deadline } = systemRuntime;
  const options = { api, authorization: async () => `Bearer ${token}`, clock: now, deadline };
  const commits = githubCommits(githubAnswers({ ...options, timeoutMs: limits.requestMs, answerAtMost }), () =>
    deadline(limits.requestMs),
  );
  const about = await commits.about(repository);
  if (about === undefined)
    throw new Misconfigured([`--repo ${repository}: not found at GitHub, or this token may not read it`]);
  const [start, after] = await Promise.all([commits.resolve(repository, from), commits.resolve(repository, to)]);
  const problems = [
    ...(start === undefined ? [`--from ${from}: is not a commit of ${repository}`] : []),
    ...(after === undefined ? [`--to ${to}: is not a commit of ${repository}`] : []),
  ];
  if (start === undefined || after === undefined) throw new Misconfigured(problems);
  const named = from.replace(/^(?:refs\/)?heads\//, '');
  const isBranch = (await commits.resolve(repository, `heads/${named}`)) === start;
  const before = (await commits.mergeBase(repository, start, after)) ?? start;
  const repositories = githubRepositories({ ...options, limits });
  const question = { fullName: repository, before, after, paths: undefined };
  const files = await repositories.readChange(question);
  const isBehind = before !== start && before !== after;
  const mayDiffer = isBehind && mayMeet(files, await repositories.readPaths({ ...question, after: start }));
  // GitHub leads from an earlier name, by which Argo CD goes on syncing, to the one of today.
  const asked = repositoryOf(`${new URL(about.htmlUrl).origin}/${repository}`);
  return {
    files,
    origin: about.htmlUrl,
    ...(asked === undefined || asked === repositoryOf(about.htmlUrl) ? {} : { otherNames: [asked] }),
    defaultBranch: about.defaultBranch,
    headRemedy: 'use --everything',
    ...(isBranch ? { branch: named } : {}),
    unmerged: mayDiffer ? 'GitHub is not asked to merge; --to may be its test merge' : undefined,
  };
}

/** The token is sent there: never unencrypted, except to loopback. */
function apiOf(text: string): string {
  const api = baseUrl(text, 'GITHUB_API_URL');
  if (!api.startsWith('https://') && !isLoopback(new URL(api)))
    throw new Misconfigured([`GITHUB_API_URL ${text}: must be an https:// address`]);
  return api;
}
