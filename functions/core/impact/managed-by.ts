import type { Application } from '../argocd/application.ts';
import type { Managed } from '../machine-config/cause-of-render.ts';
import { renderedResources } from './affected-pools.ts';
import { mayDiffer } from './may-differ.ts';

/** What an Application manages that the MCO reads, and the commit that it is synced to (empty: none). A resource
 *  `differs` if the cluster may not have it as Git does. */
export function managedBy(application: Application): Managed {
  const { namespace, name, sync, resources } = application;
  const first = new Map(resources.toReversed().map((each) => [`${each.kind}/${each.name}`, each]));
  return {
    application: `${namespace}/${name}`,
    revision: sync.revisions[0] ?? '',
    resources: renderedResources(application).map((each) => {
      const own = first.get(`${each.kind}/${each.name}`);
      const { group, kind, name: resource } = each;
      return { group, kind, name: resource, differs: own !== undefined && mayDiffer(own, application) };
    }),
  };
}
