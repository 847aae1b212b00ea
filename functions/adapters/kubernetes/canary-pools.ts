import { canaryAnnotation } from '../../core/node-turns/canary-state.ts';
import { fieldManager } from '../../core/openshift/hold.ts';
import { isMapping, mappingAt, memberOf } from '../../core/openshift/member.ts';
import { Transient } from '../../core/text/errors.ts';
import type { CanaryPools, FreshPool, FreshPoolChange } from '../../ports/node-turns.ts';
import { itemByItem } from './item-by-item.ts';
import type { KubeClient } from './kube-client.ts';
import { MetadataOnly, understand } from './metadata.ts';

const poolsPath = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools';

/** Pools with their selectors as they are: what is put back must be what was there. */
export function clusterCanaryPools(client: KubeClient): CanaryPools {
  return {
    async listFreshPools() {
      const pools = await client.list(poolsPath, { pageSize: 100 });
      const { items, unreadable } = itemByItem('MachineConfigPool', pools, freshPoolOf);
      const [broken] = unreadable;
      // Whom it selects is not known, and so where other nodes belong.
      if (broken !== undefined)
        throw new Transient(`pool ${broken.name} cannot be read: ${broken.why}`, { kind: 'invalid' });
      return items;
    },

    async readFreshPool(name) {
      const body = await client.get(pathOf(name));
      return body === undefined ? undefined : freshPoolOf(body);
    },

    async changePool(pool, change) {
      const path = pathOf(pool.name);
      await client.mergePatch(path, { fieldManager }, patchOf(pool, change));
    },
  };
}

function pathOf(pool: string): string {
  return `${poolsPath}/${encodeURIComponent(pool)}`;
}

function freshPoolOf(body: unknown): FreshPool {
  const { name, resourceVersion, annotations } = understand(MetadataOnly, body, 'MachineConfigPool').metadata;
  const nodeSelector = memberOf(mappingAt(body, 'spec'), 'nodeSelector') ?? undefined;
  return { name, resourceVersion, nodeSelector, noted: annotations[canaryAnnotation] };
}

function patchOf({ resourceVersion, nodeSelector }: FreshPool, change: FreshPoolChange): unknown {
  if ('noted' in change) return { metadata: { resourceVersion, annotations: { [canaryAnnotation]: change.noted } } };
  return { metadata: { resourceVersion }, spec: { nodeSelector: mergePatchOf(nodeSelector, change.nodeSelector) } };
}

/** The merge patch (RFC 7386) that makes one value of the other: what only the first has is removed. */
function mergePatchOf(from: unknown, to: unknown): unknown {
  if (!isMapping(to)) return to ?? null;
  if (!isMapping(from)) return to;
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  return {
    ...Object.fromEntries(removed.map((key) => [key, null])),
    ...Object.fromEntries(Object.entries(to).map(([key, value]) => [key, mergePatchOf(from[key], value)])),
  };
}
