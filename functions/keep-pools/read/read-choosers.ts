import { isSyncing } from '../../core/argocd/application.ts';
import { decidesAlone } from '../../core/argocd/pools-annotation.ts';
import { renderedResources } from '../../core/impact/affected-pools.ts';
import { choosesPools } from '../../core/impact/pools-of-managed.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { PoolChooser } from '../../core/openshift/pool-chooser.ts';
import { Transient } from '../../core/text/errors.ts';
import { notAsked, type Observed, seen, unreadable } from '../../core/text/observed.ts';
import { unique } from '../../core/text/unique.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { ReadSoFar } from './read-machine-configs.ts';

/** How the cluster's objects select pools, for the kinds managed by Applications that sync or are pushed to: at most
 *  one list per kind, and none in a quiet tick. */
export async function readChoosers(
  { scope, pushes, applications }: Pick<ReadSoFar, 'scope' | 'pushes' | 'applications'>,
  { cluster, logger }: KeepPorts,
): Promise<Observed<readonly PoolChooser[]>> {
  const kinds = applications.flatMap((observed) => {
    if (observed.kind !== 'seen') return [];
    const { application } = observed;
    if (decidesAlone(application.named)) return [];
    if (!isSyncing(application) && !pushes.has(syncHoldId(application))) return [];
    return renderedResources(application)
      .filter(choosesPools)
      .map(({ kind }) => kind);
  });
  if (kinds.length === 0) return notAsked;
  try {
    const { renderings } = await cluster(scope.cluster.name);
    return seen(await renderings.readChoosers(unique(kinds)));
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('what chooses pools could not be read', { cluster: scope.cluster.name, why: cause.message });
    return unreadable(cause.message);
  }
}
