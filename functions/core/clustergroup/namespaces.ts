import { annotationsOf } from './annotations.ts';
import { disabledRemarks, isDisabled } from './entries.ts';
import type { Group } from './group.ts';
import { unknownKeys } from './known-keys.ts';
import type { GroupManifest } from './manifest.ts';
import { type Remark, refused, trap } from './remark.ts';
import { at, isList, isMap, isSet, listAt, sortedEntries, textOf, type Value, type Values } from './values.ts';
import { waveAnnotation } from './wave.ts';

interface Listed {
  readonly name: string;
  readonly at: string;
  readonly form: 'map' | 'list';
  readonly entry: Values;
}

/** Namespaces and OperatorGroups of a group: no steps, but what its Subscriptions need. */
export function namespacesOf(group: Group): {
  readonly manifests: readonly GroupManifest[];
  readonly remarks: readonly Remark[];
} {
  const { listed, remarks } = listedIn(at(group.values, 'clusterGroup', 'namespaces'));
  const kept = listed.filter(({ entry }) => !isDisabled(entry));
  return {
    manifests: [
      ...kept.map((each) => namespace(each, group)),
      ...kept.filter((each) => hasOperatorGroup(each, group)).map(operatorGroup),
    ],
    remarks: [
      ...remarks,
      ...excludesRemarks(group),
      ...listed.flatMap(({ entry, at: where, form, name }) => [
        ...disabledRemarks(entry, where),
        ...unknownKeys('namespaces', { entry, at: where, form, key: name }),
      ]),
      ...kept.flatMap((each) => annotationRemarks(each, hasOperatorGroup(each, group))),
    ],
  };
}

const where = 'clusterGroup.namespaces';

function listedIn(found: Value | undefined): {
  readonly listed: readonly Listed[];
  readonly remarks: readonly Remark[];
} {
  const form = isList(found) ? 'list' : 'map';
  const pairs = isList(found) ? found.flatMap(pairsOf) : isMap(found) ? sortedEntries(found) : [];
  const listed: Listed[] = [];
  const remarks: Remark[] = [];
  for (const [name, entry] of pairs) {
    if (entry === null && form === 'list') {
      remarks.push(
        trap('chart-render-fails', `${where}.${name}`, 'null in the list form: the chart cannot render the group'),
      );
    }
    if (entry === null || isMap(entry)) listed.push({ name, at: `${where}.${name}`, form, entry: entry ?? {} });
    else remarks.push(refused('entry-not-a-map', `${where}.${name}`, 'must be a map'));
  }
  return { listed, remarks };
}

/** Of one item of the list form: a name, or a map with one key. */
function pairsOf(item: Value): readonly (readonly [string, Value])[] {
  if (isMap(item)) return Object.entries(item);
  const name = textOf(item);
  return name === undefined ? [] : [[name, {}]];
}

function namespace({ name, at: path, entry }: Listed, group: Group): GroupManifest {
  const { annotations } = annotationsOf(entry['annotations'], path);
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: { 'argocd.argoproj.io/managed-by': group.argoNamespace, ...textsOf(entry['labels']) },
      ...(annotations && { annotations }),
    },
  };
}

/** `operatorgroupExcludes` works for plain names of the list form only. */
function hasOperatorGroup({ name, form, entry }: Listed, group: Group): boolean {
  const excluded = listAt(group.values, 'clusterGroup', 'operatorgroupExcludes').map(textOf);
  if (form === 'list' && !isSet(entry) && excluded.includes(name)) return false;
  return isSet(entry['operatorGroup']) || !Object.hasOwn(entry, 'operatorGroup');
}

function excludesRemarks({ values }: Group): readonly Remark[] {
  const path = 'clusterGroup.operatorgroupExcludes';
  if (!isSet(at(values, 'clusterGroup', 'operatorgroupExcludes'))) return [];
  if (!isMap(at(values, 'clusterGroup', 'namespaces'))) return [];
  return [trap('key-without-effect', path, 'has no effect where namespaces are a map; write operatorGroup: false')];
}

/** Labels and annotations of the entry reach the OperatorGroup in the list form only. */
function operatorGroup({ name, at: path, form, entry }: Listed): GroupManifest {
  const targets = Object.hasOwn(entry, 'targetNamespaces') ? entry['targetNamespaces'] : [name];
  const { annotations } = form === 'list' ? annotationsOf(entry['annotations'], path) : {};
  const labels = form === 'list' && isSet(entry['labels']) ? textsOf(entry['labels']) : undefined;
  return {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: {
      name: `${name}-operator-group`,
      namespace: name,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    ...(isSet(targets) && { spec: { targetNamespaces: targets } }),
  };
}

function textsOf(values: Value | undefined): Readonly<Record<string, string>> {
  if (!isMap(values)) return {};
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, textOf(value) ?? '']));
}

function annotationRemarks({ at: path, form, entry }: Listed, hasGroup: boolean): readonly Remark[] {
  const { annotations, wave, remarks } = annotationsOf(entry['annotations'], path);
  const own = [...remarks];
  if (annotations !== undefined && form === 'map' && hasGroup) {
    const says = 'reach the Namespace only: in the map form the OperatorGroup gets none of them, so it has wave 0';
    own.push(trap('namespace-annotations', `${path}.annotations`, says));
  }
  if (annotations?.[waveAnnotation] !== undefined) {
    const says = `wave ${wave} is not the effective one: Argo CD makes a Namespace with the first object that needs it`;
    own.push(trap('namespace-wave', `${path}.annotations.${waveAnnotation}`, says));
  }
  return own;
}
