import { unique } from '../../../functions/core/text/unique.ts';
import { limitNames } from '../../manifests/admission-limit.ts';
import type { Grants } from './grants.ts';
import { type NamedLimit, optionsAsPrinted } from './limit-as-printed.ts';

/** What a policy refuses of what the configuration needs, as it was printed for something else: for another level, or
 *  for other pools. Nothing where it is not as printed for anything. */
export function refusedBy(seen: NamedLimit, grants: Grants): readonly string[] {
  const printedFor = optionsAsPrinted(seen);
  if (printedFor === undefined) return [];
  const { guardsIn = [], restartsIn = [], canaries = { labels: [], selectors: [] } } = grants;
  const beyond = (needed: readonly string[], admitted: readonly string[] = []) =>
    needed.filter((each) => !admitted.includes(each));
  switch (seen.limit) {
    case limitNames.applications:
      return [
        ...(guardsIn.length > 0 && printedFor.guardsSyncs !== true ? ['refreshes, for level guard'] : []),
        ...(restartsIn.length > 0 && printedFor.restartsSyncs !== true
          ? ['starting refused syncs again, for policy.onRefusedSync']
          : []),
      ];
    case limitNames.pools: {
      const { pools, canaries: admitted } = printedFor;
      // Others that are held may be another installation's.
      const kept = grants.pools;
      return [
        ...named('pausing', pools.length > 0 ? beyond(kept, pools) : (grants.required ?? [])),
        ...named('the node selector of', beyond(canaries.selectors, admitted?.selectors)),
      ];
    }
    case limitNames.nodes:
      return named('the labels of nodes', beyond(canaries.labels, printedFor.canaries?.labels));
    default:
      return [];
  }
}

function named(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what} ${unique(names).join(', ')}`];
}
