import type { GitRepository } from '../openshift/argocd/git-repository.ts';

/** A pull request as GitHub describes it. */
export interface PullRequest {
  /** `owner/name`. */
  readonly repository: string;
  readonly number: number;
  /** Commit. */
  readonly head: string;
  /** Branch; undefined: the default one. */
  readonly base?: string;
  /** What `base.sha` stays at when its branch is set back; undefined: what the branch is at. */
  readonly baseSha?: string;
  /** Undefined: open. */
  readonly state?: string;
  readonly draft?: boolean;
  /** `owner/name` of the repository that its commits are in; null: deleted; undefined: the repository itself. */
  readonly from?: string | null;
  /** Whether it merges without a conflict; null: it is being worked out; undefined: nothing is said. */
  readonly mergeable?: boolean | null;
  /** The commit of the last test merge; undefined: nothing is said. */
  readonly mergeCommit?: string | null;
}

export interface IssueComment {
  /** Digits; more than a number can hold, as GitHub's ids may be. */
  readonly id: string;
  readonly issue: number;
  /** Id of its author. */
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
  /** For whoever asks for the id alone. */
  readonly plain?: string;
}

/** One request about a repository. */
export interface RepositoryRequest {
  readonly repository: GitRepository;
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
}

export const absent: Answer = { status: 404, body: { message: 'Not Found' } };

/** Id of the user that the token belongs to. */
export const ourUser = 41;
/** Above 2^53. */
const firstComment = 3_804_004_623_172_239_367n;

/** Pull requests with their comments, and statuses of commits. Source: GitHub REST API, "Pulls", "Issue comments",
 *  "Commit statuses". */
export class PullRequests {
  readonly comments: IssueComment[] = [];
  readonly statuses: CommitStatus[] = [];
  /** By repository and number. */
  private readonly pulls = new Map<string, PullRequest>();

  set(pull: PullRequest): void {
    this.pulls.set(`${pull.repository} ${pull.number}`, pull);
  }

  show(number: number, { repository }: RepositoryRequest): Answer {
    const found = this.pulls.get(`${repository.owner}/${repository.name} ${number}`);
    return found === undefined ? absent : { status: 200, body: pullBody(found, repository) };
  }

  addStatus(commit: string, { body }: RepositoryRequest): Answer {
    return { status: 201, body: { id: this.statuses.push({ commit, body }) } };
  }

  /** `rest`: the path after `/issues/`. */
  answerIssue(rest: string, request: RepositoryRequest): Answer {
    const [, comment] = /^comments\/(\d+)$/.exec(rest) ?? [];
    if (comment !== undefined && request.method === 'PATCH') return this.editComment(comment, request);
    const [, number] = /^(\d+)\/comments$/.exec(rest) ?? [];
    if (number === undefined) return absent;
    return request.method === 'GET'
      ? this.listComments(Number(number), request)
      : this.addComment(Number(number), request);
  }

  private listComments(issue: number, { repository, url }: RepositoryRequest): Answer {
    const all = this.comments.filter((each) => each.issue === issue);
    return { status: 200, body: pageOf(all, url).map((each) => commentBody(each, repository)) };
  }

  private addComment(issue: number, { repository, body }: RepositoryRequest): Answer {
    const id = `${firstComment + BigInt(this.comments.length)}`;
    const comment: IssueComment = { id, issue, user: ourUser, body: textOf(body), edits: 0 };
    this.comments.push(comment);
    return { status: 201, body: commentBody(comment, repository) };
  }

  private editComment(id: string, { repository, body }: RepositoryRequest): Answer {
    const comment = this.comments.find((each) => each.id === id);
    if (comment === undefined) return absent;
    comment.body = textOf(body);
    comment.edits += 1;
    return { status: 200, body: commentBody(comment, repository) };
  }
}

function commentBody({ id, issue, user, body }: IssueComment, { htmlUrl }: GitRepository) {
  return { id, body, user: { id: user }, html_url: `${htmlUrl}/pull/${issue}#issuecomment-${id}` };
}

export function aboutRepository({ owner, name, htmlUrl, defaultBranch }: GitRepository) {
  return { full_name: `${owner}/${name}`, html_url: htmlUrl, default_branch: defaultBranch };
}

function pullBody(pull: PullRequest, repository: GitRepository) {
  const { number, head, base = repository.defaultBranch, baseSha, state = 'open', draft = false } = pull;
  const about = aboutRepository(repository);
  const { from = about.full_name, mergeable, mergeCommit } = pull;
  return {
    number,
    state,
    draft,
    head: { sha: head, repo: from === null ? null : { full_name: from } },
    base: { ref: base, sha: baseSha ?? repository.head(base)?.id, repo: about },
    mergeable,
    merge_commit_sha: mergeCommit,
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
