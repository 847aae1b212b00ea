import type { UnreadableItem } from '../../../functions/core/findings/listed.ts';
import type { ObservedCluster } from '../../../functions/core/judge/input.ts';
import type { PoolState } from '../../../functions/core/judge/pool-state.ts';
import { membersOf, renderedFor } from '../../../functions/core/openshift/membership.ts';
import type { Node } from '../../../functions/core/openshift/node.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import type { ReadNodes } from '../../../functions/keep-pools/read/read-nodes.ts';
import type { AskedNode } from './explanation.ts';

/** Where a node is that is asked for. */
export interface Home {
  readonly pool: Pool;
  readonly node: Node;
  readonly members: readonly Node[];
}

/** Undefined: no node is asked for, or it is a member of no pool that was read. */
export function homeOf(name: string | undefined, { pools }: Pick<ObservedCluster, 'pools'>): Home | undefined {
  if (name === undefined || pools.kind !== 'seen') return undefined;
  const all = pools.value.map(({ pool }) => pool);
  const homes = pools.value.flatMap(({ pool, nodes }) => {
    const members = nodes.kind === 'seen' ? membersOf(pool, all, nodes.value) : [];
    const node = members.find((each) => each.name === name);
    return node === undefined ? [] : [{ pool, node, members }];
  });
  return homes[0];
}

/** A node that no pool updates, and the pools that are told so: it is in several, or was in theirs. Throws
 *  Misconfigured where it is not there, is none of theirs, or cannot be read. */
export function outsideNode(
  name: string,
  { nodes, unreadable }: ReadNodes,
  { states, invalidPools }: { readonly states: readonly PoolState[]; readonly invalidPools: readonly UnreadableItem[] },
): { readonly node: AskedNode; readonly pools: readonly string[] } {
  const refused = (why: string) => new Misconfigured([`--node ${name}: ${why}`]);
  const invalid = unreadable.find((each) => each.name === name);
  if (invalid !== undefined) throw refused(`it cannot be parsed (${invalid.why})`);
  if (nodes.kind !== 'seen')
    throw refused(`the nodes cannot be read${nodes.kind === 'unreadable' ? ` (${nodes.why})` : ''}`);
  const node = nodes.value.find((each) => each.name === name);
  if (node === undefined) throw refused('no such node was found');
  const pools = states
    .filter(({ misplaced }) => misplaced !== undefined && Object.values(misplaced).flat().includes(node))
    .map(({ pool }) => pool.name);
  const owner = invalidPools.find(({ name: pool }) => pool === renderedFor(node.desiredConfig));
  if (owner !== undefined) throw refused(`it has a configuration of pool ${owner.name}, which ${owner.why}`);
  if (pools.length === 0) throw refused('no pool of the cluster selects it, or that pool was not read');
  return { node: { node: name, state: node.state, symptom: undefined, place: 'outside', findings: [] }, pools };
}
