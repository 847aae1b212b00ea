import type { Application } from '../argocd/application.ts';
import { refusedPoolsOf } from '../argocd/refused-sync.ts';
import type { AffectedPools } from '../impact/affected-pools.ts';
import { poolsAffectedBySync } from '../impact/pools-affected-by-sync.ts';
import { syncHoldId } from '../openshift/hold.ts';
import { refusingPools } from '../openshift/managed-pools.ts';
import { oncePer } from '../text/once-per.ts';
import { type ExpectedApplication, poolsOfExpected } from './new-applications/expected-application.ts';
import type { Snapshot } from './snapshot.ts';

/** Pools that an Application affects. */
export interface AffectedInSnapshot {
  /** By its sync, or by the push of this pass. */
  readonly affected: AffectedPools;
  /** Pools because of which the admission level refused its sync. */
  readonly refused: readonly string[];
}

/** Every pool asks it of every Application, and it takes time by how much the Application says that it manages: it is
 *  found out once for a snapshot. */
export function affectedInSnapshot(application: Application, snapshot: Snapshot): AffectedInSnapshot {
  return affectedIn(snapshot)(application);
}

const affectedIn = oncePer(
  (snapshot: Snapshot) => oncePer((application: Application) => affectedBy(application, snapshot), new WeakMap()),
  new WeakMap(),
);

/** The same of an Application that the push of this pass will create: who writes into one repository may have it make
 *  hundreds of them, each of hundreds of MachineConfigs. */
export function affectedByExpected(expected: ExpectedApplication, snapshot: Snapshot): AffectedPools {
  return expectedIn(snapshot)(expected);
}

const expectedIn = oncePer(
  (snapshot: Snapshot) => oncePer((each: ExpectedApplication) => poolsOfExpected(each, snapshot), new WeakMap()),
  new WeakMap(),
);

function affectedBy(application: Application, snapshot: Snapshot): AffectedInSnapshot {
  const id = syncHoldId(application);
  const pushed = { push: snapshot.pushes.get(id), change: snapshot.changes.get(id) };
  return {
    affected: poolsAffectedBySync(application, snapshot, pushed),
    refused: refusedPoolsOf(application, refusingPools(snapshot.settings)),
  };
}
