import * as z from 'zod';
import { labelValue } from '../../core/node-turns/label-value.ts';
import { runLabel } from '../../core/node-turns/turn-job.ts';
import { fieldManager } from '../../core/openshift/hold.ts';
import { managedByLabel, sequenceLabel } from '../../core/sequences/own-object.ts';
import type { RunRecords } from '../../ports/node-turns.ts';
import type { ObjectWriter, SequenceRecords } from '../../ports/sequences.ts';
import type { KubeClient } from './kube-client.ts';
import { understand } from './metadata.ts';
import { packed, unpacked } from './packed-text.ts';

const Stored = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  data: z.object({ record: z.string() }).optional().catch(undefined),
});

/** The records of sequences of the cluster behind `client`. */
export function clusterSequenceRecords(client: KubeClient): SequenceRecords {
  return clusterRecords(client, { prefix: 'poolkeeper-sequence-', label: sequenceLabel });
}

/** The records of runs of the cluster behind `client`. */
export function clusterRunRecords(client: KubeClient): RunRecords {
  return clusterRecords(client, { prefix: 'poolkeeper-run-', label: runLabel });
}

/** Texts that are kept in ConfigMaps, each under a name. */
function clusterRecords(
  client: KubeClient,
  { prefix, label }: { readonly prefix: string; readonly label: string },
): SequenceRecords & RunRecords {
  const nameOf = (name: string) => encodeURIComponent(`${prefix}${name}`);
  return {
    async load(namespace, kept) {
      const path = `${pathOf(namespace)}/${nameOf(kept)}`;
      const found = await client.get(path);
      if (found === undefined) return undefined;
      const { metadata, data } = understand(Stored, found, path);
      return { text: unpacked(data?.record ?? ''), resourceVersion: metadata.resourceVersion };
    },

    async save(namespace, kept, { text, resourceVersion }) {
      const name = nameOf(kept);
      if (resourceVersion === undefined) {
        const labels = { ...managedByLabel, [label]: labelValue(kept) };
        const map = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace, labels },
          data: { record: packed(text) },
        };
        await client.post(pathOf(namespace), { fieldManager }, map);
        return;
      }
      const change = { metadata: { resourceVersion }, data: { record: packed(text) } };
      await client.mergePatch(`${pathOf(namespace)}/${name}`, { fieldManager }, change);
    },

    async remove(namespace, sequence, { resourceVersion }) {
      const preconditions = resourceVersion === undefined ? {} : { resourceVersion };
      await client.remove(`${pathOf(namespace)}/${nameOf(sequence)}`, {}, { ...deleteOptions, preconditions });
    },
  };
}

/** Writes of our field manager, which takes no field from another. */
export function clusterObjectWriter(client: KubeClient): ObjectWriter {
  return {
    apply: (path, manifest, mode) =>
      client.apply(path, { fieldManager, ...(mode === 'check' ? { dryRun: 'All' } : {}) }, manifest),
    create: (path, manifest) => client.post(path, { fieldManager }, manifest),
    async patch(path, change) {
      await client.mergePatch(path, { fieldManager }, change);
    },
    // A Job takes its pods with it. Beside a body the API server reads no parameters.
    remove: (path, uid) =>
      client.remove(
        path,
        {},
        { ...deleteOptions, propagationPolicy: 'Background', ...(uid === undefined ? {} : { preconditions: { uid } }) },
      ),
  };
}

const deleteOptions = { apiVersion: 'v1', kind: 'DeleteOptions' } as const;

function pathOf(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps`;
}
