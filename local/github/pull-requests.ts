import type { GitRepository } from '../openshift/argocd/git-repository.ts';

/** A pull request as GitHub describes it from now on. */
export interface PullRequest {
  /** `owner/name`. */
  readonly repository: string;
  readonly number: number;
  /** Commit. */
  readonly head: string;
  /** Branch; undefined = the default one. */
  readonly base?: string;
  /** Undefined = open. */
  readonly state?: string;
  readonly draft?: boolean;
  /** `owner/name` that its commits are in; null = that is gone, undefined = the repository itself. */
  readonly from?: string | null;
}

export interface IssueComment {
  readonly id: number;
  readonly issue: number;
  /** Id of who wrote it. */
  readonly user: number;
  body: string;
  /** How often it was edited. */
  edits: number;
}

export interface CommitStatus {
  readonly commit: string;
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** One request about a repository. */
export interface AskedOfRepository {
  readonly repository: GitRepository;
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
}

export const absent: Answer = { status: 404, body: { message: 'Not Found' } };

/** Who the token belongs to. */
export const ourUser = 41;
const firstComment = 1000;

/** Pull requests, and what is said on them and on commits. Source: GitHub REST API, "Pulls", "Issue comments",
 *  "Commit statuses". */
export function pullRequests() {
  const pulls = new Map<string, PullRequest>();
  const comments: IssueComment[] = [];
  const statuses: CommitStatus[] = [];

  function shown({ id, issue, user, body }: IssueComment, { htmlUrl }: GitRepository) {
    return { id, body, user: { id: user }, html_url: `${htmlUrl}/pull/${issue}#issuecomment-${id}` };
  }

  function commented(issue: number, { repository, method, url, body }: AskedOfRepository): Answer {
    if (method === 'GET') {
      const page = pageOf(
        comments.filter((each) => each.issue === issue),
        url,
      );
      return { status: 200, body: page.map((each) => shown(each, repository)) };
    }
    const comment = { id: firstComment + comments.length, issue, user: ourUser, body: textOf(body), edits: 0 };
    comments.push(comment);
    return { status: 201, body: shown(comment, repository) };
  }

  function edited(id: number, { repository, body }: AskedOfRepository): Answer {
    const comment = comments.find((each) => each.id === id);
    if (comment === undefined) return absent;
    comment.body = textOf(body);
    comment.edits += 1;
    return { status: 200, body: shown(comment, repository) };
  }

  return {
    comments,
    statuses,
    set: (pull: PullRequest) => void pulls.set(`${pull.repository} ${pull.number}`, pull),

    pull(number: number, { repository }: AskedOfRepository): Answer {
      const found = pulls.get(`${repository.owner}/${repository.name} ${number}`);
      return found === undefined ? absent : { status: 200, body: pullBody(found, repository) };
    },

    status(commit: string, { body }: AskedOfRepository): Answer {
      return { status: 201, body: { id: statuses.push({ commit, body }) } };
    },

    /** `rest`: what follows `/issues/`. */
    issue(rest: string, asked: AskedOfRepository): Answer {
      const [, comment] = /^comments\/(\d+)$/.exec(rest) ?? [];
      if (comment !== undefined && asked.method === 'PATCH') return edited(Number(comment), asked);
      const [, number] = /^(\d+)\/comments$/.exec(rest) ?? [];
      return number === undefined ? absent : commented(Number(number), asked);
    },
  };
}

export function aboutRepository({ owner, name, htmlUrl, defaultBranch }: GitRepository) {
  return { full_name: `${owner}/${name}`, html_url: htmlUrl, default_branch: defaultBranch };
}

function pullBody(pull: PullRequest, repository: GitRepository) {
  const { number, head, base = repository.defaultBranch, state = 'open', draft = false } = pull;
  const about = aboutRepository(repository);
  const { from = about.full_name } = pull;
  return {
    number,
    state,
    draft,
    head: { sha: head, repo: from === null ? null : { full_name: from } },
    base: { ref: base, sha: repository.head(base)?.id, repo: about },
  };
}

function pageOf<T>(all: readonly T[], { searchParams }: URL): readonly T[] {
  const size = Number(searchParams.get('per_page') ?? 30);
  const page = Number(searchParams.get('page') ?? 1);
  return all.slice((page - 1) * size, page * size);
}

function textOf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'body' in body ? String(body.body) : '';
}
