import { everyName, type UnreadableItem } from '../findings/listed.ts';
import type { Warning } from '../machine-config/disruption.ts';
import type { FilesRead } from '../routing/changed-file.ts';
import { hasContent, mayBringRendered, type Unjudged } from './unjudged.ts';

/** An Application that could not be parsed, or a namespace whose Applications could not be listed. */
export interface UnreadApplication extends UnreadableItem {
  /** What it deploys was parsed: it is judged by that, as one that Argo CD has not compared yet. */
  readonly isSpecRead: boolean;
}

/** What of a change is not judged because of them: each whose spec is not known may deploy any part of it. */
export function unjudgedUnread(unread: readonly UnreadApplication[], read: FilesRead): readonly Unjudged[] {
  if (!hasContent(read)) return [];
  const mayBring = mayBringRendered(read);
  return unread
    .filter(({ isSpecRead }) => !isSpecRead)
    .map((each) => ({ path: titleOf(each), why: `${each.why}, and ${deploysUnknown}`, isFile: false, mayBring }));
}

/** What is to be said of all others, so that none is left out.
 *  @param unjudged what of the change is not judged because of them */
export function warningsOfUnread(
  unread: readonly UnreadApplication[],
  unjudged: readonly Pick<Unjudged, 'path'>[],
): readonly Warning[] {
  const told = new Set(unjudged.map(({ path }) => path));
  return unread
    .filter((each) => !told.has(titleOf(each)))
    .map((each) => ({
      code: 'application-unreadable',
      text: `${titleOf(each)} ${each.why}, and ${each.isSpecRead ? 'is judged by its spec alone' : deploysUnknown}`,
      remedy:
        each.name === everyName
          ? 'Grant the right to list Applications there, or take the namespace out of poolkeeper.yaml'
          : 'Ask its owner to correct what it says there',
    }));
}

const deploysUnknown = 'what that deploys is not known';

function titleOf({ namespace, name }: UnreadApplication): string {
  return name === everyName ? `Applications of namespace ${namespace}` : `Application ${namespace}/${name}`;
}
