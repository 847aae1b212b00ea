import { mayName, type Namesake, namedBy, trackedBy, trackedText } from '../argocd/tracking.ts';
import type { Cause, CauseKind } from '../openshift/render-cause.ts';
import { generatedByAnnotation } from '../openshift/rendered-kinds.ts';
import { ifGiven } from '../text/if-given.ts';
import { listed, shortRevision } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';
import { ownChanges } from './class-of-change.ts';
import { type FacetChange, subjectOf } from './facet-change.ts';
import type { MachineConfigContent } from './machine-config.ts';

/** One MachineConfig that a pool merges. Its metadata tells whether it changed; its content, where readable, tells
 *  more. */
export type RenderSource = Pick<MachineConfigContent, 'name' | 'annotations' | 'resourceVersion' | 'owners'> & {
  readonly uid?: string | undefined;
  /** Changes with the spec only; resourceVersion also changes with labels. */
  readonly generation?: number | undefined;
  readonly content?: MachineConfigContent | undefined;
  /** What of it differs between the two renders, by key; if known, it takes precedence over everything else. */
  readonly moved?: readonly string[] | undefined;
};

/** What an Application manages that the MCO reads, by group, kind and name, and what its sources are synced to. */
export interface Managed {
  readonly application: string;
  /** It is in the namespace of its Argo CD, whose marks name it without one; undefined: not known. */
  readonly isAtHome?: boolean | undefined;
  /** Of its sources, each once; none: unknown. Argo CD does not say which source an object comes from. */
  readonly revisions: readonly string[];
  readonly resources: readonly {
    readonly group: string;
    readonly kind: string;
    readonly name: string;
    /** It differs from these. */
    readonly differs?: boolean | undefined;
  }[];
}

/** Why a pool was re-rendered, from the sources that differ between two renders. Git is named only for a MachineConfig
 *  that really changed and that an Application manages, or for an object that an Application manages and from which the
 *  MCO generated a MachineConfig, so that nobody is blamed for a certificate. No difference: no cause. Names: `00-`,
 *  `01-` are templates, `97-`, `98-`, `99-<pool>-generated-*` come from settings. Source:
 *  machine-config-operator pkg/controller/template, kubelet-config and container-runtime-config. */
export function causeOfRender(
  before: readonly RenderSource[],
  after: readonly RenderSource[],
  managed: readonly Managed[],
): readonly Cause[] {
  const old = new Map(before.map((source) => [source.name, source]));
  const now = new Map(after.map((source) => [source.name, source]));
  const names = unique([...old.keys(), ...now.keys()]);
  const found = names.flatMap((name) => {
    const cause = causeOfSource(old.get(name), now.get(name), managed);
    return cause === undefined ? [] : [{ name, ...cause }];
  });
  const grouped = Map.groupBy(found, ({ kind, why }) => `${kind} ${why}`);
  return [...grouped.values()].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [{ kind: first.kind, why: first.why, by: first.by, sources: [first, ...rest].map(({ name }) => name) }],
  );
}

type Judged = Omit<Cause, 'sources'>;

function causeOfSource(
  before: RenderSource | undefined,
  after: RenderSource | undefined,
  managed: readonly Managed[],
): Judged | undefined {
  const source = after ?? before;
  if (source === undefined || isUnchanged(before, after)) return undefined;
  if (isOtherRelease(before, after))
    return { kind: 'release-image', why: 'the cluster runs another release of the Machine Config Operator' };

  return (
    managedCause(managed, { kind: 'MachineConfig', name: source.name, annotations: source.annotations }) ??
    generatedCause(source, managed) ??
    templateCause(before, after) ??
    operatorCause(source) ??
    lone(before, after)
  );
}

/** The same object with the same spec, as far as both sides are known. */
function isUnchanged(before: RenderSource | undefined, after: RenderSource | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  if (after.moved !== undefined) return after.moved.length === 0;
  if (before.resourceVersion !== '' && before.resourceVersion === after.resourceVersion) return true;
  if (before.uid !== undefined && before.generation !== undefined)
    return before.uid === after.uid && before.generation === after.generation;
  if (before.content === undefined || after.content === undefined) return false;
  return ownChanges({ before: before.content, after: after.content }).length === 0 && !isOtherRelease(before, after);
}

/** It was written by another release of the operator: an upgrade rewrites every generated MachineConfig. */
function isOtherRelease(before: RenderSource | undefined, after: RenderSource | undefined): boolean {
  const [old, now] = [before?.annotations[generatedByAnnotation], after?.annotations[generatedByAnnotation]];
  return old !== undefined && now !== undefined && old !== now;
}

type Named = Readonly<Record<'kind' | 'name', string>>;

/** Undefined if no Application manages the object. What one says of itself that it manages is no proof: of several, the
 *  one counts that Argo CD's mark on the object names. */
function managedCause(
  managed: readonly Managed[],
  { annotations, ...object }: Named & Pick<RenderSource, 'annotations'>,
): Judged | undefined {
  const isClaiming = (each: Managed) => resourceIn(each, object) !== undefined;
  const claiming = managed.filter(isClaiming);
  const tracked = trackedBy({ ...object, annotations });
  const marked = tracked === undefined ? [] : namedBy(tracked, managed, namesakeOf).filter(isClaiming);
  const [first, ...others] = marked.length > 0 ? marked : claiming;
  const isByMark = tracked !== undefined && marked.length === 0;
  if (first !== undefined && others.length === 0 && !isByMark) return fromGit(first, object);
  const known = [...ifGiven(first), ...others].map(({ application }) => application);
  // Where the mark may name several of these, nobody knows which, and it is none besides.
  const isOther = isByMark && claiming.filter((each) => mayName(tracked, namesakeOf(each))).length < 2;
  const names = unique([...known, ...(isOther ? [trackedText(tracked)] : [])]);
  return names.length === 0
    ? undefined
    : { kind: 'git', why: `${object.kind} ${object.name}${claimText(names, known)}` };
}

function namesakeOf({ application, isAtHome }: Managed): Namesake {
  const [name = '', namespace = ''] = application.split('/').toReversed();
  return { namespace, name, isAtHome };
}

/** No commit is named: which of them has changed it, or to what that is synced, is not known. */
function claimText(names: readonly string[], known: readonly string[]): string {
  if (names.length === 1) return ` of Application ${names.join()}${known.length === 0 ? ', as its mark says' : ''}`;
  return `, which Applications ${listed(names, 3)} ${names.length === 2 ? 'both' : 'all'} claim`;
}

function resourceIn({ resources }: Managed, { kind, name }: Named): Managed['resources'][number] | undefined {
  return resources.find((each) => each.kind === kind && each.name === name && each.group.endsWith('openshift.io'));
}

/** Of an Application of several sources. */
const revisionsKept = 10;

function fromGit(managed: Managed, object: Named): Judged {
  const { application, revisions } = managed;
  const commit = revisions.length === 0 ? 'an unknown commit' : listed(revisions.map(shortRevision), 3);
  const what = `${object.kind} ${object.name} of Application ${application}`;
  // Changed since, or that commit is not synced yet: it is not the cause.
  if (resourceIn(managed, object)?.differs === true)
    return {
      kind: 'git',
      why: `${what}, which differs from ${commit}: an earlier commit, or a manual change`,
      by: { application, revision: '' },
    };
  const [revision = '', ...others] = revisions;
  const by =
    others.length === 0
      ? { application, revision }
      : { application, revision: '', oneOf: revisions.slice(0, revisionsKept) };
  return { kind: 'git', why: `${what}, synced to ${commit}`, by };
}

/** MachineConfigs that the MCO generates from settings: named after the pool, and owned by the object that they come
 *  from, if there is one. */
const generated: readonly (readonly [RegExp, CauseKind, string])[] = [
  [/^99-.+-generated-kubelet(?:-\d+)?$/, 'kubelet-config', 'a KubeletConfig'],
  [/^99-.+-generated-containerruntime(?:-\d+)?$/, 'container-runtime-config', 'a ContainerRuntimeConfig'],
  [
    /^9[79]-.+-generated-(?:registries|credentialproviderconfig)$/,
    'registries',
    'mirror sets, Image or image policies',
  ],
  [/^97-.+-generated-kubelet$/, 'cluster-settings', 'Node settings of the cluster'],
  [/^98-.+-generated-kubelet$/, 'cluster-settings', 'feature gates or the TLS profile of the cluster'],
];

/** Kinds that `generated-registries` is built from: any of them may be the cause. */
const registryKinds: readonly string[] = [
  'ImageDigestMirrorSet',
  'ImageTagMirrorSet',
  'ImageContentSourcePolicy',
  'Image',
  'ClusterImagePolicy',
  'ImagePolicy',
];

function generatedCause(source: RenderSource, managed: readonly Managed[]): Judged | undefined {
  const rule = generated.find(([pattern]) => pattern.test(source.name));
  if (rule === undefined) return undefined;
  const [, kind, made] = rule;
  for (const owner of source.owners) {
    const cause = managedCause(managed, { kind: owner.kind, name: owner.name, annotations: {} });
    if (cause !== undefined) return cause;
  }
  const [owner] = source.owners.filter((each) => each.kind !== 'MachineConfigPool' && each.kind !== 'ControllerConfig');
  if (owner !== undefined) return { kind, why: `${owner.kind} ${owner.name}, not managed by any Application` };
  const possible = kind === 'registries' ? managed.filter((each) => managesAny(each, registryKinds)) : [];
  const doubt =
    possible.length === 0
      ? ''
      : `; such objects are in ${listed(
          possible.map(({ application }) => application),
          5,
        )}`;
  return { kind, why: `${made}${doubt}` };
}

function managesAny({ resources }: Managed, kinds: readonly string[]): boolean {
  return resources.some(({ kind }) => kinds.includes(kind));
}

const templateName = /^(?:00-[a-z0-9.-]+|01-.+-(?:container-runtime|kubelet))$/;

/** What changes in a template, by path. Source: MCO templates/common and ControllerConfig. */
const templateFiles: readonly (readonly [RegExp, CauseKind, string])[] = [
  [/^file \/var\/lib\/kubelet\/config\.json$/, 'pull-secret', 'the global pull secret of the cluster'],
  [/^file .*(?:\/pki\/|ca-bundle|[./-]ca\.crt|kubelet-ca|root-ca)/, 'certificates', 'CA certificates of the cluster'],
  [/^file .*proxy|^unit .*proxy/, 'proxy', 'the Proxy settings of the cluster'],
  [/^(?:osImageURL|baseOSExtensionsContainerImage) /, 'release-image', 'another OS image of the cluster'],
];

/** Templates and MachineConfigs generated from settings: the MCO rewrites all of these with each release. */
export function isTemplateName(name: string): boolean {
  return templateName.test(name) || generated.some(([pattern]) => pattern.test(name));
}

function templateCause(before: RenderSource | undefined, after: RenderSource | undefined): Judged | undefined {
  const source = after ?? before;
  if (source === undefined || !templateName.test(source.name) || !(generatedByAnnotation in source.annotations))
    return undefined;
  const keys = changedKeys(before, after);
  const [first, ...others] = keys.map((key) => templateFiles.find(([pattern]) => pattern.test(key)));
  if (first !== undefined && others.every((each) => each === first)) return { kind: first[1], why: first[2] };
  return {
    kind: 'template',
    why: 'settings of the cluster (ControllerConfig): certificates, pull secret, proxy or network',
  };
}

function changedKeys(before: RenderSource | undefined, after: RenderSource | undefined): readonly string[] {
  if (after?.moved !== undefined) return after.moved;
  if (before?.content === undefined || after?.content === undefined) return [];
  return ownChanges({ before: before.content, after: after.content }).flatMap((change: FacetChange) => {
    const subject = subjectOf(change);
    return subject === undefined ? [] : [subject.key];
  });
}

/** Other operators write MachineConfigs under their own names and usually own them. */
function operatorCause({ name, owners, annotations }: RenderSource): Judged | undefined {
  const owner = owners.find(({ kind }) => ['Profile', 'PerformanceProfile', 'Tuned'].includes(kind));
  const isTuning =
    owner !== undefined || /^50-(?:nto|performance)-/.test(name) || hasPrefix(annotations, 'tuned.openshift.io/');
  if (isTuning)
    return {
      kind: 'tuning',
      why:
        owner === undefined ? 'the Node Tuning Operator' : `${owner.kind} ${owner.name}, by the Node Tuning Operator`,
    };
  const [other] = owners;
  if (other !== undefined) return { kind: 'another-operator', why: `${other.kind} ${other.name}` };
  return generatedByAnnotation in annotations
    ? { kind: 'cluster-settings', why: 'settings of the cluster, from which the Machine Config Operator generates it' }
    : undefined;
}

function hasPrefix(annotations: Readonly<Record<string, string>>, prefix: string): boolean {
  return Object.keys(annotations).some((key) => key.startsWith(prefix));
}

/** No known origin. */
function lone(before: RenderSource | undefined, after: RenderSource | undefined): Judged {
  if (before !== undefined && after !== undefined)
    return { kind: 'unmanaged', why: 'not managed by any known Application: by hand, or by another program' };
  const what = before === undefined ? 'came' : 'went';
  return {
    kind: 'membership',
    why: `it ${what} and is not managed by any known Application: by hand, by labels or the selector of the pool, or by a commit that removed it`,
  };
}
