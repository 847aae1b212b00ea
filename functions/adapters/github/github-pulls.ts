import * as z from 'zod';
import type { Pull } from '../../core/preview/pull.ts';
import { type Misconfigured, Transient } from '../../core/text/errors.ts';
import { given } from '../../core/text/given.ts';
import type { Deadline } from '../../ports/time.ts';
import { githubHeaders, githubId, githubRefusal, isMoved, parseExact, plainFetch } from './github-http.ts';

export interface GithubPullsOptions {
  /** Base URL without a trailing slash. */
  readonly api: string;
  /** Value of the Authorization header for requests about that repository. Throws Transient and Misconfigured. */
  readonly authorization: (repository: string) => Promise<string>;
  /** Id of the GitHub App that we authenticate as; undefined: the token of a user. Identifies our own comments. */
  readonly appId: number | undefined;
  /** Milliseconds, per request. */
  readonly timeoutMs?: number;
  readonly deadline: Deadline;
}

const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** Source: GitHub REST API, "Get a pull request". While GitHub works out whether it merges, `mergeable` is null; to ask
 *  may begin that. `merge_commit_sha` may be up to twelve hours older than the base. Source: GitHub Changelog,
 *  2026-02-19, "Changes to test merge commit generation for pull requests". */
const PullBody = z.object({
  number: z.int(),
  state: z.string(),
  draft: z.boolean().optional(),
  head: z.object({ sha: commit, repo: z.object({ full_name: z.string() }).nullable() }),
  base: z.object({
    ref: z.string(),
    repo: z.object({ full_name: z.string(), html_url: z.url(), default_branch: z.string() }),
  }),
  mergeable: z.boolean().nullish(),
  merge_commit_sha: commit.nullish(),
});

/** Source: GitHub REST API, "List issue comments". */
const CommentBody = z.object({
  id: githubId,
  html_url: z.string(),
  body: z.string().nullish(),
  user: z.object({ id: githubId }).nullish(),
  performed_via_github_app: z.object({ id: githubId }).nullish(),
});
type CommentBody = z.infer<typeof CommentBody>;

const UserBody = z.object({ id: githubId });

/** Context of our commit status; it may be configured as a required check. */
const statusContext = 'poolkeeper/impact';
/** Characters. GitHub's limit for a status description. */
const descriptionAtMost = 140;
/** Comments of one page: GitHub's maximum. */
const perPage = 100;
/** Pages that are searched for our comment, which is among the first, if there is one. */
const mostPages = 10;

/** Reads pull requests and writes statuses and comments by GitHub's REST API: plain requests, made once, no redirect
 *  followed (it would carry the token along). A renamed repository answers with a redirect, which is reported as
 *  such. */
export function githubPulls(options: GithubPullsOptions) {
  const { api, authorization, appId, deadline, timeoutMs = 8_000 } = options;
  let ourselves: Promise<string> | undefined;

  async function ask(repository: string, { method = 'GET', path, body }: Asked): Promise<Response> {
    const headers = githubHeaders(await authorization(repository));
    return plainFetch(`${api}${path}`, { method, headers, body, signal: deadline(timeoutMs) });
  }

  /** The parsed answer to a request; undefined for a status in `absentStatuses`. */
  async function answer<T>(repository: string, asked: Asked, shape: z.ZodType<T>): Promise<T | undefined> {
    const response = await ask(repository, asked);
    if (asked.absentStatuses?.includes(response.status)) {
      await response.body?.cancel();
      return undefined;
    }
    if (response.status !== 200 && response.status !== 201) throw await refusal(response, asked.what);
    const read = shape.safeParse(parseExact(await response.text().catch(() => '')));
    if (!read.success) throw new Transient(`GitHub's answer has an unexpected form: ${asked.what}`);
    return read.data;
  }

  async function isOwn(repository: string, { user, performed_via_github_app: app }: CommentBody): Promise<boolean> {
    if (appId !== undefined) return app?.id === `${appId}`;
    ourselves ??= whoAmI(repository).catch((cause: unknown) => {
      ourselves = undefined;
      throw cause;
    });
    return user?.id === (await ourselves);
  }

  async function whoAmI(repository: string): Promise<string> {
    return present(await answer(repository, { path: '/user', what: 'who the token belongs to' }, UserBody)).id;
  }

  return {
    async read(repository: string, number: number): Promise<Pull | undefined> {
      const path = `/repos/${pathOf(repository)}/pulls/${number}`;
      const what = `pull request ${number} of ${repository}`;
      const body = await answer(repository, { path, what }, PullBody);
      return body && pullOf(body);
    },

    async setStatus(repository: string, sha: string, status: { description: string; targetUrl: string | undefined }) {
      const { description, targetUrl } = status;
      await answer(
        repository,
        {
          method: 'POST',
          path: `/repos/${pathOf(repository)}/statuses/${sha}`,
          what: `a commit status in ${repository}`,
          body: {
            // Never `failure`: the disruption is for people to weigh.
            state: 'success',
            context: statusContext,
            description: cut(description, descriptionAtMost),
            ...given({ target_url: targetUrl }),
          },
        },
        z.unknown(),
      );
    },

    async findComments(repository: string, number: number, marker: string) {
      const found: CommentRef[] = [];
      for (let page = 1; page <= mostPages; page += 1) {
        const path = `/repos/${pathOf(repository)}/issues/${number}/comments?per_page=${perPage}&page=${page}`;
        const what = `the comments of pull request ${number} of ${repository}`;
        const comments = present(await answer(repository, { path, what }, z.array(CommentBody)));
        for (const comment of comments) {
          const isMarked = comment.body?.startsWith(marker) === true;
          if (isMarked && (await isOwn(repository, comment))) found.push(commentOf(comment));
        }
        if (comments.length < perPage) break;
      }
      return found;
    },

    async createComment(repository: string, number: number, body: string): Promise<CommentRef> {
      const path = `/repos/${pathOf(repository)}/issues/${number}/comments`;
      const what = `a comment on pull request ${number} of ${repository}`;
      return commentOf(present(await answer(repository, { method: 'POST', path, what, body: { body } }, CommentBody)));
    },

    async editComment(repository: string, comment: string, body: string): Promise<CommentRef | undefined> {
      const path = `/repos/${pathOf(repository)}/issues/comments/${comment}`;
      const what = `comment ${comment} in ${repository}`;
      const asked: Asked = { method: 'PATCH', path, what, body: { body }, absentStatuses: [404, 410] };
      const edited = await answer(repository, asked, CommentBody);
      return edited && commentOf(edited);
    },
  };
}

interface Asked {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  /** What was requested, for people. */
  readonly what: string;
  readonly body?: unknown;
  /** HTTP statuses that mean that the object does not exist. */
  readonly absentStatuses?: readonly number[];
}

interface CommentRef {
  readonly id: string;
  readonly url: string;
}

function pullOf({ number, state, draft = false, head, base, ...merge }: z.infer<typeof PullBody>): Pull {
  return {
    repository: base.repo.full_name,
    number,
    isOpen: state === 'open',
    isDraft: draft,
    isFork: head.repo?.full_name.toLowerCase() !== base.repo.full_name.toLowerCase(),
    head: head.sha,
    base: { ref: base.ref },
    htmlUrl: base.repo.html_url,
    defaultBranch: base.repo.default_branch,
    isMergeable: merge.mergeable ?? undefined,
    testMerge: merge.merge_commit_sha ?? undefined,
  };
}

function commentOf({ id, html_url: url }: CommentBody): CommentRef {
  return { id, url };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Transient('GitHub answered with nothing');
  return value;
}

function pathOf(repository: string): string {
  return repository.split('/').map(encodeURIComponent).join('/');
}

function cut(text: string, atMost: number): string {
  const letters = [...text];
  return letters.length <= atMost ? text : `${letters.slice(0, atMost - 1).join('')}…`;
}

function refusal(response: Response, what: string): Promise<Transient | Misconfigured> {
  const question = isMoved(response)
    ? 'was the repository renamed?'
    : 'may the token do this, and does it have access to the repository?';
  return githubRefusal({ response, what, question });
}
