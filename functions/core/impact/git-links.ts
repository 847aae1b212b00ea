import type { ToolFolder } from '../routing/changed-file.ts';
import type { ParsedFile } from '../routing/manifest-file.ts';

/** Paths of the symbolic links at either revision. */
export function linksIn(tools: readonly ToolFolder[]): readonly string[] {
  return tools.flatMap(({ tool, folder }) => (tool === 'link' ? [folder] : []));
}

/** Changed files that are submodules: any file may be below them, and none is read. */
export function changedSubmodules(files: readonly ParsedFile[], tools: readonly ToolFolder[]): readonly ParsedFile[] {
  const submodules = new Set(tools.flatMap(({ tool, folder }) => (tool === 'submodule' ? [folder] : [])));
  return submodules.size === 0 ? [] : files.filter(({ path }) => submodules.has(path));
}

/** A folder is reached through a link, or is in a submodule. Neither has files below it in a listing. */
export function isThrough(at: string, folder: string): boolean {
  return folder === at || folder.startsWith(`${at}/`);
}

/** Whoever reads the folder with everything below it comes across the link or the submodule. */
export function meets(at: string, folder: string): boolean {
  return folder === '' || at.startsWith(`${folder}/`) || isThrough(at, folder);
}
