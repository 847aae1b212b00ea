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
  /** Undefined: requests are authorized with a token, which is the same whoever is asked about. */
  readonly appId: number | undefined;
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
export function repositoryNames({ api, appId, ...options }: RepositoryNamesOptions): RepositoryNames {
  const asking = (authorization: GithubAuthorization) =>
    githubCommits(githubAnswers({ api, ...options, authorization, timeoutMs, answerAtMost }), () =>
      options.deadline(timeoutMs),
    );
  const asOwner = asking(options.authorization);
  const alone = asking((about, each) => options.authorization(about, { ...each, alone: true }));
  const about = async (path: string) => {
    const seen = await asOwner.about(path);
    return seen === undefined && appId !== undefined ? alone.about(path).catch(noneIfRefused) : seen;
  };
  const kept = new Map<string, { readonly found: Promise<string | undefined>; readonly atMs: number }>();
  const lastOf = (name: string) => {
    const last = kept.get(name);
    const ageMs = options.clock().getTime() - (last?.atMs ?? 0);
    // By a clock that was ahead: nobody knows when.
    return ageMs >= 0 && ageMs < keptMs ? last?.found : undefined;
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
      const last = lastOf(name);
      // Whoever asks meanwhile waits for the same answer.
      if (last !== undefined) return last;
      for (const each of [...kept.keys()].filter((one) => lastOf(one) === undefined)) kept.delete(each);
      const found = find(name);
      kept.set(name, { found, atMs: options.clock().getTime() });
      try {
        return await found;
      } catch (cause) {
        if (!(cause instanceof Misconfigured) && kept.get(name)?.found === found) kept.delete(name);
        throw cause;
      }
    },
  };
}

function noneIfRefused(cause: unknown): undefined {
  if (!(cause instanceof Misconfigured)) throw cause;
}
