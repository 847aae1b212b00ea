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

/** One push, as the host tells the world of it. */
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
  /** As a browser shows it. */
  readonly htmlUrl: string;
  /** As an Application names it. */
  readonly cloneUrl: string;
  /** Commits to a branch and pushes it. */
  push(plan: CommitPlan & { readonly branch?: string }): GitPush;
  /** Replaces the newest commits of a branch. */
  forcePush(plan: CommitPlan & { readonly branch?: string; readonly drop: number }): GitPush;
  /** The commit that `HEAD`, a branch or a full SHA names. */
  resolve(revision: string): string | undefined;
  filesAt(sha: string): ReadonlyMap<string, string>;
  head(branch?: string): Commit | undefined;
}

/** A Git hosting service in this process. */
export interface GitHost {
  createRepository(plan: {
    readonly owner: string;
    readonly name: string;
    readonly files?: Readonly<Record<string, string>>;
  }): GitRepository;
  /** By any URL under which an Application may know it. */
  find(repoUrl: string): GitRepository | undefined;
  /** Listeners hear of a push right after it happened, as a webhook would tell. */
  onPush(listener: (push: GitPush) => void): () => void;
}

const nobody = '0'.repeat(40);
const defaultAuthor: Author = { name: 'Ada Example', email: 'ada@example.com' };

export function createGitHost({ origin, now }: { readonly origin: string; readonly now: () => Date }): GitHost {
  const repositories = new Map<string, GitRepository>();
  const listeners = new Set<(push: GitPush) => void>();

  function createRepository({ owner, name, files = {} }: Parameters<GitHost['createRepository']>[0]): GitRepository {
    const branches = new Map<string, Commit[]>();
    const htmlUrl = `${origin}/${owner}/${name}`;

    function commitTo(branch: string, { message, files: changes, author = defaultAuthor }: CommitPlan): Commit {
      const history = branches.get(branch) ?? [];
      const parent = history.at(-1);
      const next = new Map(parent?.files);
      for (const [path, content] of Object.entries(changes))
        content === null ? next.delete(path) : next.set(path, content);
      const timestamp = now().toISOString();
      const commit: Commit = {
        id: createHash('sha1')
          .update(JSON.stringify([parent?.id, message, timestamp, [...next]]))
          .digest('hex'),
        message,
        author,
        timestamp,
        added: [...next.keys()].filter((path) => !parent?.files.has(path)),
        removed: [...(parent?.files.keys() ?? [])].filter((path) => !next.has(path)),
        modified: [...next.keys()].filter(
          (path) => parent?.files.has(path) && parent.files.get(path) !== next.get(path),
        ),
        files: next,
      };
      branches.set(branch, [...history, commit]);
      return commit;
    }

    function tell(branch: string, push: Pick<GitPush, 'before' | 'forced' | 'commits'>): GitPush {
      const told: GitPush = { ...push, repository, ref: `refs/heads/${branch}`, after: head(branch)?.id ?? nobody };
      for (const listener of [...listeners]) listener(told);
      return told;
    }

    function head(branch = repository.defaultBranch): Commit | undefined {
      return branches.get(branch)?.at(-1);
    }

    const repository: GitRepository = {
      owner,
      name,
      defaultBranch: 'main',
      htmlUrl,
      cloneUrl: `${htmlUrl}.git`,
      push({ branch = 'main', ...plan }) {
        const before = head(branch)?.id ?? nobody;
        return tell(branch, { before, forced: false, commits: [commitTo(branch, plan)] });
      },
      forcePush({ branch = 'main', drop, ...plan }) {
        const before = head(branch)?.id ?? nobody;
        branches.set(branch, (branches.get(branch) ?? []).slice(0, -drop));
        return tell(branch, { before, forced: true, commits: [commitTo(branch, plan)] });
      },
      resolve(revision) {
        const name = revision === '' || revision === 'HEAD' ? 'main' : revision.replace(/^refs\/heads\//, '');
        return head(name)?.id ?? [...branches.values()].flat().find(({ id }) => id === revision)?.id;
      },
      filesAt: (sha) => [...branches.values()].flat().find(({ id }) => id === sha)?.files ?? new Map(),
      head,
    };
    if (Object.keys(files).length > 0) commitTo('main', { message: 'Begin', files });
    repositories.set(plainUrl(htmlUrl), repository);
    return repository;
  }

  return {
    createRepository,
    find: (repoUrl) => repositories.get(plainUrl(repoUrl)),
    onPush(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** One form for all ways to write a repository's address. */
function plainUrl(url: string): string {
  return url
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^[^@/]+@/, '')
    .replace(/:(?!\d)/, '/')
    .replace(/\.git\/?$/, '')
    .replace(/\/$/, '');
}
