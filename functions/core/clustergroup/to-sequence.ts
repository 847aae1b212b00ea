import type { GroupApplication } from './applications.ts';
import type { ExtraObject } from './extra-objects.ts';
import type { Gate } from './gate.ts';
import type { ImportedGroup } from './import-group.ts';
import type { GroupManifest } from './manifest.ts';
import { hint, notTaken, type Remark, trap } from './remark.ts';
import type { Operator } from './subscriptions.ts';
import { at, isSet, mergeValues, textAt, textOf, type Value, type Values } from './values.ts';
import { isWave, waveAnnotation } from './wave.ts';

/** What the values of a group do not say. */
export interface SequenceOptions {
  /** Its name; default: pattern and group. */
  readonly name?: string;
  /** The cluster of its steps in poolkeeper.yaml. */
  readonly cluster: string;
  /** The group's Argo CD in poolkeeper.yaml, if there are several. */
  readonly argocd?: string;
}

export interface WrittenSequence {
  /** The section `sequences` of poolkeeper.yaml. */
  readonly sequences: Values;
  readonly remarks: readonly Remark[];
}

interface Step {
  /** Its key, before it is told from others. */
  readonly key: string;
  readonly kind: 'operator' | 'application' | 'object';
  readonly wave: number;
  readonly written: Values;
  /** It is written as disabled. */
  readonly isOff?: boolean;
}

/** A group as a sequence: one step for each Subscription, ClusterExtension, Application and extra object, and each gate
 *  at the step that it belongs to. */
export function toSequence(imported: ImportedGroup, options: SequenceOptions): WrittenSequence {
  const { group, operators, applications, objects } = imported;
  const taken = objects.filter(({ manifest }) => textAt(manifest, 'kind') !== 'Secret');
  const keys = apart(taken.map(({ key }) => keyOf(key)));
  const extraKeys = new Map(taken.map(({ key }, index) => [key, keys[index] ?? '']));
  const last = lastWave(imported);
  const steps = withKeys([
    ...operators.flatMap((operator) => operatorSteps(operator, isApprovedUnasked(group))),
    ...applications.map((application) => ({
      ...applicationStep(application, group.argoNamespace, options),
      isOff: isUnordered(application, last),
    })),
    ...taken.map((object) => objectStep(object, extraKeys.get(object.key) ?? '')),
  ]);
  const extraObjects = Object.fromEntries(taken.map((object) => [extraKeys.get(object.key) ?? '', readable(object)]));
  const name = options.name ?? keyOf(`${group.pattern}-${group.name}`);
  const remarks = [
    ...operators.flatMap((operator) => pinRemarks(operator, isApprovedUnasked(group))),
    ...objects.flatMap((object) => objectRemarks(object, taken.includes(object))),
    ...applications.flatMap((application) => applicationRemarks(application, last)),
  ];
  if (Object.keys(steps).length === 0) {
    const says = 'has no operator, Application or object: there is nothing to put in order';
    return { sequences: {}, remarks: [...remarks, notTaken('no-steps', 'clusterGroup', says)] };
  }
  return {
    sequences: {
      [name]: {
        description: `cluster group ${group.name} of the pattern ${group.pattern}`.slice(0, 200),
        clusters: [options.cluster],
        ...(taken.length > 0 && { extraObjects }),
        steps,
      },
    },
    remarks,
  };
}

/** The highest wave of what does not come from an Application. */
function lastWave({ operators, objects }: ImportedGroup): number {
  const waves = operators.flatMap(({ wave, manifests, gate }) => [
    ...(manifests.length > 0 ? [wave] : []),
    ...(gate === undefined ? [] : [gate.wave]),
  ]);
  return Math.max(0, ...waves, ...objects.map(({ wave }) => wave));
}

/** In the framework nobody waits for an Application. As a step it would hold back the operators that it needs. */
function isUnordered({ wave, hasWave }: GroupApplication, last: number): boolean {
  return !hasWave && wave < last;
}

function applicationRemarks(application: GroupApplication, last: number): readonly Remark[] {
  const { at: where, name, wave, hasWave } = application;
  if (isUnordered(application, last)) {
    const says =
      'no wave: in the framework it is created first and nobody waits for it. As a step in wave 0 it would hold back the operators and gates of higher waves, which it may need itself; so it is disabled: give it a wave if others are to wait for it';
    return [trap('application-without-wave', where, says)];
  }
  if (!hasWave || wave >= last) return [];
  const says = `${name} has wave ${wave}, and operators or gates up to wave ${last} wait for it as a step, though not in the framework: if it needs one of them, that never ends`;
  return [trap('application-before-operators', where, says)];
}

/** A wave that is no integer is written as Argo CD reads it: a sequence refuses the other. */
function readable({ manifest, wave }: ExtraObject): Values {
  const written = at(manifest, 'metadata', 'annotations', waveAnnotation);
  if (written === undefined || isWave(textOf(written))) return manifest;
  return mergeValues(manifest, { metadata: { annotations: { [waveAnnotation]: `${wave}` } } });
}

/** Steps by key, those of lower waves first. */
function withKeys(steps: readonly Step[]): Values {
  const counts = new Map<string, number>();
  for (const { key } of steps) counts.set(key, (counts.get(key) ?? 0) + 1);
  const keys = apart(steps.map(({ key, kind }) => (counts.get(key) === 1 ? key : `${key.slice(0, 45)}-${kind}`)));
  const keyed = steps.map((step, index): readonly [Step, string] => [step, keys[index] ?? '']);
  return Object.fromEntries(
    keyed
      .toSorted(([a], [b]) => a.wave - b.wave)
      .map(([{ written, isOff = false }, key]): readonly [string, Value] => [
        key,
        isOff ? { ...written, disabled: true } : written,
      ]),
  );
}

/** Keys of which no two are alike: one that was there before gets a number. */
function apart(keys: readonly string[]): readonly string[] {
  const used = new Set<string>();
  for (const key of keys) {
    let own = key;
    for (let number = 2; used.has(own); number += 1) own = `${key.slice(0, 57)}-${number}`;
    used.add(own);
  }
  return [...used];
}

/** A name of poolkeeper.yaml from any key: small letters, digits, dots and dashes, at most 63. */
function keyOf(text: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .slice(0, 60);
  const start = plain.search(/[a-z0-9]/);
  if (start === -1) return 'unnamed';
  const end =
    plain.length -
    [...plain]
      .reverse()
      .join('')
      .search(/[a-z0-9]/);
  return plain.slice(start, end);
}

/** In the list form the key is an index, which says nothing. */
function isIndex(key: string): boolean {
  return /^\d+$/.test(key);
}

/** A CronJob of the framework approves what waits for approval. */
function isApprovedUnasked({ values }: ImportedGroup['group']): boolean {
  return isSet(at(values, 'global', 'options', 'autoApproveManualInstallPlans'));
}

/** In the values `csv` is where OLM begins. It stays there only while somebody must approve each further step. */
function pinOf({ spec }: GroupManifest, isUnasked: boolean): string | undefined {
  return spec?.['installPlanApproval'] === 'Manual' && !isUnasked ? textAt(spec, 'startingCSV') : undefined;
}

function pinRemarks({ at: where, manifests }: Operator, isUnasked: boolean): readonly Remark[] {
  const [manifest] = manifests;
  const csv = textAt(manifest?.spec, 'startingCSV');
  if (manifest === undefined || csv === undefined || pinOf(manifest, isUnasked) !== undefined) return [];
  const says = `${csv} is where OLM begins, and nobody has to approve what comes after it: it goes on to the newest of the channel, so the step waits for whatever is installed, not for ${csv}`;
  return [hint('csv-not-pinned', `${where}.csv`, says)];
}

function operatorSteps({ key, name, wave, manifests, gate }: Operator, isUnasked: boolean): readonly Step[] {
  const own = keyOf(isIndex(key) ? name : key);
  return manifests.map((manifest, index) => {
    const isExtension = manifest.kind === 'ClusterExtension';
    const namespace = manifest.metadata.namespace;
    const csv = pinOf(manifest, isUnasked);
    return {
      key: manifests.length === 1 || namespace === undefined ? own : keyOf(`${own}-${namespace}`),
      kind: 'operator',
      wave,
      written: {
        kind: 'subscription',
        name,
        ...(namespace !== undefined && { namespace }),
        ...(isExtension && { olm: 'v1' }),
        ...(csv !== undefined && { csv }),
        wave,
        ...(gate !== undefined && index === 0 && { waitFor: waitForOf(gate, wave) }),
      },
    };
  });
}

/** A gate as `waitFor`, whose keys are those of `sequenceJob`. */
export function waitForOf({ waitsFor, wave, hookType, image }: Gate, parentWave: number): Values {
  const phases = hookType.split(',');
  return {
    ...(waitsFor.kind === 'command'
      ? { image: image ?? chartImage, command: waitsFor.command }
      : {
          resourceType: waitsFor.type,
          ...(waitsFor.name !== undefined && { resourceName: waitsFor.name }),
          ...(waitsFor.namespace !== undefined && { resourceNamespace: waitsFor.namespace }),
          ...(image !== undefined && { image }),
        }),
    ...(wave !== parentWave && { syncWave: wave }),
    ...hookOf(phases),
  };
}

/** A command of the chart was written for the tools of this image. */
const chartImage = 'quay.io/validatedpatterns/imperative-container:v1';

/** What runs in no phase of a sync holds nothing back, here as there. */
function hookOf(phases: readonly string[]): Values {
  if (phases.includes('Sync')) return {};
  const known = ['PreSync', 'PostSync', 'SyncFail'].find((phase) => phases.includes(phase));
  return known === undefined ? { disabled: true } : { hookType: known };
}

function applicationStep(
  { key, name, wave, project }: GroupApplication,
  namespace: string,
  { argocd }: SequenceOptions,
): Step {
  return {
    key: keyOf(isIndex(key) ? name : key),
    kind: 'application',
    wave,
    written: { kind: 'application', name, ...(argocd !== undefined && { argocd }), namespace, project, wave },
  };
}

function objectStep({ wave }: ExtraObject, key: string): Step {
  return { key, kind: 'object', wave, written: { kind: 'object', object: key, wave } };
}

/** Kinds that patterns have in `extraObjects` and that are in a namespace. */
const namespaced = [
  'ConfigMap',
  'CronJob',
  'Deployment',
  'Job',
  'Pod',
  'Role',
  'RoleBinding',
  'Service',
  'ServiceAccount',
];

function objectRemarks({ at: where, manifest }: ExtraObject, isTaken: boolean): readonly Remark[] {
  if (!isTaken) {
    return [notTaken('key-not-taken', where, 'a Secret: poolkeeper.yaml holds none; keep it where it is')];
  }
  const kind = textAt(manifest, 'kind') ?? '';
  if (!namespaced.includes(kind) || textAt(manifest, 'metadata', 'namespace') !== undefined) return [];
  const says = `this ${kind} has no namespace: in the chart Argo CD takes the destination of the group; as a step it needs one`;
  return [{ kind: 'hint', code: 'object-without-namespace', at: `${where}.metadata.namespace`, says }];
}
