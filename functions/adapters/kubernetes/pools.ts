import { createHash } from 'node:crypto';
import { fieldManager, holdsAnnotation } from '../../core/openshift/hold.ts';
import { clustersWithoutPools, type Pool } from '../../core/openshift/pool.ts';
import { selectorText } from '../../core/openshift/selector.ts';
import { Transient } from '../../core/text/errors.ts';
import { mayBeObjectName } from '../../core/text/object-name.ts';
import type { MachineConfigHead, PoolChange, PoolEvent, Pools } from '../../ports/cluster.ts';
import { itemByItem, nameOf } from './item-by-item.ts';
import type { KubeClient } from './kube-client.ts';
import { newestOwner } from './managed-fields.ts';
import { MetadataOnly, understand } from './metadata.ts';
import { nodeOf } from './node-of.ts';
import { poolOf } from './pool-of.ts';
import { isUnserved } from './refusal.ts';

const group = '/apis/machineconfiguration.openshift.io/v1';
const poolsPath = `${group}/machineconfigpools`;
const machineConfigsPath = `${group}/machineconfigs`;

/** Up to this many MachineConfigs are read one by one; a list of their metadata costs about as much as eight of
 *  them. */
const mostSingleReads = 8;

/** A bare 404 tells nobody what to do. The rest of its text stays, as what is told of it goes by that. */
function sayUnserved(cause: unknown): never {
  if (!(cause instanceof Transient) || !isUnserved(cause)) throw cause;
  const { message, kind, isAnswered } = cause;
  throw new Transient(`${message}: this cluster has no MachineConfigPools; ${clustersWithoutPools}`, {
    kind,
    isAnswered,
    cause,
  });
}

/** The pools of the cluster behind `client`. */
export function clusterPools(client: KubeClient): Pools {
  return {
    async listPools() {
      const pools = await client.list(poolsPath, { pageSize: 100 }).catch(sayUnserved);
      return itemByItem('MachineConfigPool', pools, poolOf);
    },

    async readPool(name) {
      const pool = await client.get(pathOf(poolsPath, name));
      return pool === undefined ? undefined : poolOf(pool);
    },

    async patchPool(pool, change) {
      return poolOf(await client.mergePatch(pathOf(poolsPath, pool.name), { fieldManager }, patchOf(pool, change)));
    },

    async listNodes(selector) {
      const text = selectorText(selector);
      const query = text === '' ? {} : { labelSelector: text };
      const nodes = await client.list('/api/v1/nodes', { query, pageSize: 500, form: 'metadata' });
      return itemByItem('Node', nodes, nodeOf);
    },

    async readMachineConfigs(names) {
      const wanted = new Set(names.filter(mayBeObjectName));
      if (wanted.size > mostSingleReads) {
        const all = await client.list(machineConfigsPath, { pageSize: 500, form: 'metadata' });
        const asked = all.filter((each) => wanted.has(nameOf(each)));
        return itemByItem('MachineConfig', asked, headOf);
      }
      const found = await Promise.all(
        [...wanted].sort().map((name) => client.get(pathOf(machineConfigsPath, name), { form: 'metadata' })),
      );
      const there = found.filter((each) => each !== undefined);
      return itemByItem('MachineConfig', there, headOf);
    },

    async recordEvent(pool, event) {
      try {
        await client.post('/api/v1/namespaces/default/events', { fieldManager }, eventOf(pool, event));
      } catch (cause) {
        // Best effort: the timeline has it too. A repeat is refused with 409, because its name is the same.
        if (!(cause instanceof Transient)) throw cause;
      }
    },
  };
}

function pathOf(collection: string, name: string): string {
  return `${collection}/${encodeURIComponent(name)}`;
}

/** One merge patch, so that pause and record are stored together or not at all. */
function patchOf(pool: Pick<Pool, 'resourceVersion'>, { paused, record }: PoolChange): unknown {
  const annotation = record === null ? null : JSON.stringify(record);
  return {
    metadata: {
      resourceVersion: pool.resourceVersion,
      ...(record === undefined ? {} : { annotations: { [holdsAnnotation]: annotation } }),
    },
    ...(paused === undefined ? {} : { spec: { paused } }),
  };
}

function headOf(body: unknown): MachineConfigHead {
  const { metadata } = understand(MetadataOnly, body, 'MachineConfig');
  return {
    name: metadata.name,
    labels: metadata.labels,
    changedAt: newestOwner(metadata.managedFields, ['f:spec'])?.at,
  };
}

/** Events of cluster-scoped objects are in `default`. The name is derived from the action: repeated, it is one
 *  event. */
function eventOf(pool: Pick<Pool, 'name' | 'uid'>, { reason, message, type, at }: PoolEvent): unknown {
  const time = `${at.toISOString().slice(0, 19)}Z`;
  const digest = createHash('sha256').update([pool.uid, reason, time, message].join('\n')).digest('hex').slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${pool.name}.${digest}`, namespace: 'default' },
    involvedObject: {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      name: pool.name,
      uid: pool.uid,
    },
    reason,
    // The API server refuses longer ones.
    message: message.slice(0, 1024),
    type,
    source: { component: fieldManager },
    reportingComponent: fieldManager,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}
