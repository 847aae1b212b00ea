import { githubPath } from '../../core/routing/github-path.ts';
import { repositoryOf } from '../../core/routing/repository.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import type { RepositoryNames } from '../../ports/repositories.ts';
import type { Clock, Deadline } from '../../ports/time.ts';
import { githubAnswers } from './github-answers.ts';
import type { GithubAuthorization } from './github-authorization.ts';
import { githubCommits } from './github-commits.ts';

export interface RepositoryNamesOptions {
  /** Base URL without a trailing slash. */
  readonly api: string;
  readonly authorization: GithubAuthorization;
  readonly clock: Clock;
  readonly deadline: Deadline;
}

/** Milliseconds, per request: no pause waits for it. */
const timeoutMs = 4_000;
const answerAtMost = 1024 * 1024;
/** Milliseconds that an answer or a refusal counts in this process: every preview asks for all that is followed. */
const keptMs = 3_600_000;

/** GitHub leads from the earlier names of a repository to the one of today, for as long as nobody takes them. Source:
 *  GitHub REST API, "Get a repository", status 301. */
export function repositoryNames({ api, ...options }: RepositoryNamesOptions): RepositoryNames {
  const asking = (authorization: GithubAuthorization) =>
    githubCommits(githubAnswers({ api, ...options, authorization, timeoutMs, answerAtMost }), () =>
      options.deadline(timeoutMs),
    );
  const asOwner = asking(options.authorization);
  const alone = asking((about, each) => options.authorization(about, { ...each, alone: true }));
  const about = async (path: string) => (await asOwner.about(path)) ?? alone.about(path).catch(noneIfRefused);
  const kept = new Map<string, { readonly found: string | undefined | Misconfigured; readonly atMs: number }>();
  const lastOf = (name: string) => {
    const last = kept.get(name);
    return last !== undefined && options.clock().getTime() - last.atMs < keptMs ? last : undefined;
  };
  const find = async (name: string) => {
    const path = githubPath(name, api);
    const seen = path === undefined ? undefined : await about(path);
    return seen && repositoryOf(seen.htmlUrl);
  };
  return {
    isAsked: (name) => githubPath(name, api) !== undefined,
    isKept: (name) => lastOf(name) !== undefined,
    async nameNow(name) {
      const atMs = options.clock().getTime();
      const last = lastOf(name) ?? { found: await find(name).catch(refusal), atMs };
      kept.set(name, last);
      if (last.found instanceof Misconfigured) throw last.found;
      return last.found;
    },
  };
}

function refusal(cause: unknown): Misconfigured {
  if (cause instanceof Misconfigured) return cause;
  throw cause;
}

function noneIfRefused(cause: unknown): undefined {
  refusal(cause);
}
