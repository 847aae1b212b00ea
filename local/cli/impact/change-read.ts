import type { FilesRead } from '../../../functions/core/routing/changed-file.ts';

/** A change, and the repository it would be pushed to. */
export interface ChangeRead {
  readonly files: FilesRead;
  /** Address of the repository; undefined if unknown. */
  readonly origin: string | undefined;
  /** Other names of it, as Applications may have them; absent: none is known. */
  readonly otherNames?: readonly string[] | undefined;
  readonly defaultBranch: string | undefined;
  /** What to do where it is not known, or another one than is said here. */
  readonly headRemedy: string;
  /** The branch that the change is merged into, where it is known by name; absent: it is not. */
  readonly branch?: string | undefined;
  /** Of a branch that is behind its base, why it is read alone: what merging it gives is not known. Absent: it is what
   *  was read. */
  readonly unmerged?: string | undefined;
}
