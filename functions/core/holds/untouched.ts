import { poolsAffectedBySync } from '../impact/pools-affected-by-sync.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Snapshot } from './snapshot.ts';

/** Applications that a push concerns and that reach no pool, with the reason; those that were not read have nothing
 *  to do with pools as far as is known. */
export function untouched(snapshot: Snapshot): readonly { readonly about: string; readonly why: string }[] {
  const seen = new Map(
    snapshot.applications.flatMap((observed) =>
      observed.kind === 'seen' ? [[syncHoldId(observed.application), observed.application]] : [],
    ),
  );
  return [...snapshot.pushes].flatMap(([id, push]) => {
    const application = seen.get(id);
    if (application === undefined) return [{ about: id, why: nothingRendered }];
    const touch = poolsAffectedBySync(application, snapshot, { push, change: snapshot.changes.get(id) });
    if (touch.pools.length > 0) return [];
    return [{ about: id, why: push.because === undefined ? touch.why : `${push.because}; ${touch.why}` }];
  });
}

const nothingRendered =
  'it manages nothing that the Machine Config Operator renders, and nothing of the kind is known to come';
