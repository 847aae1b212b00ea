import { unique } from '../../functions/core/text/unique.ts';
import type { GitRepository } from '../openshift/argocd/git-repository.ts';
import { blobId, type Modes, type TreeEntry, treeId, treesOf } from './git-objects.ts';
import { type Answer, absent } from './pull-requests.ts';

export interface GitDataOptions {
  /** Files that are not plain ones. */
  readonly modes: Modes;
  readonly entriesAtMost: number;
  /** Method and path with query of every request so far. */
  readonly requests: readonly string[];
}

/** Trees, blobs, commits and comparisons of a repository. Source: GitHub REST API, "Git database", "Commits". */
export class GitData {
  private readonly options: GitDataOptions;
  /** The simulated host keeps no list of its commits: these are the ones that requests have named. */
  private readonly known = new Map<GitRepository, Set<string>>();
  private readonly parents = new Map<string, readonly string[]>();

  constructor(options: GitDataOptions) {
    this.options = options;
  }

  setParents(commit: string, parents: readonly string[]): void {
    this.parents.set(commit, parents);
  }

  /** `sha`: of a commit or of a folder. */
  tree(repository: GitRepository, sha: string, recursive: boolean): Answer {
    const { modes } = this.options;
    const trees = treesOf(repository.filesAt(sha), modes);
    if (repository.resolve(sha) === sha) return this.listing(trees, '', recursive);
    for (const commit of this.commitsOf(repository)) {
      const folders = treesOf(repository.filesAt(commit), modes);
      const folder = [...folders].find(([, entries]) => treeId(entries) === sha)?.[0];
      if (folder !== undefined) return this.listing(folders, folder, recursive);
    }
    return absent;
  }

  blob(repository: GitRepository, sha: string): Answer {
    for (const commit of this.commitsOf(repository))
      for (const content of repository.filesAt(commit).values())
        if (blobId(content) === sha) {
          const encoded = inLines(Buffer.from(content).toString('base64'));
          return { status: 200, body: { sha, encoding: 'base64', content: encoded } };
        }
    return absent;
  }

  commit(repository: GitRepository, revision: string): Answer {
    const [, branch] = /^heads\/(.+)$/.exec(revision) ?? [];
    const sha = branch === undefined ? repository.resolve(revision) : repository.head(branch)?.id;
    if (sha === undefined) return { status: 422, body: { message: 'No commit found' } };
    const files = [...repository.filesAt(sha)].map(([filename, patch]) => ({ filename, patch }));
    return { status: 200, body: { sha, files }, plain: sha };
  }

  /** As Git has it, without files. */
  commitObject(repository: GitRepository, sha: string): Answer {
    if (repository.resolve(sha) !== sha) return absent;
    return { status: 200, body: { sha, parents: (this.parents.get(sha) ?? []).map((parent) => ({ sha: parent })) } };
  }

  /** `range`: `base...head`. */
  compare(repository: GitRepository, range: string): Answer {
    const [base = '', head = ''] = range.split('...').map((each) => repository.resolve(each));
    if (base === '' || head === '') return absent;
    const [before, after] = [repository.filesAt(base), repository.filesAt(head)];
    const files = unique([...before.keys(), ...after.keys()])
      .filter((path) => before.get(path) !== after.get(path))
      .map((filename) => ({ filename, status: statusOf(before.has(filename), after.has(filename)) }));
    return { status: 200, body: { merge_base_commit: { sha: this.mergeBase(base, head) }, files } };
  }

  /** The nearest commit that both stand on, as far as their parents are known; else the first. */
  private mergeBase(base: string, head: string): string {
    const below = this.withAncestors(base);
    return [...this.withAncestors(head)].find((commit) => below.has(commit)) ?? base;
  }

  /** The nearest first. */
  private withAncestors(commit: string): ReadonlySet<string> {
    const found = new Set([commit]);
    for (const each of found) for (const parent of this.parents.get(each) ?? []) found.add(parent);
    return found;
  }

  private listing(trees: ReadonlyMap<string, readonly TreeEntry[]>, folder: string, recursive: boolean): Answer {
    const { entriesAtMost } = this.options;
    const own = trees.get(folder) ?? [];
    const below = recursive
      ? [...trees].flatMap(([path, entries]) => entries.map((entry) => ({ ...entry, path: joined(path, entry.path) })))
      : own;
    return {
      status: 200,
      body: { sha: treeId(own), tree: below.slice(0, entriesAtMost), truncated: below.length > entriesAtMost },
    };
  }

  private commitsOf(repository: GitRepository): ReadonlySet<string> {
    const known = this.known.get(repository) ?? new Set<string>();
    this.known.set(repository, known);
    for (const text of this.options.requests.flatMap((request) => request.match(/[0-9a-f]{40}/g) ?? []))
      if (repository.resolve(text) === text) known.add(text);
    const head = repository.head();
    if (head !== undefined) known.add(head.id);
    return known;
  }
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function statusOf(was: boolean, is: boolean): string {
  if (!was) return 'added';
  return is ? 'modified' : 'removed';
}

/** GitHub breaks base64 after sixty characters. */
function inLines(text: string): string {
  return text.replace(/.{60}/g, '$&\n');
}
