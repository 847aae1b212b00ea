import type { Listed } from '../core/findings/listed.ts';
import { hasContent, mayBringRendered } from '../core/impact/unjudged.ts';
import type { UnreadableInPreview } from '../core/preview/preview.ts';
import { type FilesRead, hasRenderingTool } from '../core/routing/changed-file.ts';
import type { InstanceSeen } from './argocd-instances.ts';
import type { EarlierNames } from './earlier-names.ts';

/** What was asked for a pull request, whoever has answered. */
interface AskedForPull {
  readonly files: FilesRead;
  readonly earlier: EarlierNames;
  /** The Argo CD instances that answered. */
  readonly instances: readonly InstanceSeen[];
  /** Names of those that did not. */
  readonly silent: readonly string[];
}

/** What could not be read of all that the change may concern, but for clusters and their pools. */
export function unreadableInPull({ files, earlier, instances, silent }: AskedForPull): readonly UnreadableInPreview[] {
  const mayReboot = mayBringRendered(files);
  const unlisted = mayReboot ? instances.flatMap(({ unlistedSets }) => unlistedSets) : [];
  return [
    ...silent.map((name) => ({ what: 'Argo CD' as const, name, mayReboot })),
    // Never by name: it is that of somebody else's repository.
    ...Array.from({ length: namesThatMatter(earlier, files) }, () => unlearntName),
    ...unlisted.map((name) => ({ what: 'ApplicationSet list' as const, name, mayReboot: true })),
    ...unreadableObjects(
      'Application',
      instances.flatMap(({ listed }) => listed.unreadable),
      files,
    ),
    ...unreadableObjects(
      'ApplicationSet',
      instances.flatMap(({ unreadableSets }) => unreadableSets),
      files,
    ),
  ];
}

const unlearntName = { what: 'repository name', name: '', mayReboot: false } as const;

/** Whoever follows the repository by a name that could not be learnt may render nodes' files from any of a change:
 *  where names are refused, which stays so, this counts only where a tool renders anything in the repository. */
function namesThatMatter({ unanswered, unlearnt }: EarlierNames, read: FilesRead): number {
  if (!hasContent(read)) return 0;
  return unanswered + (mayBringRendered(read) || hasRenderingTool(read) ? unlearnt : 0);
}

/** An Application that cannot be parsed may deploy any part of any change, and one that is generated as well. Whoever
 *  may write one may break it: it deserves a comment only where a file may bring what the MCO renders. */
function unreadableObjects(
  what: 'Application' | 'ApplicationSet',
  items: Listed<unknown>['unreadable'],
  read: FilesRead,
): readonly UnreadableInPreview[] {
  if (items.length === 0 || !hasContent(read)) return [];
  const mayReboot = mayBringRendered(read);
  return items.map(({ namespace, name }) => ({ what, name: `${namespace}/${name}`, mayReboot }));
}
