import { createHash } from 'node:crypto';

export interface Author {
  readonly name: string;
  readonly email: string;
}

export interface Commit {
  readonly id: string;
  readonly message: string;
  readonly author: Author;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly modified: readonly string[];
  readonly files: ReadonlyMap<string, string>;
}

/** A commit that was made elsewhere, with all its files. */
export type ReceivedCommit = Omit<Commit, 'added' | 'removed' | 'modified'>;

/** A push, as the host reports it. */
export interface GitPush {
  readonly repository: GitRepository;
  /** `refs/heads/main`. */
  readonly ref: string;
  /** Forty zeros for a new branch. */
  readonly before: string;
  readonly after: string;
  readonly forced: boolean;
  readonly commits: readonly Commit[];
}

export interface CommitPlan {
  readonly message: string;
  /** New contents by path; `null` removes the file. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly author?: Author;
}

export interface GitRepository {
  readonly owner: string;
  readonly name: string;
  readonly defaultBranch: string;
  /** Address in a browser. */
  readonly htmlUrl: string;
  /** Address in an Application. */
  readonly cloneUrl: string;
  /** Commits to a branch and pushes it. */
  push(plan: CommitPlan & { readonly branch?: string }): GitPush;
  /** Replaces the newest commits of a branch. */
  forcePush(plan: CommitPlan & { readonly branch?: string; readonly drop: number }): GitPush;
  /** Adds commits that were made elsewhere to a branch, the oldest first, and pushes it. */
  receive(branch: string, commits: readonly ReceivedCommit[]): GitPush;
  /** Commits of a branch, the oldest first. */
  log(branch: string): readonly Commit[];
  /** Id of the commit that `HEAD`, a branch or a full SHA refers to. */
  resolve(revision: string): string | undefined;
  filesAt(sha: string): ReadonlyMap<string, string>;
  head(branch?: string): Commit | undefined;
}

interface RepositoryPlan {
  readonly owner: string;
  readonly name: string;
  /** The host's origin, as `https://git.example.com`. */
  readonly origin: string;
  readonly now: () => Date;
  readonly onPush: (push: GitPush) => void;
}

/** GitHub's id for the missing commit before a branch's first one. */
const noCommit = '0'.repeat(40);
const defaultAuthor: Author = { name: 'Ada Example', email: 'ada@example.com' };

/** A repository in memory: branches are lists of commits, and every commit has all its files. */
export class InMemoryRepository implements GitRepository {
  readonly owner: string;
  readonly name: string;
  readonly defaultBranch = 'main';
  readonly htmlUrl: string;
  readonly cloneUrl: string;
  private readonly now: () => Date;
  private readonly onPush: (push: GitPush) => void;
  private readonly branches = new Map<string, Commit[]>();

  constructor({ owner, name, origin, now, onPush }: RepositoryPlan) {
    this.owner = owner;
    this.name = name;
    this.htmlUrl = `${origin}/${owner}/${name}`;
    this.cloneUrl = `${this.htmlUrl}.git`;
    this.now = now;
    this.onPush = onPush;
  }

  push({ branch = 'main', ...plan }: CommitPlan & { readonly branch?: string }): GitPush {
    const before = this.head(branch)?.id ?? noCommit;
    return this.pushed(branch, { before, forced: false, commits: [this.commit(branch, plan)] });
  }

  forcePush({ branch = 'main', drop, ...plan }: CommitPlan & { readonly branch?: string; readonly drop: number }) {
    const before = this.head(branch)?.id ?? noCommit;
    this.branches.set(branch, (this.branches.get(branch) ?? []).slice(0, -drop));
    return this.pushed(branch, { before, forced: true, commits: [this.commit(branch, plan)] });
  }

  receive(branch: string, commits: readonly ReceivedCommit[]): GitPush {
    const before = this.head(branch)?.id ?? noCommit;
    const history = [...(this.branches.get(branch) ?? [])];
    let parent = history.at(-1) ?? this.head();
    const added: Commit[] = [];
    for (const commit of commits) {
      parent = { ...commit, ...changedPaths(parent?.files ?? new Map(), commit.files) };
      added.push(parent);
    }
    this.branches.set(branch, [...history, ...added]);
    return this.pushed(branch, { before, forced: false, commits: added });
  }

  log(branch: string): readonly Commit[] {
    return this.branches.get(branch) ?? [];
  }

  resolve(revision: string): string | undefined {
    const branch = revision === '' || revision === 'HEAD' ? 'main' : revision.replace(/^refs\/heads\//, '');
    return this.head(branch)?.id ?? this.commitOf(revision)?.id;
  }

  filesAt(sha: string): ReadonlyMap<string, string> {
    return this.commitOf(sha)?.files ?? new Map();
  }

  head(branch = this.defaultBranch): Commit | undefined {
    return this.branches.get(branch)?.at(-1);
  }

  /** Adds a commit to a branch without pushing it. */
  commit(branch: string, { message, files: changes, author = defaultAuthor }: CommitPlan): Commit {
    const history = this.branches.get(branch) ?? [];
    const parent = history.at(-1);
    const files = new Map(parent?.files);
    for (const [path, content] of Object.entries(changes))
      content === null ? files.delete(path) : files.set(path, content);
    const timestamp = this.now().toISOString();
    const commit: Commit = {
      id: createHash('sha1')
        .update(JSON.stringify([parent?.id, message, timestamp, [...files]]))
        .digest('hex'),
      message,
      author,
      timestamp,
      ...changedPaths(parent?.files ?? new Map(), files),
      files,
    };
    this.branches.set(branch, [...history, commit]);
    return commit;
  }

  private commitOf(sha: string): Commit | undefined {
    return [...this.branches.values()].flat().find(({ id }) => id === sha);
  }

  private pushed(branch: string, push: Pick<GitPush, 'before' | 'forced' | 'commits'>): GitPush {
    const after = this.head(branch)?.id ?? noCommit;
    const complete: GitPush = { ...push, repository: this, ref: `refs/heads/${branch}`, after };
    this.onPush(complete);
    return complete;
  }
}

function changedPaths(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  return {
    added: [...after.keys()].filter((path) => !before.has(path)),
    removed: [...before.keys()].filter((path) => !after.has(path)),
    modified: [...after.keys()].filter((path) => before.has(path) && before.get(path) !== after.get(path)),
  };
}
