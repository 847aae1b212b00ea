import type { Pool } from '../openshift/pool.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { unique } from '../text/unique.ts';
import type { Guard } from './guard-record.ts';

/** A cluster as its guards name it. Another Poolkeeper with the same Argo CD may call another cluster by its name. */
export interface GuardedCluster {
  /** Its name in the configuration. */
  readonly cluster: string;
  /** Its id, and then those that its guards may have from before; undefined: which it has cannot be told, and its name
   *  has to do. */
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

/** Ids that the guards of a cluster may carry, as earlier passes have stored them. */
interface StoredIds {
  /** The only one, once guards with another one were taken over. */
  readonly clusterId?: string | undefined;
  /** All of them until then, the newest first. */
  readonly guardIds?: readonly string[] | undefined;
}

/** The newest first. */
export function idsStored({ clusterId, guardIds = [] }: StoredIds): readonly string[] {
  return unique(clusterId === undefined ? guardIds : [...guardIds, clusterId]);
}

/** Its id, and those that earlier passes have stored. */
export function idsOfCluster(read: ReadPools, stored: StoredIds): readonly string[] {
  const id = idOfCluster(read);
  return unique(id === undefined ? idsStored(stored) : [id, ...idsStored(stored)]);
}

/** Whoever installs a cluster anew that often, before its guards could be taken over once, is told of the rest. */
const idsAtMost = 8;

/** What a pass stores of them.
 *  @param ids the newest first
 *  @param areTakenOver no guard of the cluster carries any but the first */
export function idsToStore(
  ids: readonly string[],
  { areTakenOver, before }: { readonly areTakenOver: boolean; readonly before: StoredIds },
): StoredIds {
  if (areTakenOver) return { clusterId: ids[0] ?? before.clusterId, guardIds: undefined };
  const isOnly = ids.length === 0 || (ids.length === 1 && ids[0] === before.clusterId);
  return { clusterId: before.clusterId, guardIds: isOnly ? undefined : ids.slice(0, idsAtMost) };
}

/** It is a guard of this cluster: by name, and by id unless it has none. */
export function isOfCluster(guard: Pick<Guard, 'cluster' | 'clusterId'>, { cluster, ids }: GuardedCluster): boolean {
  if (guard.cluster !== cluster) return false;
  return ids === undefined || guard.clusterId === undefined || ids.includes(guard.clusterId);
}

/** It is a guard of another cluster that is called by the same name. */
export function isOfNamesake(guard: Pick<Guard, 'cluster' | 'clusterId'>, of: GuardedCluster): boolean {
  return guard.cluster === of.cluster && !isOfCluster(guard, of);
}
