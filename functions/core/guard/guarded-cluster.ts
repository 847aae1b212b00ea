import type { Pool } from '../openshift/pool.ts';
import { fingerprint } from '../text/fingerprint.ts';
import type { Guard } from './guard-record.ts';

/** A cluster as its guards name it. Another Poolkeeper with the same Argo CD may call another cluster by its name. */
export interface GuardedCluster {
  /** Its name in the configuration. */
  readonly cluster: string;
  /** Its id, and then the one that it had before, if that is another; undefined: which it has cannot be told, and its
   *  name has to do. */
  readonly ids?: readonly string[] | undefined;
}

/** The pools of a cluster, as a pass has read them. */
interface ReadPools {
  readonly pools: readonly Pool[];
  readonly unreadablePools?: readonly string[] | undefined;
}

/** OpenShift's own, which nobody deletes: one of them stands for its cluster. */
const lasting = ['master', 'worker'];

/** Hexadecimal digits: each guard has them, and its record has little room. */
const digits = 8;

/** What tells a cluster from others: the UID of one of its pools, shortened. Every pass reads the pools anyway, and a
 *  cluster that is installed anew has others. Undefined: the pool that stands for it may be one that cannot be
 *  parsed, or there is none. */
export function idOfCluster({ pools, unreadablePools = [] }: ReadPools): string | undefined {
  const [first] = pools.toSorted((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
  if (first === undefined || unreadablePools.length > 0) return undefined;
  return fingerprint(first.uid).slice(0, digits);
}

function rank(pool: string): number {
  const place = lasting.indexOf(pool);
  return place < 0 ? lasting.length : place;
}

/** Its id, and the one that an earlier pass has stored. */
export function idsOfCluster(read: ReadPools, stored: string | undefined): readonly string[] {
  const ids = [idOfCluster(read), stored].filter((id) => id !== undefined);
  return [...new Set(ids)];
}

/** It is a guard of this cluster: by name, and by id unless an earlier version has written it without one. */
export function isOfCluster(guard: Pick<Guard, 'cluster' | 'clusterId'>, { cluster, ids }: GuardedCluster): boolean {
  if (guard.cluster !== cluster) return false;
  return ids === undefined || guard.clusterId === undefined || ids.includes(guard.clusterId);
}

/** It is a guard of another cluster that is called by the same name. */
export function isOfNamesake(guard: Pick<Guard, 'cluster' | 'clusterId'>, of: GuardedCluster): boolean {
  return guard.cluster === of.cluster && !isOfCluster(guard, of);
}
