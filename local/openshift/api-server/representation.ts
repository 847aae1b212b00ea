import { notAcceptable } from './api-error.ts';
import { isJsonObject, valueAt } from './json.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import type { ResourceType } from './resource-types.ts';

/** The requested form of objects. */
export type Representation = 'full' | 'metadata' | 'table';

interface Wanted {
  readonly representation: Representation;
  readonly list: boolean;
}

/** Reads the `Accept` header; the first form that is supported wins. */
export function negotiate(accept: string | undefined, list: boolean): Representation {
  const wanted = (accept ?? 'application/json').split(',').map(parse).find(Boolean);
  if (!wanted) throw notAcceptable('only the following media types are accepted: application/json');
  if (wanted.representation === 'metadata' && wanted.list !== list) {
    throw notAcceptable(
      list
        ? 'you requested PartialObjectMetadata, but the requested object is a list'
        : 'you requested PartialObjectMetadataList, but the requested object is not a list',
    );
  }
  return wanted.representation;
}

function parse(mediaRange: string): Wanted | undefined {
  const [type, ...parameters] = mediaRange.split(';').map((part) => part.trim());
  if (type !== 'application/json' && type !== 'application/*' && type !== '*/*') return undefined;
  const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3);
  switch (as) {
    case undefined:
      return { representation: 'full', list: false };
    case 'Table':
      return { representation: 'table', list: false };
    case 'PartialObjectMetadata':
      return { representation: 'metadata', list: false };
    case 'PartialObjectMetadataList':
      return { representation: 'metadata', list: true };
    default:
      return undefined;
  }
}

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export function showObject(type: ResourceType, object: KubernetesObject, representation: Representation): unknown {
  switch (representation) {
    case 'full':
      return object;
    case 'metadata':
      return metadataOnly(object);
    case 'table':
      return table(type, [object], { resourceVersion: object.metadata.resourceVersion });
    default:
      return representation satisfies never;
  }
}

export function showList(
  type: ResourceType,
  items: readonly KubernetesObject[],
  { representation, metadata }: { readonly representation: Representation; readonly metadata: ListMeta },
): unknown {
  switch (representation) {
    case 'full':
      return { kind: `${type.kind}List`, apiVersion: items[0]?.apiVersion ?? apiVersion(type), metadata, items };
    case 'metadata':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: items.map(metadataOnly),
      };
    case 'table':
      return table(type, items, metadata);
    default:
      return representation satisfies never;
  }
}

function apiVersion({ group, version }: ResourceType): string {
  return group === '' ? version : `${group}/${version}`;
}

function metadataOnly({ metadata }: KubernetesObject): unknown {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

interface Column {
  readonly name: string;
  readonly cell: (object: KubernetesObject) => unknown;
}

/** The columns of `kubectl get`. Rows carry the object's metadata, which is the server's default. */
function table(type: ResourceType, items: readonly KubernetesObject[], metadata: ListMeta): unknown {
  const columns = [nameColumn, ...(kindColumns[type.kind] ?? []), ageColumn];
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(({ name }) => ({
      name,
      type: 'string',
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: 0,
    })),
    rows: items.map((object) => ({ cells: columns.map(({ cell }) => cell(object)), object: metadataOnly(object) })),
  };
}

const nameColumn: Column = { name: 'Name', cell: ({ metadata }) => metadata.name };
const ageColumn: Column = { name: 'Age', cell: ({ metadata }) => metadata.creationTimestamp };

function field(name: string, ...path: string[]): Column {
  return { name, cell: (object) => valueAt(object, path) ?? null };
}

function condition(name: string): Column {
  return { name, cell: (object) => conditionStatus(object, name) };
}

function conditionStatus(object: KubernetesObject, type: string): unknown {
  const conditions = valueAt(object, ['status', 'conditions']);
  const found = Array.isArray(conditions)
    ? conditions.find((each) => isJsonObject(each) && each['type'] === type)
    : undefined;
  return isJsonObject(found) ? found['status'] : null;
}

const kindColumns: Readonly<Record<string, readonly Column[]>> = {
  MachineConfigPool: [
    field('Config', 'status', 'configuration', 'name'),
    condition('Updated'),
    condition('Updating'),
    condition('Degraded'),
    field('MachineCount', 'status', 'machineCount'),
    field('ReadyMachineCount', 'status', 'readyMachineCount'),
    field('UpdatedMachineCount', 'status', 'updatedMachineCount'),
    field('DegradedMachineCount', 'status', 'degradedMachineCount'),
  ],
  Node: [
    { name: 'Status', cell: (object) => nodeStatus(object) },
    { name: 'Roles', cell: ({ metadata }) => rolesOf(metadata.labels) },
    field('Version', 'status', 'nodeInfo', 'kubeletVersion'),
  ],
  Pod: [field('Status', 'status', 'phase'), field('Node', 'spec', 'nodeName')],
  Application: [field('Sync Status', 'status', 'sync', 'status'), field('Health Status', 'status', 'health', 'status')],
};

function nodeStatus(node: KubernetesObject): string {
  const ready = conditionStatus(node, 'Ready') === 'True' ? 'Ready' : 'NotReady';
  return valueAt(node, ['spec', 'unschedulable']) === true ? `${ready},SchedulingDisabled` : ready;
}

function rolesOf(labels: Readonly<Record<string, string>> = {}): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(labels).filter((key) => key.startsWith(prefix));
  return roles.map((key) => key.slice(prefix.length)).join(',') || '<none>';
}
