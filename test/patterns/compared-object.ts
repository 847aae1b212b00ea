import type { ImportedGroup } from '../../functions/core/clustergroup/import-group.ts';
import { groupManifests } from '../../local/manifests/group-manifests.ts';
import type { RecordedObject } from './recorded-case.ts';

/** One object on either side, with the fields that a recording has of its kind. */
export interface ComparedObject {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a recording has and an import does not: no steps, and named by the import as not taken. */
const besideSteps = ['argoProjects', 'indexImages', 'nodes', 'scheduler'];

export function recordedObjects(objects: readonly RecordedObject[]): readonly ComparedObject[] {
  return objects
    .filter(({ from }) => !besideSteps.includes(from))
    .map((object) => ({ id: idOf(object), fields: recordedFields(object) }));
}

function recordedFields(object: RecordedObject): Readonly<Record<string, unknown>> {
  const common = {
    labels: object.labels ?? null,
    annotations: object.annotations ?? null,
    argoWave: object.argoWave ?? 0,
  };
  const named = (...keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, object[key] ?? null]));
  if (object.from === 'extraObjects') return { object: object['object'], argoWave: object.argoWave ?? 0 };
  switch (object.kind) {
    case 'Application':
      return {
        ...common,
        ...named('finalizers', 'project', 'destination', 'syncPolicy', 'ignoreDifferences'),
        sources: Array.isArray(object['sources']) ? object['sources'].map(withoutNulls) : null,
      };
    case 'Job':
      return { ...common, ...named('hook', 'image', 'command', 'watched') };
    case 'Namespace':
      return common;
    default:
      return { ...common, ...named('spec') };
  }
}

/** What the chart writes as null is not there. */
function withoutNulls(source: unknown): object {
  return Object.fromEntries(Object.entries(mapOf(source)).filter(([, value]) => value !== null));
}

export function importedObjects(imported: ImportedGroup): readonly ComparedObject[] {
  const { operators, applications, objects, namespaces } = imported;
  const jobs = groupManifests(imported, {}).objects.filter((each) => mapOf(each)['kind'] === 'Job');
  return [
    ...operators.flatMap(({ manifests, wave }) => manifests.map((each) => manifestFields(each, wave))),
    ...operators.flatMap(({ gate }) => (gate === undefined ? [] : [gateFields(gate, jobs)])),
    ...applications.map(({ manifest, wave }) => manifestFields(manifest, wave)),
    ...namespaces.map((each) => manifestFields(each, waveIn(each))),
    ...objects.map(({ manifest, wave }) => ({
      id: idOf({ ...manifest, ...mapOf(manifest['metadata']) }),
      fields: { object: manifest, argoWave: wave },
    })),
  ];
}

type Manifest = ImportedGroup['namespaces'][number];
type Gate = NonNullable<ImportedGroup['operators'][number]['gate']>;

function waveIn({ metadata }: Manifest): number {
  const text = metadata.annotations?.['argocd.argoproj.io/sync-wave'];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : 0;
}

function manifestFields(manifest: Manifest, wave: number): ComparedObject {
  const { metadata } = manifest;
  const spec = mapOf(manifest.spec);
  const common = { labels: metadata.labels ?? null, annotations: metadata.annotations ?? null, argoWave: wave };
  const id = idOf({ ...manifest, ...metadata });
  if (manifest.kind === 'Namespace') return { id, fields: common };
  if (manifest.kind !== 'Application') return { id, fields: { ...common, spec: manifest.spec ?? null } };
  const sources = Array.isArray(spec['sources']) ? spec['sources'] : [spec['source']];
  return {
    id,
    fields: {
      ...common,
      finalizers: metadata.finalizers ?? null,
      project: spec['project'],
      destination: spec['destination'],
      syncPolicy: spec['syncPolicy'] ?? null,
      ignoreDifferences: spec['ignoreDifferences'] ?? null,
      sources: sources.map(sourceFields),
    },
  };
}

/** Of a source, what recordings have: without parameters. */
function sourceFields(source: unknown): object {
  const { helm, ...rest } = mapOf(source);
  const { valueFiles } = mapOf(helm);
  return { ...rest, ...(valueFiles !== undefined && { valueFiles }) };
}

/** A gate as the hook Job that is rendered for it. What is watched is that of the gate: a Job has it in its
 *  environment, with the group of the kind. */
function gateFields({ name, wave, waitsFor }: Gate, jobs: readonly object[]): ComparedObject {
  const { metadata, spec } = mapOf(jobs.find((each) => mapOf(mapOf(each)['metadata'])['name'] === name));
  const { 'argocd.argoproj.io/hook-delete-policy': _policy, ...annotations } = mapOf(mapOf(metadata)['annotations']);
  const containers = mapOf(mapOf(mapOf(spec)['template'])['spec'])['containers'];
  const container = mapOf(Array.isArray(containers) ? containers[0] : undefined);
  const namespace = waitsFor.kind === 'resource' && waitsFor.namespace !== undefined ? ` -n ${waitsFor.namespace}` : '';
  const isCommand = waitsFor.kind === 'command';
  return {
    id: idOf({ apiVersion: 'batch/v1', kind: 'Job', name }),
    fields: {
      labels: null,
      annotations,
      argoWave: wave,
      hook: annotations['argocd.argoproj.io/hook'],
      image: container['image'],
      command: isCommand ? container['command'] : null,
      watched: isCommand ? null : { ocGetArguments: `${waitsFor.type} ${waitsFor.name ?? ''}${namespace}` },
    },
  };
}

function idOf(object: Readonly<Record<string, unknown>>): string {
  return [object['apiVersion'], object['kind'], object['namespace'], object['name']]
    .map((part) => part ?? '-')
    .join(' ');
}

export function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
