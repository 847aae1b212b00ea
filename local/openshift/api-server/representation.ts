import { badRequest, notAcceptable } from './api-error.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import type { ResourceType } from './resource-types.ts';
import { columnsOf } from './table-columns.ts';

/** The requested form of objects. */
export type Representation = { readonly kind: 'full' } | { readonly kind: 'metadata' } | TableForm;

interface TableForm {
  readonly kind: 'table';
  /** How much of each object its row carries. */
  readonly include: 'Metadata' | 'Object' | 'None';
  /** For ages. */
  readonly now: Date;
}

interface Wanted {
  readonly representation: Representation['kind'];
  readonly list: boolean;
}

/** What decides about the form of an answer. */
export interface Wish {
  /** The `Accept` header. */
  readonly accept: string | undefined;
  readonly query: URLSearchParams;
  readonly now: Date;
}

/** The first form of the `Accept` header that is supported. */
export function negotiate({ accept, query, now }: Wish, list: boolean): Representation {
  const wanted = (accept ?? 'application/json').split(',').map(parse).find(Boolean);
  if (!wanted) throw notAcceptable('only the following media types are accepted: application/json');
  if (wanted.representation === 'metadata' && wanted.list !== list) {
    throw notAcceptable(
      list
        ? 'you requested PartialObjectMetadata, but the requested object is a list'
        : 'you requested PartialObjectMetadataList, but the requested object is not a list',
    );
  }
  return wanted.representation === 'table'
    ? { kind: 'table', include: includedObject(query), now }
    : { kind: wanted.representation };
}

function includedObject(query: URLSearchParams): TableForm['include'] {
  const include = query.get('includeObject') ?? '';
  if (include === '') return 'Metadata';
  if (include === 'Metadata' || include === 'Object' || include === 'None') return include;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: "${include}": must be 'Metadata', 'Object', 'None', or empty`,
  );
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
  switch (representation.kind) {
    case 'full':
      return object;
    case 'metadata':
      return metadataOnly(object);
    case 'table':
      return table(type, [object], {
        form: representation,
        metadata: { resourceVersion: object.metadata.resourceVersion },
      });
    default:
      return representation satisfies never;
  }
}

export function showList(
  type: ResourceType,
  items: readonly KubernetesObject[],
  { representation, metadata }: { readonly representation: Representation; readonly metadata: ListMeta },
): unknown {
  switch (representation.kind) {
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
      return table(type, items, { form: representation, metadata });
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

/** What `kubectl get` shows. */
function table(
  type: ResourceType,
  items: readonly KubernetesObject[],
  { form, metadata }: { readonly form: TableForm; readonly metadata: ListMeta },
): unknown {
  const columns = columnsOf(type);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(({ cell, ...definition }) => ({ ...definition, description: '' })),
    rows: items.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, form.now)),
      object: included(object, form.include),
    })),
  };
}

function included(object: KubernetesObject, include: TableForm['include']): unknown {
  switch (include) {
    case 'Metadata':
      return metadataOnly(object);
    case 'Object':
      return object;
    case 'None':
      return null;
    default:
      return include satisfies never;
  }
}
