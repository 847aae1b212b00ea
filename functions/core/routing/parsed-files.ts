import type { FilesRead } from './changed-file.ts';
import type { ParsedFile } from './manifest-file.ts';

/** What a Git host said of a change, its texts read as manifests. */
export interface ParsedFiles extends Pick<FilesRead, 'tools' | 'folders' | 'incomplete'> {
  readonly files: readonly ParsedFile[];
}
