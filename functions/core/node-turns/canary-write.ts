import { selectorIn } from '../openshift/manifest-selector.ts';
import { type Membership, membershipOf, type SelectingPool } from '../openshift/membership.ts';
import type { Node } from '../openshift/node.ts';
import { byName } from '../text/by-name.ts';
import { stable } from '../text/stable.ts';

/** A selector as the API server has it, with whatever it says; undefined: there is none. */
export type RawSelector = unknown;

export function isSameSelector(a: RawSelector, b: RawSelector): boolean {
  return stable(a ?? null) === stable(b ?? null);
}

/** One write of mode canary: the labels of a node, in one patch, or the node selector of a pool. */
export type CanaryWrite =
  | {
      readonly kind: 'label-node';
      readonly node: string;
      /** Null: the label is removed. */
      readonly labels: Readonly<Record<string, string | null>>;
    }
  | { readonly kind: 'write-selector'; readonly pool: string; readonly selector: RawSelector };

/** The pools and nodes that a write is judged against. */
export interface LabelledCluster {
  readonly pools: readonly { readonly name: string; readonly nodeSelector: RawSelector }[];
  readonly nodes: readonly Pick<Node, 'name' | 'labels'>[];
}

/** The operator puts the selectors of these back at each of its syncs (4.12 to 4.21), or updates clusters by them. */
const keptSelectors: readonly string[] = ['worker', 'master', 'arbiter'];

/** Why a write must not be made; undefined: it may be. No node may be selected by two custom pools that was not before,
 *  and no node may change its pool but those that the write is about.
 *  @param moving names of the nodes that may change their pool */
export function refusedWrite(
  write: CanaryWrite,
  before: LabelledCluster,
  moving: ReadonlySet<string>,
): string | undefined {
  if (write.kind === 'write-selector' && keptSelectors.includes(write.pool))
    return `the node selector of ${write.pool} is never written: the operator puts it back`;
  const after = withWrite(before, write);
  if (after === undefined) return 'a node selector of a pool could not be read';
  const [then, now] = [selectingPools(before.pools), selectingPools(after.pools)];
  if (then === undefined || now === undefined) return 'a node selector of a pool could not be read';
  for (const [index, node] of after.nodes.entries()) {
    const old = membershipOf(before.nodes[index] ?? node, then);
    const next = membershipOf(node, now);
    if (stable(old) === stable(next)) continue;
    if (next.kind === 'several')
      return `it would put ${node.name} into two custom pools, ${next.pools.join(' and ')}: then the operator updates none`;
    if (!moving.has(node.name)) return `it would move ${node.name} from ${placeText(old)} to ${placeText(next)}`;
  }
  return undefined;
}

/** The pool of a node after the write; undefined: none, or two. */
export function poolAfter(
  write: CanaryWrite & { readonly kind: 'label-node' },
  before: LabelledCluster,
): string | undefined {
  const after = withWrite(before, write);
  const pools = selectingPools(after.pools);
  const node = byName(after.nodes, write.node);
  if (pools === undefined || node === undefined) return undefined;
  const membership = membershipOf(node, pools);
  return membership.kind === 'member' ? membership.pool : undefined;
}

/** The cluster as it is after the write. */
export function withWrite(cluster: LabelledCluster, write: CanaryWrite): LabelledCluster {
  switch (write.kind) {
    case 'label-node':
      return {
        ...cluster,
        nodes: cluster.nodes.map((node) =>
          node.name === write.node ? { ...node, labels: withLabels(node.labels, write.labels) } : node,
        ),
      };
    case 'write-selector':
      return {
        ...cluster,
        pools: cluster.pools.map((pool) =>
          pool.name === write.pool ? { ...pool, nodeSelector: write.selector } : pool,
        ),
      };
    default:
      return write satisfies never;
  }
}

/** Labels after a merge patch of them. */
export function withLabels(
  labels: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(labels).filter(([key]) => !Object.hasOwn(change, key));
  const added = Object.entries(change).flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
  return Object.fromEntries([...kept, ...added]);
}

/** The pools with their selectors as they are understood; undefined: one is not. */
export function selectingPools(pools: LabelledCluster['pools']): readonly SelectingPool[] | undefined {
  const read = pools.map(({ name, nodeSelector }) => ({ name, nodeSelector: selectorIn(nodeSelector) }));
  const understood = read.flatMap(({ name, nodeSelector }) =>
    nodeSelector === 'unreadable' ? [] : [{ name, nodeSelector }],
  );
  return understood.length === read.length ? understood : undefined;
}

function placeText(membership: Membership): string {
  switch (membership.kind) {
    case 'member':
      return membership.pool;
    case 'several':
      return `two custom pools (${membership.pools.join(', ')})`;
    case 'none':
      return 'no pool';
    default:
      return membership satisfies never;
  }
}
