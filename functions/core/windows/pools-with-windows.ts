import type { ClusterSettings } from '../configuration/cluster.ts';
import type { Window } from '../configuration/window.ts';
import { windowsFor } from './openings.ts';

/** Pools of a cluster that the same windows are for. */
export interface PoolsWithWindows {
  /** The name of a pool, or words for those that no name stands for. */
  readonly pools: string;
  readonly windows: readonly Window[];
}

export const otherPools = 'every other pool';

/** By what the configuration names: pools, labels of pools, and all others. Those without a window are left out. */
export function poolsWithWindows({
  pools,
  windows: all = [],
}: Pick<ClusterSettings, 'pools' | 'windows'>): readonly PoolsWithWindows[] {
  const names = [...new Set([...Object.keys(pools), ...all.flatMap((window) => window.pools)])].toSorted();
  const labelled = new Map(all.map(({ labels }) => [labelsText(labels), labels]));
  labelled.delete('');
  const groups = [
    ...names.map((name) => ({ pools: name, name, labels: {} })),
    ...[...labelled].map(([text, labels]) => ({ pools: `pools labelled ${text}`, name: '', labels })),
    { pools: otherPools, name: '', labels: {} },
  ];
  return groups
    .map(({ pools: shown, ...pool }) => ({ pools: shown, windows: windowsFor(all, pool) }))
    .filter(({ windows }) => windows.length > 0);
}

function labelsText(labels: Window['labels']): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(', ');
}
