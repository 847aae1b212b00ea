import { githubPath } from '../../core/routing/github-path.ts';
import { repositoryOf } from '../../core/routing/repository.ts';
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
/** Milliseconds that an answer counts in this process: every preview asks for all that is followed. */
const keptMs = 3_600_000;

/** GitHub leads from the earlier names of a repository to the one of today, for as long as nobody takes them. Source:
 *  GitHub REST API, "Get a repository", status 301. */
export function repositoryNames({ api, ...options }: RepositoryNamesOptions): RepositoryNames {
  const commits = githubCommits(githubAnswers({ api, ...options, timeoutMs, answerAtMost }), () =>
    options.deadline(timeoutMs),
  );
  const kept = new Map<string, { readonly found: string | undefined; readonly atMs: number }>();
  const lastOf = (name: string) => {
    const last = kept.get(name);
    return last !== undefined && options.clock().getTime() - last.atMs < keptMs ? last : undefined;
  };
  return {
    isAsked: (name) => githubPath(name, api) !== undefined,
    isKept: (name) => lastOf(name) !== undefined,
    async nameNow(name) {
      const [path, last, atMs] = [githubPath(name, api), lastOf(name), options.clock().getTime()];
      if (last !== undefined) return last.found;
      const about = path === undefined ? undefined : await commits.about(path);
      const found = about && repositoryOf(about.htmlUrl);
      kept.set(name, { found, atMs });
      return found;
    },
  };
}
