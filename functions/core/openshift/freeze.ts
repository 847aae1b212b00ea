import type { Hold } from './hold.ts';

/** What a freeze covers: one pool, every pool of a cluster, or every pool of the clusters that it was asked for. */
export type FreezeScope = 'pool' | 'cluster' | 'fleet';

const scopes: readonly FreezeScope[] = ['pool', 'cluster', 'fleet'];

/** One freeze per person and scope: freezing again moves its end. */
export function freezeId(scope: FreezeScope, who: string): string {
  return `freeze/${scope}/${who}`;
}

/** Undefined for the id of another kind of hold. */
export function scopeOfFreeze(id: string): FreezeScope | undefined {
  const [kind, scope] = id.split('/');
  return kind === 'freeze' ? scopes.find((each) => each === scope) : undefined;
}

/** It covers pools that appear later, too: each pool of the cluster carries it for all others. */
export function coversCluster(id: string): boolean {
  const scope = scopeOfFreeze(id);
  return scope === 'cluster' || scope === 'fleet';
}

export function freezesIn({ holds }: { readonly holds: readonly Hold[] }): readonly Hold[] {
  return holds.filter(({ kind }) => kind === 'freeze');
}
