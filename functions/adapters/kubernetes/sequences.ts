import * as z from 'zod';
import { fieldManager } from '../../core/openshift/hold.ts';
import { managedByLabel, sequenceLabel } from '../../core/sequences/own-object.ts';
import type { ObjectWriter, SequenceRecords } from '../../ports/sequences.ts';
import type { KubeClient } from './kube-client.ts';
import { understand } from './metadata.ts';

const Stored = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  data: z.object({ record: z.string() }).optional().catch(undefined),
});

/** The records of the cluster behind `client`. */
export function clusterSequenceRecords(client: KubeClient): SequenceRecords {
  return {
    async load(namespace, sequence) {
      const path = `${pathOf(namespace)}/${nameOf(sequence)}`;
      const found = await client.get(path);
      if (found === undefined) return undefined;
      const { metadata, data } = understand(Stored, found, path);
      return { text: data?.record ?? '', resourceVersion: metadata.resourceVersion };
    },

    async save(namespace, sequence, { text, resourceVersion }) {
      const name = nameOf(sequence);
      if (resourceVersion === undefined) {
        const labels = { ...managedByLabel, [sequenceLabel]: sequence };
        const map = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace, labels },
          data: { record: text },
        };
        await client.post(pathOf(namespace), { fieldManager }, map);
        return;
      }
      const change = { metadata: { resourceVersion }, data: { record: text } };
      await client.mergePatch(`${pathOf(namespace)}/${name}`, { fieldManager }, change);
    },
  };
}

/** Writes of our field manager, which takes no field from another. */
export function clusterObjectWriter(client: KubeClient): ObjectWriter {
  return {
    async apply(path, manifest, mode) {
      await client.apply(path, { fieldManager, ...(mode === 'check' ? { dryRun: 'All' } : {}) }, manifest);
    },
    async patch(path, change) {
      await client.mergePatch(path, { fieldManager }, change);
    },
    // A Job takes its pods with it.
    remove: (path) => client.remove(path, { propagationPolicy: 'Background' }),
  };
}

function pathOf(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps`;
}

function nameOf(sequence: string): string {
  return encodeURIComponent(`poolkeeper-sequence-${sequence}`);
}
