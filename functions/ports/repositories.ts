import type { ChangedPaths, FilesRead } from '../core/routing/changed-file.ts';

/** Files of the repositories that pushes and pull requests are about. Nothing is kept beyond the answer. */
export interface Repositories {
  /** The files that differ between two commits, with both versions. Never throws if the host does not answer, refuses
   *  or is too slow: what is missing is `unread`, and `incomplete` has the reason, so that unknown counts as a
   *  match; `keptBackSeconds` says when to ask again, if a rate limit or a failure of the host was why. */
  readChange(question: ChangeQuestion): Promise<FilesRead>;
}

/** Names of the files of repositories. */
export interface RepositoryPaths {
  /** What differs between two commits. Never throws, as `readChange`. */
  readPaths(question: ChangeQuestion): Promise<ChangedPaths>;
}

/** What repositories are called. */
export interface RepositoryNames {
  /** Whether the Git host that is asked has this repository, `host/owner/name`, by its address. */
  isAsked(name: string): boolean;
  /** Whether the answer, or a refusal, is at hand, so that nobody is asked. */
  isKept(name: string): boolean;
  /** What is behind that name now; undefined: nothing, or it may not be read. Throws Transient and Misconfigured. */
  nameNow(name: string): Promise<string | undefined>;
}

export interface ChangeQuestion {
  /** `owner/name`. */
  readonly fullName: string;
  /** Commit; forty zeros for a new branch. */
  readonly before: string;
  /** Commit; forty zeros for a deleted branch. */
  readonly after: string;
  /** The changed files according to the push, if that list is complete; undefined: compare the two trees. */
  readonly paths: readonly string[] | undefined;
  /** Source paths of the Applications in question: their tools are detected even in a repository that is too large for
   *  one listing. Absent: such an answer is incomplete. */
  readonly folders?: readonly string[] | undefined;
}
