import { count, mapping, matching, type Values } from './fields.ts';

const poolsAtOnce = () => count(1, 10_000).optional();

/** Kubernetes writes shares so too. */
const share = () => matching(/^(?:100|[1-9]\d?)%$/, 'must be a share from 1% to 100%, like 10%').optional();

/** How much of one cluster may roll at once. */
export const ClusterBudget = mapping({
  pools: poolsAtOnce().describe('At most this many pools of the cluster roll at once.'),
  nodes: share().describe(
    'At most this share of the nodes of the cluster is updated at once, and one node in any case.',
  ),
});

/** How much of all clusters together may roll at once. */
export const FleetBudget = mapping({
  clusters: count(1, 10_000).optional().describe('Pools of at most this many clusters roll at once.'),
  pools: poolsAtOnce().describe('At most this many pools roll at once.'),
  nodes: share().describe('At most this share of all nodes is updated at once, and one node in any case.'),
});
export type FleetBudget = Values<typeof FleetBudget>;

/** What holds for one cluster: its own budget, and that of all. */
export const Budget = mapping({ ...ClusterBudget.shape, fleet: FleetBudget.optional() });
export type Budget = Values<typeof Budget>;
