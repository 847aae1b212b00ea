import { syncHoldId } from '../openshift/hold.ts';
import { affectedInSnapshot } from './affected-in-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** Applications that a push concerns but whose sync affects no pool, each with the reason, for people. Those that were
 *  not read manage nothing, as far as is known, that affects pools. */
export function affectingNoPool(snapshot: Snapshot): readonly { readonly about: string; readonly why: string }[] {
  const seen = new Map(
    snapshot.applications.flatMap((observed) =>
      observed.kind === 'seen' ? [[syncHoldId(observed.application), observed.application]] : [],
    ),
  );
  return [...snapshot.pushes].flatMap(([id, push]) => {
    const application = seen.get(id);
    if (application === undefined) return [{ about: id, why: nothingRendered }];
    const affected = affectedInSnapshot(application, snapshot).affected;
    if (affected.pools.length > 0) return [];
    return [{ about: id, why: push.because === undefined ? affected.why : `${push.because}; ${affected.why}` }];
  });
}

const nothingRendered =
  'it manages nothing that the Machine Config Operator renders, and the push is not known to add any of it';
