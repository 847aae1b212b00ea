import type { FilesRead } from '../../../functions/core/routing/changed-file.ts';

/** A change, and the repository it would be pushed to. */
export interface ChangeRead {
  readonly files: FilesRead;
  /** Address of the repository; undefined if unknown. */
  readonly origin: string | undefined;
  readonly defaultBranch: string | undefined;
}
