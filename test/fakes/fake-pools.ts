import { isDeepStrictEqual } from 'node:util';
import { fieldManager } from '../../functions/core/openshift/hold.ts';
import type { Node } from '../../functions/core/openshift/node.ts';
import { pauseAuthor } from '../../functions/core/openshift/pause-author.ts';
import type { Pool } from '../../functions/core/openshift/pool.ts';
import { readRecord } from '../../functions/core/openshift/pool-record.ts';
import { selects } from '../../functions/core/openshift/selector.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import type { MachineConfigHead, PoolChange, PoolEvent, Pools } from '../../functions/ports/cluster.ts';
import type { Clock } from '../../functions/ports/time.ts';
import { kubernetesTime } from './fake-clock.ts';
import { createFaults, type Faults } from './faults.ts';

const invalid = 'cannot be parsed at spec.paused';

/** The pools, nodes and MachineConfigs of one cluster in memory, with the API server's rules for resourceVersion,
 *  generation and field managers, and no MCO: the test plays it through `change` and `observe`. */
export interface FakePools extends Pools {
  readonly announced: readonly { readonly pool: string; readonly uid: string; readonly event: PoolEvent }[];
  /** Every patch that was accepted, oldest first. */
  readonly patches: readonly { readonly pool: string; readonly change: PoolChange; readonly stored: Pool }[];
  /** Creates or replaces a pool as it is, with a new resourceVersion. */
  put(pool: Pool): Pool;
  /** Another writer changes a pool. A changed `paused` is his; `paused` and `maxUnavailable` and `target` move the
   *  generation unless the change itself says a generation. */
  change(name: string, manager: string, change: Partial<Pool>): Pool;
  /** The MCO has processed the pool: `observedGeneration` catches up. */
  observe(name: string): Pool;
  remove(name: string): void;
  get(name: string): Pool;
  /** A field of it becomes invalid, until `mend`. */
  spoil(name: string): void;
  mend(name: string): void;
  putNode(node: Node): Node;
  changeNode(name: string, change: Partial<Node>): Node;
  removeNode(name: string): void;
  nodes(): readonly Node[];
  putMachineConfig(head: MachineConfigHead): void;
  removeMachineConfig(name: string): void;
}

export function fakePools(options: { readonly clock: Clock; readonly faults?: Faults }): FakePools {
  const { clock, faults = createFaults() } = options;
  const pools = new Map<string, Pool>();
  const spoilt = new Set<string>();
  const nodes = new Map<string, Node>();
  const machineConfigs = new Map<string, MachineConfigHead>();
  const announced: { pool: string; uid: string; event: PoolEvent }[] = [];
  const patches: { pool: string; change: PoolChange; stored: Pool }[] = [];
  let revision = 1000;

  function store(pool: Pool): Pool {
    const stored = { ...pool, resourceVersion: String(++revision) };
    pools.set(stored.name, stored);
    return stored;
  }

  function get(name: string): Pool {
    const pool = pools.get(name);
    if (pool === undefined) throw new Error(`no pool ${name} in the fake`);
    return pool;
  }

  function change(name: string, manager: string, changes: Partial<Pool>): Pool {
    const before = get(name);
    const pausing = changes.paused !== undefined && changes.paused !== before.paused;
    const moved = pausing || 'maxUnavailable' in changes || 'target' in changes;
    return store({
      ...before,
      generation: moved ? before.generation + 1 : before.generation,
      pausedBy: pausing ? { manager, at: kubernetesTime(clock()) } : before.pausedBy,
      ...recordWriter(changes, manager),
      ...changes,
    });
  }

  function patch({ name, resourceVersion }: Pick<Pool, 'name' | 'resourceVersion'>, wanted: PoolChange): Pool {
    const before = pools.get(name);
    if (before === undefined) throw new Transient(`pool ${name} no longer exists`, { kind: 'conflict' });
    if (before.resourceVersion !== resourceVersion)
      throw new Transient(`pool ${name} was changed by another writer`, { kind: 'conflict' });
    const stored = change(name, fieldManager, {
      ...(wanted.paused === undefined ? {} : { paused: wanted.paused }),
      ...(wanted.record === undefined ? {} : { record: recordOf(wanted.record) }),
    });
    patches.push({ pool: name, change: wanted, stored });
    return asRead(stored);
  }

  return {
    announced,
    patches,
    put: store,
    change,
    observe: (name) => store({ ...get(name), observedGeneration: get(name).generation }),
    remove: (name) => {
      pools.delete(name);
    },
    get,
    spoil: (name) => {
      spoilt.add(get(name).name);
    },
    mend: (name) => {
      spoilt.delete(name);
    },
    putNode: (node) => {
      nodes.set(node.name, node);
      return node;
    },
    changeNode: (name, changes) => {
      const node = nodes.get(name);
      if (node === undefined) throw new Error(`no node ${name} in the fake`);
      const stored = { ...node, ...changes };
      nodes.set(name, stored);
      return stored;
    },
    removeNode: (name) => {
      nodes.delete(name);
    },
    nodes: () => byName(nodes),
    putMachineConfig: (head) => {
      machineConfigs.set(head.name, head);
    },
    removeMachineConfig: (name) => {
      machineConfigs.delete(name);
    },
    listPools: () =>
      faults.run('pools.list', () => ({
        items: byName(pools)
          .filter(({ name }) => !spoilt.has(name))
          .map(asRead),
        unreadable: [...spoilt].map((name) => ({ kind: 'MachineConfigPool', namespace: '', name, why: invalid })),
      })),
    readPool: (name) =>
      faults.run('pools.read', () => {
        if (spoilt.has(name)) throw new Transient(`MachineConfigPool: ${invalid}`, { kind: 'invalid' });
        const pool = pools.get(name);
        return pool && asRead(pool);
      }),
    patchPool: (pool, wanted) => faults.run('pools.patch', () => patch(pool, wanted)),
    listNodes: (selector) =>
      faults.run('pools.nodes', () => ({
        items: byName(nodes).filter((node) => selects(selector, node.labels)),
        unreadable: [],
      })),
    readMachineConfigs: (names) =>
      faults.run('pools.machineConfigs', () => ({
        items: byName(machineConfigs).filter((head) => names.includes(head.name)),
        unreadable: [],
      })),
    recordEvent: (pool, event) =>
      faults
        .run('pools.announce', () => {
          const told = announced.some((each) => each.uid === pool.uid && isDeepStrictEqual(each.event, event));
          if (!told) announced.push({ pool: pool.name, uid: pool.uid, event });
        })
        .catch((cause: unknown) => {
          // Best effort, as the real one; only the death of the process comes through.
          if (!(cause instanceof Transient)) throw cause;
        }),
  };
}

/** With the pause of whom it is, where the API server names only who wrote it. */
function asRead(pool: Pool): Pool {
  return { ...pool, pausedBy: pauseAuthor(pool, pool.pausedBy) };
}

/** Through the text of the annotation, as the real one does. */
function recordOf(record: PoolChange['record']): Pool['record'] {
  return readRecord(record === null || record === undefined ? undefined : JSON.stringify(record));
}

function byName<T extends { readonly name: string }>(items: ReadonlyMap<string, T>): readonly T[] {
  return [...items.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** As the API server notes it: of an annotation that is gone, nobody. */
function recordWriter({ record }: Partial<Pool>, manager: string): Pick<Pool, 'recordBy'> {
  if (record === undefined) return {};
  return { recordBy: record.kind === 'none' ? undefined : manager };
}
