import { inNoPool, inSeveralPools, onControlPlane } from '../diagnose/rules.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import type { Node } from '../openshift/node.ts';
import { listed } from '../text/phrases.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';
import type { Misplaced } from './misplaced.ts';
import type { PoolState } from './pool-state.ts';

/** Nodes that no pool counts, or not the expected one: they get no update, whatever the pools report. At most one
 *  trouble. */
export function misplacedNodes({ pool, misplaced, misplacedSince }: PoolState, input: JudgeInput): readonly Trouble[] {
  if (misplaced === undefined || misplacedSince === undefined) return [];
  const { inSeveral, inNone, onControlPlane: kept } = misplaced;
  const readAt = input.now.toISOString();
  const findings: readonly Finding[] = [
    ...(inSeveral.length > 0 ? [inSeveralPools(pool, inSeveral, readAt)] : []),
    ...(inNone.length > 0 ? [inNoPool(pool, inNone, readAt)] : []),
    ...(kept.length > 0 ? [onControlPlane(pool, kept, readAt)] : []),
  ];
  const names = [...inSeveral, ...inNone, ...kept].map(({ name }) => name).toSorted();
  return [
    makeTrouble({
      key: { cluster: input.cluster, pool: pool.name, kind: 'no-progress' },
      // The MCO documents that a control plane node stays in its pool.
      severity: inSeveral.length + inNone.length > 0 ? 'warning' : 'info',
      headline: headline(misplaced),
      since: misplacedSince,
      findings,
      facts: [{ label: names.length === 1 ? 'Node' : 'Nodes', value: listed(names, 5) }],
    }),
  ];
}

function headline({ inSeveral, inNone, onControlPlane: kept }: Misplaced): string {
  const them = (nodes: readonly Node[]) => (nodes.length === 1 ? 'it' : 'them');
  const named = (nodes: readonly Node[]) => listed(nodes.map(({ name }) => name).toSorted(), 2);
  if (inSeveral.length > 0)
    return `${named(inSeveral)} in more than one custom pool: no pool updates ${them(inSeveral)}`;
  if (inNone.length > 0) return `${named(inNone)} in no pool: not updated`;
  return `control plane ${kept.length === 1 ? 'node' : 'nodes'} ${named(kept)} selected: the pool never updates ${them(kept)}`;
}
