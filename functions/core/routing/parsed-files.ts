import type { FilesRead } from './changed-file.ts';
import type { ParsedFile } from './manifest-file.ts';

/** A change as reported by the Git host, with its texts parsed as manifests. */
export interface ParsedFiles extends Pick<FilesRead, 'tools' | 'folders' | 'incomplete'> {
  readonly files: readonly ParsedFile[];
}
