import type { Pool } from '../../../functions/core/openshift/pool.ts';
import type { Clock } from '../../../functions/ports/time.ts';
import { type FakePools, fakePools } from '../../fakes/fake-pools.ts';
import type { Faults } from '../../fakes/faults.ts';
import { aPool, aRecord } from '../../fakes/index.ts';

export const clusterNames = ['edge', 'prod', 'prod-us'] as const;
export type ClusterName = (typeof clusterNames)[number];

/** A pool, and how many nodes it takes at once to begin with. */
export interface Ref {
  readonly cluster: ClusterName;
  readonly pool: string;
  readonly atOnce: number;
}

export const allPools: readonly Ref[] = [
  { cluster: 'edge', pool: 'worker', atOnce: 1 },
  { cluster: 'prod', pool: 'infra', atOnce: 2 },
  { cluster: 'prod', pool: 'worker', atOnce: 1 },
  { cluster: 'prod-us', pool: 'worker', atOnce: 3 },
];

/** Nodes of each pool. */
export const machines = 10;

/** Three clusters and their MCO, which takes as many nodes as it may and ends what is on its way, also of a pool that
 *  is paused meanwhile. All pools wait for nothing but the budget. */
export function budgetFleet({ clock, faults }: { readonly clock: Clock; readonly faults: Faults }) {
  const clusters = new Map<ClusterName, FakePools>(clusterNames.map((name) => [name, fakePools({ clock, faults })]));
  const away = new Map<Ref, number>();
  const sizes = new Map<Ref, number>(allPools.map((ref) => [ref, ref.atOnce]));
  let renders = 0;

  function poolsOf(name: string): FakePools {
    const found = [...clusters].find(([cluster]) => cluster === name)?.[1];
    if (found === undefined) throw new Error(`no cluster ${name}`);
    return found;
  }

  const get = ({ cluster, pool }: Ref): Pool => poolsOf(cluster).get(pool);
  const sizeOf = (ref: Ref) => sizes.get(ref) ?? 1;
  const awayOf = (ref: Ref) => away.get(ref) ?? 0;
  const isPending = (ref: Ref) => get(ref).target.name !== get(ref).current.name;

  function counts(ref: Ref, updated: number): Pool['counts'] {
    return { machines, updated, ready: machines - awayOf(ref), unavailable: awayOf(ref), degraded: 0 };
  }

  /** As a sync leaves it that brings a change and is over. */
  function waiting(ref: Ref): Partial<Pool> {
    renders += 1;
    const at = new Date(clock().getTime() - 60_000).toISOString();
    const release = { since: at, finishedAt: at, machineConfigs: [], why: 'synced' };
    return {
      maxUnavailable: String(sizeOf(ref)),
      paused: true,
      pausedBy: { manager: 'poolkeeper', at },
      target: { name: `rendered-${ref.pool}-${renders}`, sources: [] },
      counts: counts(ref, 0),
      record: { kind: 'record', record: aRecord({ holds: [], release, pausedSince: at }) },
    };
  }

  function make(ref: Ref): void {
    poolsOf(ref.cluster).put(aPool({ name: ref.pool, ...waiting(ref) }));
  }

  /** Of the nodes that are on their way so many are back; the next ones go. */
  function move(ref: Ref, nodes: number): void {
    const { paused, counts: before, target } = get(ref);
    const back = Math.min(awayOf(ref), nodes);
    const updated = Math.min(machines, before.updated + back);
    const isDone = isPending(ref) && updated === machines;
    const goesOn = !paused && isPending(ref) && !isDone;
    away.set(ref, goesOn ? Math.min(sizeOf(ref), machines - updated) : awayOf(ref) - back);
    const current = isDone ? { current: target } : {};
    poolsOf(ref.cluster).change(ref.pool, 'machine-config-controller', { counts: counts(ref, updated), ...current });
  }

  for (const ref of allPools) make(ref);
  return {
    poolsOf,
    get,
    sizeOf,
    isPending,
    /** Nodes of it are on their way, or will be in a moment. */
    isRolling: (ref: Ref) => (!get(ref).paused && isPending(ref)) || awayOf(ref) > 0,
    /** Its next nodes go. */
    move: (ref: Ref) => move(ref, 1),
    /** All of its nodes go, if it is not paused. */
    finish(ref: Ref): void {
      if (get(ref).paused) return;
      for (let times = 0; times <= machines; times += 1) move(ref, machines);
    },
    change(ref: Ref): void {
      poolsOf(ref.cluster).put({ ...get(ref), ...waiting(ref) });
    },
    /** It is deleted and made again. */
    makeAnew(ref: Ref): void {
      away.set(ref, 0);
      poolsOf(ref.cluster).remove(ref.pool);
      make(ref);
    },
    resumeByHand(ref: Ref): void {
      poolsOf(ref.cluster).change(ref.pool, 'kubectl-patch', { paused: false });
    },
    resize(ref: Ref, atOnce: number): void {
      sizes.set(ref, atOnce);
      poolsOf(ref.cluster).change(ref.pool, 'argocd-controller', { maxUnavailable: String(atOnce) });
    },
  };
}
