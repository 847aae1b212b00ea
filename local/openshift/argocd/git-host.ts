import { type GitPush, type GitRepository, InMemoryRepository } from './git-repository.ts';

export interface NewRepository {
  readonly owner: string;
  readonly name: string;
  /** Contents of a first commit, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A Git hosting service in this process. */
export interface GitHost {
  createRepository(plan: NewRepository): GitRepository;
  /** By any URL that an Application may use for it. */
  find(repoUrl: string): GitRepository | undefined;
  /** Listeners are called right after a push, as a webhook would be; the returned function removes the listener. */
  onPush(listener: (push: GitPush) => void): () => void;
}

interface HostOptions {
  readonly origin: string;
  readonly now: () => Date;
}

export function createGitHost(options: HostOptions): GitHost {
  return new InMemoryHost(options);
}

class InMemoryHost implements GitHost {
  private readonly options: HostOptions;
  private readonly repositories = new Map<string, GitRepository>();
  private readonly listeners = new Set<(push: GitPush) => void>();

  constructor(options: HostOptions) {
    this.options = options;
  }

  createRepository({ owner, name, files = {} }: NewRepository): GitRepository {
    const onPush = (push: GitPush) => {
      for (const listener of [...this.listeners]) listener(push);
    };
    const repository = new InMemoryRepository({ ...this.options, owner, name, onPush });
    if (Object.keys(files).length > 0) repository.commit('main', { message: 'Begin', files });
    this.repositories.set(plainUrl(repository.htmlUrl), repository);
    return repository;
  }

  find(repoUrl: string): GitRepository | undefined {
    return this.repositories.get(plainUrl(repoUrl));
  }

  onPush(listener: (push: GitPush) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

/** The same for every way to write a repository's address. */
function plainUrl(url: string): string {
  return url
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^[^@/]+@/, '')
    .replace(/:(?!\d)/, '/')
    .replace(/\.git\/?$/, '')
    .replace(/\/$/, '');
}
