import type { ClusterSettings } from '../configuration/cluster.ts';
import type { Window } from '../configuration/window.ts';
import { unique } from '../text/unique.ts';
import { windowsFor } from './openings.ts';

/** Pools of a cluster that the same windows are for. */
export interface PoolsWithWindows {
  /** Words for them, by their name or labels. */
  readonly pools: string;
  /** Undefined: those that no window names. */
  readonly name: string | undefined;
  readonly windows: readonly Window[];
}

const otherPools = 'every other pool';

/** By what the configuration names: pools, labels of pools, pools with such labels, and all others. Those without a
 *  window are left out. */
export function poolsWithWindows({
  pools,
  windows: all = [],
}: Pick<ClusterSettings, 'pools' | 'windows'>): readonly PoolsWithWindows[] {
  const withOwn = new Set(all.flatMap((window) => window.pools));
  const names = unique([...Object.keys(pools), ...withOwn]).toSorted();
  const labelled = new Map(all.map(({ labels }) => [labelsText(labels), labels]));
  labelled.delete('');
  const groups = [
    ...names.flatMap((name) => [
      { pools: name, name, labels: {} },
      // Whether a pool has labels only its cluster knows.
      ...(withOwn.has(name) ? [...labelled] : []).map(([text, labels]) => ({
        pools: `${name}, if labelled ${text}`,
        name,
        labels,
      })),
    ]),
    ...[...labelled].map(([text, labels]) => ({ pools: `pools labelled ${text}`, name: undefined, labels })),
    { pools: otherPools, name: undefined, labels: {} },
  ];
  return groups.flatMap(({ pools: words, name, labels }) => {
    const windows = windowsFor(all, { name: name ?? '', labels });
    const plain = windowsFor(all, { name: name ?? '', labels: {} });
    const isSame = labelsText(labels) !== '' && windows.length === plain.length;
    return windows.length === 0 || isSame ? [] : [{ pools: words, name, windows }];
  });
}

function labelsText(labels: Window['labels']): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(', ');
}
