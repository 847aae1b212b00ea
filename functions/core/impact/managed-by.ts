import type { Application } from '../argocd/application.ts';
import { isHome } from '../argocd/is-home.ts';
import { objectKey } from '../argocd/object-key.ts';
import type { Managed } from '../machine-config/cause-of-render.ts';
import { isLaterSecond } from '../text/instant.ts';
import { unique } from '../text/unique.ts';
import { renderedResources } from './affected-pools.ts';
import { mayDiffer } from './may-differ.ts';

/** What an Application manages that the MCO reads, and the commits that its sources are synced to. A resource
 *  `differs` if the cluster may not have it as Git does.
 *  @param home namespace of its Argo CD; undefined: not known */
export function managedBy(application: Application, home?: string): Managed {
  const { namespace, name, sync, resources } = application;
  const first = new Map(resources.toReversed().map((each) => [objectKey(each), each]));
  const written = writtenSince(application);
  return {
    application: `${namespace}/${name}`,
    isAtHome: isHome(namespace, home),
    revisions: unique(sync.revisions.filter((each) => each !== '')),
    resources: renderedResources(application).map((each) => {
      const own = first.get(objectKey(each));
      const { group, kind, name: resource } = each;
      const differs = own !== undefined && !written.has(objectKey(each)) && mayDiffer(own, application);
      return { group, kind, name: resource, differs };
    }),
  };
}

/** What the newest sync wrote at the commit compared with, while `status.resources` may still be of before: the MCO
 *  renders a change within seconds, and Argo CD may compare only when the sync is over. */
function writtenSince({ operation, sync, reconciledAt }: Application): ReadonlySet<string> {
  const { revisions = [], finishedAt, dryRun, results = [] } = operation ?? {};
  const isOther = dryRun === true || revisions.length === 0 || revisions.join() !== sync.revisions.join();
  const isCompared = finishedAt !== undefined && isLaterSecond(reconciledAt ?? '', finishedAt);
  if (isOther || isCompared) return new Set();
  return new Set(results.filter(({ status }) => status === 'Synced').map(objectKey));
}
