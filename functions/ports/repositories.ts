import type { FilesRead } from '../core/routing/changed-file.ts';

/** Files of the repositories that pushes and pull requests are about. Nothing of them is kept beyond the answer. */
export interface Repositories {
  /** The files that differ between two commits, at both. Never throws for what the host does not answer, refuses or
   *  takes too long over: what is missing is `unread`, and `incomplete` says why, so that unknown counts as a match. */
  readChange(question: ChangeQuestion): Promise<FilesRead>;
}

export interface ChangeQuestion {
  /** `owner/name`. */
  readonly fullName: string;
  /** Commit; forty zeros for a branch that is new. */
  readonly before: string;
  /** Commit; forty zeros for a branch that is deleted. */
  readonly after: string;
  /** What the push lists as changed, where it can be trusted to be whole; undefined: the two trees are compared. */
  readonly paths: readonly string[] | undefined;
  /** Source paths of the Applications in question: which tool is at work there is told even in a repository that is
   *  too large for one listing. Absent: such an answer is incomplete. */
  readonly folders?: readonly string[] | undefined;
}
