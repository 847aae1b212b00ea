import { byFolder } from '../../core/routing/by-folder.ts';

/** From the root of the repository, without `.`, `..` and surrounding slashes; the root is empty. */
export function placeOf(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** Whether a path is in one of the folders, or below it: thousands of them are asked about tens of thousands of paths. */
export function inAnyOf(folders: readonly string[]): (path: string) => boolean {
  const all = byFolder(folders, (folder) => folder);
  const isRoot = folders.includes('');
  return (path) => isRoot || (path.includes('/') && all.atOrAbove(folderOf(path)).length > 0);
}
