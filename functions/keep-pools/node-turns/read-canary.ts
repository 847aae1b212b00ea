import type { GateView } from '../../core/gates/gate-view.ts';
import type { CanarySeen, SeenPool } from '../../core/node-turns/canary-run.ts';
import { canariesOn } from '../../core/node-turns/canary-state.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { standingHolds } from '../../core/openshift/pool-record.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import { listed } from '../../core/text/phrases.ts';
import type { ClusterPorts } from '../keep-ports.ts';

/** What keeps pools from being resumed, by pool. */
export type ClosedGates = ReadonlyMap<string, readonly GateView[]>;

/** The selectors of the pools as they are. Throws Transient. */
export async function readCanary(
  pools: readonly Pool[],
  layered: ReadonlySet<string>,
  { nodeTurns }: Pick<ClusterPorts, 'nodeTurns'>,
  closed: ClosedGates = new Map(),
): Promise<CanarySeen> {
  if (nodeTurns === undefined) throw new Transient('selectors cannot be read here');
  const fresh = await nodeTurns.canary.listFreshPools();
  const seen = fresh.flatMap(({ name, nodeSelector }): readonly SeenPool[] => {
    const pool = byName(pools, name);
    return pool === undefined ? [] : [{ ...pool, nodeSelector, held: whyHeld(pool, closed.get(name) ?? []) }];
  });
  return { pools: seen, states: canariesOn(fresh), layered };
}

/** Why Poolkeeper has paused it; undefined: it has not. */
function whyHeld({ paused, record }: Pool, closed: readonly GateView[]): string | undefined {
  if (!paused || record.kind !== 'record' || record.record.pause !== 'ours') return undefined;
  const holds = standingHolds(record.record).map(({ why }) => why);
  const gates = closed.filter(({ unread }) => unread !== true).map(({ gate, why }) => `gate ${gate}: ${why}`);
  return listed(holds.length > 0 ? holds : gates, 2) || 'it is about to resume';
}
