import * as z from 'zod';
import { Transient } from '../../core/text/errors.ts';
import type { AskGithub, GithubQuestion } from './github-answers.ts';

const Repository = z.object({ html_url: z.url(), default_branch: z.string() });
const Commit = z.object({ sha: z.string() });
const CommitId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
const CommitObject = z.object({ parents: z.array(Commit) });
const Comparison = z.object({ merge_base_commit: Commit });

/** Commit lookups. Undefined: no such repository, branch, tag or commit, or it may not be read. All throw Transient and
 *  Misconfigured like the requests behind them. `signal` ends each request. Source: GitHub REST API, "Get a
 *  repository", "Get a commit", "Get a commit object", "Compare two commits". */
export function githubCommits(ask: AskGithub, signal: () => AbortSignal) {
  type Asked<T> = Pick<GithubQuestion<T>, 'shape' | 'what' | 'accept'>;

  async function read<T>(repository: string, path: string, asked: Asked<T>) {
    const answer = await ask(repository, { path, ...asked, signal: signal() });
    if (answer.kind === 'unchanged') throw new Transient(`GitHub answered with nothing (${asked.what})`);
    return answer.kind === 'answer' ? answer.body : undefined;
  }

  return {
    async about(repository: string): Promise<{ htmlUrl: string; defaultBranch: string } | undefined> {
      const found = await read(repository, '', { shape: Repository, what: 'repository' });
      return found && { htmlUrl: found.html_url, defaultBranch: found.default_branch };
    },

    /** The commit that a branch, a tag or an id names. Asked for alone: with its files it may be very large. */
    async resolve(repository: string, revision: string): Promise<string | undefined> {
      const path = `/commits/${encodeURIComponent(revision)}`;
      const asked = { shape: CommitId, what: `commit ${revision}`, accept: 'application/vnd.github.sha' } as const;
      return read(repository, path, asked);
    },

    /** The commits that one was made of. */
    async parents(repository: string, commit: string): Promise<readonly string[] | undefined> {
      const path = `/git/commits/${encodeURIComponent(commit)}`;
      const found = await read(repository, path, { shape: CommitObject, what: `parents of ${commit}` });
      return found?.parents.map(({ sha }) => sha);
    },

    /** The merge base of two revisions. */
    async mergeBase(repository: string, from: string, to: string): Promise<string | undefined> {
      const range = `${encodeURIComponent(from)}...${encodeURIComponent(to)}`;
      const path = `/compare/${range}?per_page=1&page=2`;
      return (await read(repository, path, { shape: Comparison, what: 'comparison' }))?.merge_base_commit.sha;
    },
  };
}
