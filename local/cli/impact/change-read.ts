import type { FilesRead } from '../../../functions/core/routing/changed-file.ts';

/** A change, and where it would be pushed to. */
export interface ChangeRead {
  readonly files: FilesRead;
  /** Address of the repository; undefined where it is not known. */
  readonly origin: string | undefined;
  readonly defaultBranch: string | undefined;
}
