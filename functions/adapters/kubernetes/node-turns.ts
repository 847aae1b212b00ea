import type { ReadyNode } from '../../core/node-turns/turn-node.ts';
import { fieldManager } from '../../core/openshift/hold.ts';
import { listAt, mappingAt, memberOf, textAt } from '../../core/openshift/member.ts';
import { Transient } from '../../core/text/errors.ts';
import type { JobMaker, NodeChange, NodeTurnPorts, TurnNodes } from '../../ports/node-turns.ts';
import { clusterCanaryPools } from './canary-pools.ts';
import { itemByItem } from './item-by-item.ts';
import type { KubeClient, Query } from './kube-client.ts';
import { MetadataOnly, understand } from './metadata.ts';
import { nodeOf } from './node-of.ts';
import { isRefusedObject } from './refusal.ts';
import { clusterRunRecords } from './sequences.ts';

const nodesPath = '/api/v1/nodes';
const desiredConfig = 'machineconfiguration.openshift.io/desiredConfig';

/** Nodes in one page: about 3 MB with their metadata. */
const pageSize = 500;

/** What runs of the cluster behind `client` write and read. */
export function clusterNodeTurns(client: KubeClient): NodeTurnPorts {
  return {
    records: clusterRunRecords(client),
    nodes: clusterTurnNodes(client),
    jobs: clusterJobs(client),
    canary: clusterCanaryPools(client),
  };
}

function clusterJobs(client: KubeClient): JobMaker {
  const post = (namespace: string, manifest: Readonly<Record<string, unknown>>, query: Query) =>
    client.post(
      `/apis/batch/v1/namespaces/${encodeURIComponent(namespace)}/jobs`,
      { fieldManager, ...query },
      manifest,
    );
  return {
    async createJob(namespace, manifest) {
      try {
        await post(namespace, manifest, {});
        return 'created';
      } catch (cause) {
        if (cause instanceof Transient && cause.kind === 'conflict') return 'there';
        throw cause;
      }
    },

    async checkJob(namespace, manifest) {
      try {
        await post(namespace, manifest, { dryRun: 'All' });
        return { kind: 'valid' };
      } catch (cause) {
        if (!(cause instanceof Transient)) throw cause;
        if (cause.kind === 'conflict') return { kind: 'valid' };
        if (cause.kind === 'forbidden') return { kind: 'forbidden', why: cause.message };
        if (isRefusedObject(cause)) return { kind: 'refused', why: cause.message };
        throw cause;
      }
    },
  };
}

function clusterTurnNodes(client: KubeClient): TurnNodes {
  return {
    async listReadyNodes() {
      const rows: unknown[] = [];
      let next = '';
      do {
        const query = { limit: String(pageSize), ...(next === '' ? {} : { continue: next }) };
        const page = await client.get(nodesPath, { query, form: 'table' });
        rows.push(...rowsOf(page));
        next = textAt(mappingAt(page, 'metadata'), 'continue') ?? '';
      } while (next !== '');
      return itemByItem('Node', rows, readyNodeOf);
    },

    async readReadyNode(name) {
      const path = `${nodesPath}/${encodeURIComponent(name)}`;
      const body = await client.get(path);
      if (body === undefined) return undefined;
      const { resourceVersion } = understand(MetadataOnly, body, path).metadata;
      return { node: readyNodeOf(body), resourceVersion };
    },

    async changeNode({ node: { name }, resourceVersion }, change) {
      const metadata = { resourceVersion };
      const body = bodyOf(change, metadata);
      await client.mergePatch(`${nodesPath}/${encodeURIComponent(name)}`, { fieldManager }, body);
    },
  };
}

function bodyOf(change: NodeChange, metadata: { readonly resourceVersion: string }): unknown {
  if ('desiredConfig' in change)
    return { metadata: { ...metadata, annotations: { [desiredConfig]: change.desiredConfig } } };
  if ('labels' in change) return { metadata: { ...metadata, labels: change.labels } };
  return { metadata, spec: { unschedulable: true } };
}

/** Each node's metadata, with the status that the table prints: `Ready,SchedulingDisabled`. A server that knows no
 *  tables answers whole nodes. Throws Transient for an answer that is neither. */
function rowsOf(page: unknown): readonly unknown[] {
  if (memberOf(page, 'kind') !== 'Table') {
    if (memberOf(page, 'items') === undefined) throw new Transient(`GET ${nodesPath}: the answer is not a list`);
    return listAt(page, 'items');
  }
  const column = listAt(page, 'columnDefinitions').findIndex((each) => memberOf(each, 'name') === 'Status');
  if (column < 0) throw new Transient(`GET ${nodesPath}: the table has no column Status`);
  return listAt(page, 'rows').map((row) => ({
    ...mappingAt(row, 'object'),
    printed: listAt(row, 'cells')[column],
  }));
}

/** From a row of the table, or from a whole node. */
function readyNodeOf(body: unknown): ReadyNode {
  const printed = textAt(body, 'printed');
  const node = nodeOf(body);
  if (printed !== undefined) {
    const words = printed.split(',');
    return { ...node, ready: words.includes('Ready'), cordoned: words.includes('SchedulingDisabled') };
  }
  const ready = listAt(mappingAt(body, 'status'), 'conditions').some(
    (each) => memberOf(each, 'type') === 'Ready' && memberOf(each, 'status') === 'True',
  );
  return { ...node, ready, cordoned: memberOf(mappingAt(body, 'spec'), 'unschedulable') === true };
}
