import { listAt, mappingAt, memberOf } from '../openshift/member.ts';
import { managedByLabel } from '../sequences/own-object.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { stable } from '../text/stable.ts';
import { labelAtMost, labelValue } from './label-value.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** Which Job it is: equal for equal turns, whoever goes on with them. */
export interface TurnJobId {
  readonly run: string;
  /** Which time the run takes its nodes: another one, another Job. */
  readonly round: string;
  readonly node: string;
  /** The rule as the run names it, with its namespace: `databases/move-primary`. */
  readonly rule: string;
  /** `before`: jobSpec, before the node may go. `after`: cleanUpJobSpec, once it is back. */
  readonly part: 'before' | 'after';
  /** From 1. */
  readonly attempt: number;
}

/** What else a Job is told. */
export interface TurnJobContext {
  readonly pool: string;
  /** The rendered config that the node is taken to. */
  readonly targetConfig: string;
  /** Somebody had cordoned the node before its turn. */
  readonly wasCordoned?: boolean;
}

/** What of a rule its Jobs are made of. */
export interface JobRule {
  /** How its name begins. */
  readonly jobName: string;
  readonly jobNamespace: string;
  /** `spec` of batch/v1. */
  readonly jobSpec: Mapping;
  /** Of one attempt. */
  readonly timeoutSeconds: number;
  /** It runs on the node itself; otherwise never there. */
  readonly onTargetNode: boolean;
}

export interface TurnJob {
  readonly namespace: string;
  readonly name: string;
  readonly manifest: Mapping;
}

/** Labels of our Jobs and of their pods. */
export const runLabel = 'poolkeeper.dev/run';
const nodeLabel = 'poolkeeper.dev/node';
const poolLabel = 'poolkeeper.dev/pool';
const partLabel = 'poolkeeper.dev/part';
/** The whole id: what was cut in labels and in the name. */
export const turnAnnotation = 'poolkeeper.dev/turn';

/** The node was cordoned before its turn, and is to be again after it. */
export const wasCordonedAnnotation = 'poolkeeper.dev/was-cordoned';

/** Seconds that a finished Job and its log stay, at least: a day. Until it was seen its end is known from nothing else,
 *  and people look the next morning. */
const keptSeconds = 86_400;

/** The Job of a rule, or of its clean-up, for one node. The user's own spec stays as it is, but for what a turn needs:
 *  its environment, its distance from the node, its end. */
export function turnJob(rule: JobRule, id: TurnJobId, context: TurnJobContext): TurnJob {
  const name = turnJobName(rule.jobName, id);
  const { jobNamespace: namespace, jobSpec } = rule;
  const labels = {
    ...managedByLabel,
    [runLabel]: labelValue(id.run),
    [nodeLabel]: labelValue(id.node),
    [poolLabel]: labelValue(context.pool),
    [partLabel]: id.part,
  };
  const template = mappingAt(jobSpec, 'template');
  const metadata = mappingAt(template, 'metadata');
  return {
    namespace,
    name,
    manifest: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace, labels, annotations: { [turnAnnotation]: idText(id), ...cordonedMark(context) } },
      spec: {
        ...jobSpec,
        // Its attempts are counted by the run, each with its own log.
        backoffLimit: jobSpec['backoffLimit'] ?? 0,
        activeDeadlineSeconds: least(jobSpec['activeDeadlineSeconds'], rule.timeoutSeconds),
        ttlSecondsAfterFinished: most(jobSpec['ttlSecondsAfterFinished'], keptSeconds),
        template: {
          ...template,
          metadata: { ...metadata, labels: { ...mappingAt(metadata, 'labels'), ...labels } },
          spec: podSpec(mappingAt(template, 'spec'), id, { ...context, onTargetNode: rule.onTargetNode }),
        },
      },
    },
  };
}

function cordonedMark({ wasCordoned }: TurnJobContext): Readonly<Record<string, string>> {
  return wasCordoned === true ? { [wasCordonedAnnotation]: 'true' } : {};
}

/** At most 63 characters, because it becomes a label of its pods; a name that DNS takes, because pods are called so. */
export function turnJobName(jobName: string, id: TurnJobId): string {
  const suffix = `${fingerprint(idText(id))}-${id.attempt}`;
  const beginning = jobName
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
    .slice(0, labelAtMost - suffix.length - 1)
    .replace(/^-+/, '');
  const kept = beginning.endsWith('-') ? beginning.slice(0, lastOther(beginning)) : beginning;
  return kept === '' ? `turn-${suffix}` : `${kept}-${suffix}`;
}

/** Whether a Job of this name is the one that the turn made: another one is nobody's answer. */
export function isTurnJob(job: unknown, id: TurnJobId): boolean {
  return memberOf(mappingAt(mappingAt(job, 'metadata'), 'annotations'), turnAnnotation) === idText(id);
}

/** One more than the place of the last character that is no dash. */
function lastOther(text: string): number {
  let end = text.length;
  while (end > 0 && text[end - 1] === '-') end -= 1;
  return end;
}

function idText({ run, round, node, rule, part, attempt }: TurnJobId): string {
  return stable({ run, round, node, rule, part, attempt });
}

function least(own: unknown, most: number): number {
  return typeof own === 'number' ? Math.min(own, most) : most;
}

function most(own: unknown, least: number): number {
  return typeof own === 'number' ? Math.max(own, least) : least;
}

interface PodContext extends TurnJobContext {
  readonly onTargetNode: boolean;
}

const containerLists: readonly string[] = ['initContainers', 'containers', 'ephemeralContainers'];

function podSpec(spec: Mapping, id: TurnJobId, context: PodContext): Mapping {
  const told = environmentOf(id, context);
  const lists = containerLists.flatMap((key) =>
    Array.isArray(spec[key]) ? [[key, listAt(spec, key).map((container) => withEnvironment(container, told))]] : [],
  );
  return { ...spec, ...Object.fromEntries(lists), affinity: withNode(mappingAt(spec, 'affinity'), id.node, context) };
}

interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
}

/** The first two are the reference's. */
function environmentOf(id: TurnJobId, { pool, targetConfig }: TurnJobContext): readonly EnvironmentVariable[] {
  return [
    { name: 'NODE_NAME', value: id.node },
    { name: 'MUTEX_RULE', value: id.rule.slice(id.rule.lastIndexOf('/') + 1) },
    { name: 'POOLKEEPER_RUN', value: id.run },
    { name: 'POOLKEEPER_ROUND', value: id.round },
    { name: 'POOLKEEPER_POOL', value: pool },
    { name: 'POOLKEEPER_TARGET_CONFIG', value: targetConfig },
    { name: 'POOLKEEPER_PART', value: id.part },
    { name: 'POOLKEEPER_ATTEMPT', value: String(id.attempt) },
  ];
}

/** Ours stand first: a value may refer to variables before it, as `$(NODE_NAME)`. The user's own follow as they are,
 *  but for those of our names, which would hide what the turn says. */
function withEnvironment(container: unknown, told: readonly EnvironmentVariable[]): unknown {
  if (typeof container !== 'object' || container === null) return container;
  const names = new Set<unknown>(told.map(({ name }) => name));
  const own = listAt(container, 'env').filter((each) => !names.has(memberOf(each, 'name')));
  return { ...container, env: [...told, ...own] };
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

/** The user's affinity, and not on this node (or only there). Terms are alternatives, so each gets it. By the name of
 *  the node: its label `kubernetes.io/hostname` may be another. A term without a requirement matches no node, and with
 *  ours it would match many: it is left out. */
function withNode(affinity: Mapping, node: string, { onTargetNode }: PodContext): Mapping {
  const nodeAffinity = mappingAt(affinity, 'nodeAffinity');
  const own = mappingAt(nodeAffinity, required);
  const field = { key: 'metadata.name', operator: onTargetNode ? 'In' : 'NotIn', values: [node] };
  const written = listAt(own, 'nodeSelectorTerms');
  const terms = written.filter((term) => !isEmptyTerm(term)).map((term) => withField(term, field));
  // Where all of the user's own are empty the Job can run nowhere, and the API server is left to say so.
  const all = terms.length > 0 ? terms : written.length > 0 ? written : [withField({}, field)];
  return { ...affinity, nodeAffinity: { ...nodeAffinity, [required]: { ...own, nodeSelectorTerms: all } } };
}

export function isEmptyTerm(term: unknown): boolean {
  return listAt(term, 'matchExpressions').length === 0 && listAt(term, 'matchFields').length === 0;
}

function withField(term: unknown, field: Mapping): unknown {
  if (typeof term !== 'object' || term === null) return term;
  return { ...term, matchFields: [...listAt(term, 'matchFields'), field] };
}
