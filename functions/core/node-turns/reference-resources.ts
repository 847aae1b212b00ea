import { listAt, mappingAt, memberOf, textAt } from '../openshift/member.ts';
import { ifGiven } from '../text/if-given.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** An object as it stands in a file, or in a cluster. */
export interface ReferenceObject {
  /** For people: `mutex/rules.yaml`, or the cluster. */
  readonly source: string;
  readonly object: unknown;
}

/** What is told of an object. `refused`: nothing of it can be taken. `not taken`: a key of it has no meaning here.
 *  `hint`: it is read otherwise than it may seem. */
export interface ReferenceRemark {
  readonly kind: 'refused' | 'not taken' | 'hint';
  readonly source: string;
  /** `MutexRule databases/move-primary: spec.host`. */
  readonly at: string;
  /** Completes "<at> ...". */
  readonly says: string;
}

/** The three resources of the Node Upgrade Mutex Operator in the form of the section `nodeTurns`, still to be checked
 *  by its schema: keys and values are as they were written. */
export interface ReferenceSection {
  readonly rules: Readonly<Record<string, Mapping>>;
  readonly targets: Readonly<Record<string, Mapping>>;
  readonly runs: Readonly<Record<string, Mapping>>;
  readonly remarks: readonly ReferenceRemark[];
}

export const referenceGroup = 'openshift-optional.skrzypek.io';
const versions: readonly string[] = [`${referenceGroup}/v1alpha1`];

/** The kinds, and what they are called in the API. */
export const referenceKinds = {
  MutexRule: 'mutexrules',
  MutexTarget: 'mutextargets',
  MutexRunConfig: 'mutexrunconfigs',
} as const;
type ReferenceKind = keyof typeof referenceKinds;

/** Reads them unchanged.
 *  @param cluster the cluster that runs are of; undefined: the section has to name it */
export function readReference(objects: readonly ReferenceObject[], cluster: string | undefined): ReferenceSection {
  const remarks: ReferenceRemark[] = [];
  const found = objects.flatMap((each) => {
    const identified = identify(each, remarks);
    return ifGiven(identified);
  });
  const placed = found.map((each) => inNamespace(each, found, remarks));
  const of = (kind: ReferenceKind) => placed.filter((each) => each.kind === kind);
  return {
    rules: keyed(of('MutexRule'), partKey, (each) => ruleOf(each, remarks), remarks),
    targets: keyed(of('MutexTarget'), partKey, (each) => targetOf(each, remarks), remarks),
    runs: keyed(
      of('MutexRunConfig'),
      ({ name }) => name,
      (each) => runOf(each, cluster, remarks),
      remarks,
    ),
    remarks,
  };
}

interface Identified {
  readonly source: string;
  readonly kind: ReferenceKind;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly spec: Mapping;
}

/** Of the metadata of an object, what the API server or whoever applied it has written. */
const ofTheServer: readonly string[] = [
  'creationTimestamp',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
];

/** Undefined: it is none of the three, or nothing of it can be taken. */
function identify({ source, object }: ReferenceObject, remarks: ReferenceRemark[]): Identified | undefined {
  const kind = textAt(object, 'kind') ?? 'an object without a kind';
  const metadata = mappingAt(object, 'metadata');
  const name = textAt(metadata, 'name');
  const namespace = textAt(metadata, 'namespace');
  const at = `${kind}${name === undefined ? '' : ` ${namespace === undefined ? '' : `${namespace}/`}${name}`}`;
  const say = (what: ReferenceRemark['kind'], where: string, says: string): undefined => {
    remarks.push({ kind: what, source, at: where, says });
  };
  if (!isReferenceKind(kind)) return say('not taken', at, 'is none of MutexRule, MutexTarget and MutexRunConfig');
  if (!versions.includes(textAt(object, 'apiVersion') ?? ''))
    return say('refused', `${at}: apiVersion`, `must be ${versions.join(' or ')}`);
  if (name === undefined) return say('refused', `${at}: metadata.name`, 'is missing');
  const spec = memberOf(object, 'spec');
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec))
    return say('refused', `${at}: spec`, 'is missing, or no mapping');
  for (const key of keysOf(object).filter(
    (each) => !['apiVersion', 'kind', 'metadata', 'spec', 'status'].includes(each),
  ))
    say('not taken', `${at}: ${key}`, 'has no meaning here');
  for (const key of Object.keys(metadata).filter((each) => !['name', 'namespace', ...ofTheServer].includes(each)))
    say('not taken', `${at}: metadata.${key}`, 'has no meaning here');
  return { source, kind, name, namespace, spec: mappingAt(object, 'spec') };
}

const listOfKind = { MutexRule: 'mutexRules', MutexTarget: 'mutexTargets' } as const;

/** Files often leave it to whoever applies them: then a rule or target is where the runs say that it is. */
function inNamespace(each: Identified, all: readonly Identified[], remarks: ReferenceRemark[]): Identified {
  if (each.namespace !== undefined) return each;
  const { source, kind, name } = each;
  const say = (says: string) =>
    remarks.push({ kind: 'hint', source, at: `${titleOf(each)}: metadata.namespace`, says: `is missing; ${says}` });
  if (kind === 'MutexRunConfig') {
    say('it is read as poolkeeper');
    return each;
  }
  const named = all
    .filter((run) => run.kind === 'MutexRunConfig')
    .flatMap(({ spec }) => listAt(spec, listOfKind[kind]))
    .filter((reference) => memberOf(reference, 'name') === name)
    .map((reference) => textAt(reference, 'namespace'));
  const [namespace, ...others] = new Set(named);
  const isOther = all.some((other) => other.kind === kind && other.name === name && other.namespace === namespace);
  if (namespace === undefined || others.length > 0 || isOther) {
    say('it is read as that of the run');
    return each;
  }
  say(`it is read as ${namespace}, as its runs have it`);
  return { ...each, namespace };
}

function isReferenceKind(kind: string): kind is ReferenceKind {
  return Object.hasOwn(referenceKinds, kind);
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/** Two rules of one name in two namespaces are two. */
function partKey({ name, namespace }: Identified): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function titleOf({ kind, name, namespace }: Identified): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** By their keys. What has the key of another one is refused: nobody knows which was meant. */
function keyed(
  found: readonly Identified[],
  keyOf: (each: Identified) => string,
  read: (each: Identified) => Mapping,
  remarks: ReferenceRemark[],
): Readonly<Record<string, Mapping>> {
  const entries = new Map<string, Mapping>();
  const first = new Map<string, Identified>();
  for (const each of found) {
    const key = keyOf(each);
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, each);
      entries.set(key, read(each));
    } else {
      const says = `has the name of ${titleOf(other)} in ${other.source}; only that one is read`;
      remarks.push({ kind: 'refused', source: each.source, at: titleOf(each), says });
    }
  }
  return Object.fromEntries(entries);
}

/** The named keys of a mapping. Whatever else it has is told. */
function taken(
  of: Identified,
  { value, place, keys }: { readonly value: unknown; readonly place: string; readonly keys: readonly string[] },
  remarks: ReferenceRemark[],
): Mapping {
  for (const key of keysOf(value).filter((each) => !keys.includes(each)))
    remarks.push({
      kind: 'not taken',
      source: of.source,
      at: `${titleOf(of)}: ${place}.${key}`,
      says: 'has no meaning here',
    });
  const found = keys.flatMap((key) => {
    const member = memberOf(value, key);
    return member === undefined ? [] : [[key, member] as const];
  });
  return Object.fromEntries(found);
}

const ruleKeys = ['type', 'jobName', 'jobNamespace', 'jobSpec', 'cleanUpJobSpec'];

function ruleOf(rule: Identified, remarks: ReferenceRemark[]): Mapping {
  return taken(rule, { value: rule.spec, place: 'spec', keys: ruleKeys }, remarks);
}

function targetOf(target: Identified, remarks: ReferenceRemark[]): Mapping {
  return taken(target, { value: target.spec, place: 'spec', keys: ['machineConfigPools'] }, remarks);
}

const runKeys = ['canary', 'mutexRules', 'mutexTargets', 'skipTLSVerify'];

/** The reference knows one way to let a node go: by the canary pool. */
function runOf(run: Identified, cluster: string | undefined, remarks: ReferenceRemark[]): Mapping {
  const spec = taken(run, { value: run.spec, place: 'spec', keys: runKeys }, remarks);
  const canary = taken(run, { value: spec['canary'], place: 'spec.canary', keys: ['name'] }, remarks);
  const lists = ['mutexRules', 'mutexTargets'].flatMap((key) => {
    const list = spec[key];
    if (!Array.isArray(list)) return [];
    return [[key, list.map((each: unknown, index) => referenceOf(run, { each, key, index }, remarks))] as const];
  });
  return {
    ...(cluster !== undefined && { cluster }),
    ...(run.namespace !== undefined && { namespace: run.namespace }),
    mode: 'canary',
    ...spec,
    ...(Object.keys(canary).length > 0 && { canary }),
    ...Object.fromEntries(lists),
  };
}

function referenceOf(
  run: Identified,
  { each, key, index }: { readonly each: unknown; readonly key: string; readonly index: number },
  remarks: ReferenceRemark[],
): unknown {
  const place = `spec.${key}[${index}]`;
  if (typeof each !== 'object' || each === null) return each;
  const reference = taken(run, { value: each, place, keys: ['name', 'namespace'] }, remarks);
  if (reference['namespace'] === undefined)
    remarks.push({
      kind: 'hint',
      source: run.source,
      at: `${titleOf(run)}: ${place}.namespace`,
      says: `is missing; it is read as that of the run, ${run.namespace ?? 'poolkeeper'}`,
    });
  return reference;
}
