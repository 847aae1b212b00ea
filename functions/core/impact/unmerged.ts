import { type FilesRead, hasRenderingTool } from '../routing/changed-file.ts';
import { hasContent, mayBringRendered, type Unjudged } from './unjudged.ts';

/** What is not judged of a branch that is behind its base, where nobody knows what merging it gives, so that the branch
 *  alone was read. The base may have moved a folder since, or an Application may follow it only now: what nobody
 *  deploys from the branch, the merge may bring to nodes.
 *  @param why nobody knows it */
export function unjudgedMerge(base: string, why: string, read: FilesRead): readonly Unjudged[] {
  if (!hasContent(read)) return [];
  const mayBring = mayBringRendered(read) || hasRenderingTool(read);
  return [{ path: `merge into ${base}`, why, isFile: false, isMerge: true, mayBring }];
}
