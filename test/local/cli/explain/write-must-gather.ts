import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { Registry } from '../../../../local/openshift/api-server/registry.ts';
import {
  events,
  machineConfigNodes,
  machineConfigPools,
  machineConfigs,
  nodes,
  podDisruptionBudgets,
  pods,
  type ResourceType,
  replicaSets,
} from '../../../../local/openshift/api-server/resource-types.ts';

const scoped: readonly ResourceType[] = [nodes, machineConfigPools, machineConfigNodes, machineConfigs];
const namespaced: readonly ResourceType[] = [pods, events, podDisruptionBudgets, replicaSets];

/** The folders that `oc adm inspect` makes: cluster-scoped objects a file each, namespaced ones a list a kind. */
export async function writeMustGather(
  root: string,
  registry: Registry,
  now: Date,
  { without = [] }: { readonly without?: readonly string[] } = {},
): Promise<void> {
  const files = new Map<string, unknown>();
  for (const type of scoped) {
    for (const object of registry.list(type)) {
      const place = `cluster-scoped-resources/${type.group || 'core'}/${type.plural}`;
      files.set(`${place}/${object.metadata.name}.yaml`, withoutWriters(object));
    }
  }
  for (const type of namespaced) {
    const all = registry.list(type);
    const homes = new Set([...registry.list(pods), ...registry.list(events)].map(({ metadata }) => metadata.namespace));
    for (const home of [...homes].filter((each) => each !== undefined && !without.includes(each))) {
      const items = all.filter(({ metadata }) => metadata.namespace === home).map(withoutWriters);
      // `oc` sorts the fields.
      files.set(`namespaces/${home}/${type.group || 'core'}/${type.plural}.yaml`, { items, kind: `${type.kind}List` });
    }
  }
  for (const [path, content] of files)
    await write(join(root, path), stringify(content, { aliasDuplicateObjects: false }));
  const time = now.toISOString().replace('T', ' ').replace('Z', '000000 +0000 UTC m=+0.1');
  await write(join(root, 'timestamp'), `${time}\n${time}\n`);
}

/** `oc` leaves managedFields out of what it writes. */
function withoutWriters<T extends { readonly metadata: object }>(object: T) {
  const { managedFields: _left, ...metadata } = { managedFields: undefined, ...object.metadata };
  return { ...object, metadata };
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
