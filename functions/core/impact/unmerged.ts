import { belowAnyOf } from '../routing/by-folder.ts';
import { type ChangedPaths, type FilesRead, folderOf, hasRenderingTool, toolOfFile } from '../routing/changed-file.ts';
import { hasContent, isForPeople, mayBringRendered, type Unjudged } from './unjudged.ts';

/** What is not judged of a branch that is behind its base, where nobody knows what merging it gives. The base may have
 *  moved a folder since, or an Application may follow it only now: what nobody deploys from the branch, the merge may
 *  bring to nodes.
 *  @param why nobody knows it */
export function unjudgedMerge(base: string, why: string, read: FilesRead): readonly Unjudged[] {
  if (!hasContent(read)) return [];
  const mayBring = mayBringRendered(read) || hasRenderingTool(read);
  return [{ path: `merge into ${base}`, why, isFile: false, isMerge: true, mayBring }];
}

/** Whether what a base has changed since may let merging a change give anything else than the change itself: it has
 *  changed something in the same folders, moved one of them, or changed what is rendered by a tool. */
export function mayMeet({ files }: FilesRead, { paths, vanished, incomplete }: ChangedPaths): boolean {
  const others = paths.filter((path) => !isForPeople(path));
  if (incomplete !== undefined || others.some((path) => toolOfFile(path) !== undefined)) return true;
  const folders = new Set(others.map(folderOf));
  const isGone = belowAnyOf(vanished);
  return files.some(({ path }) => folders.has(folderOf(path)) || isGone(path));
}
