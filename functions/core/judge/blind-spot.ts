import type { TroubleKey, TroubleKind } from '../findings/trouble.ts';

/** What this pass could not observe. An incident in this scope without a trouble is not resolved: cannot see is not
 *  fine. */
export interface BlindSpot {
  readonly cluster: string;
  /** Pool name, or `*` for every pool of the cluster. */
  readonly pool: string;
  /** `all`: of what is in the cluster. */
  readonly kinds: 'all' | readonly TroubleKind[];
  readonly why: string;
}

/** Always observable: being blind is known without any read, and failing targets do not depend on the cluster. */
const alwaysSeen: readonly TroubleKind[] = ['watcher-blind', 'notify-failing'];

/** About machines outside: of these only a scope that names them says that they were not seen. */
const inNoCluster: readonly TroubleKind[] = ['lock-overdue'];

export function isInBlindSpot(scopes: readonly BlindSpot[], key: TroubleKey): boolean {
  if (alwaysSeen.includes(key.kind)) return false;
  return scopes.some(
    (scope) =>
      scope.cluster === key.cluster &&
      (scope.pool === '*' || scope.pool === key.pool) &&
      (scope.kinds === 'all' ? !inNoCluster.includes(key.kind) : scope.kinds.includes(key.kind)),
  );
}
