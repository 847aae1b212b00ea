import type { FilesRead } from './changed-file.ts';
import type { ParsedFile } from './manifest-file.ts';

/** The files of a push as the Git host reported them, with their texts parsed as manifests. */
export interface ParsedFiles extends Pick<FilesRead, 'tools' | 'folders' | 'included' | 'incomplete'> {
  readonly files: readonly ParsedFile[];
}
