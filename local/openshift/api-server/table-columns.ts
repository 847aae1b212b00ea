import { humanDuration } from './human-duration.ts';
import { isJsonObject, valueAt } from './json.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import type { ResourceType } from './resource-types.ts';

/** One column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'number' | 'date';
  readonly format: string;
  /** 1: shown only by `-o wide`. */
  readonly priority: 0 | 1;
  readonly cell: (object: KubernetesObject, now: Date) => unknown;
}

/** The columns of a kind, in their order. */
export function columnsOf(type: ResourceType): readonly Column[] {
  const own = kindColumns[type.kind];
  if (own) return [nameColumn, ...own];
  return [nameColumn, type.custom ? { ...age, type: 'date' } : age];
}

function column(name: string, cell: Column['cell'], more: Partial<Column> = {}): Column {
  return { name, type: 'string', format: '', priority: 0, cell, ...more };
}

const nameColumn = column('Name', ({ metadata }) => metadata.name, { format: 'name' });
const age = column('Age', ({ metadata }, now) => since(metadata.creationTimestamp, now));
const wide: Partial<Column> = { priority: 1 };

function since(timestamp: unknown, now: Date): string {
  return typeof timestamp === 'string' ? humanDuration(now.getTime() - Date.parse(timestamp)) : '<unknown>';
}

function field(name: string, path: readonly string[], more?: Partial<Column>): Column {
  return column(name, (object) => valueAt(object, path) ?? null, more);
}

function condition(name: string): Column {
  return column(name, (object) => conditionStatus(object, name) ?? null);
}

function conditionStatus(object: KubernetesObject, type: string): unknown {
  const found = listAt(object, ['status', 'conditions']).find((each) => each['type'] === type);
  return found?.['status'];
}

function listAt(object: unknown, path: readonly string[]) {
  const found = valueAt(object, path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}

const count: Partial<Column> = { type: 'number' };

const kindColumns: Readonly<Record<string, readonly Column[]>> = {
  MachineConfigPool: [
    field('Config', ['status', 'configuration', 'name']),
    condition('Updated'),
    condition('Updating'),
    condition('Degraded'),
    field('MachineCount', ['status', 'machineCount'], count),
    field('ReadyMachineCount', ['status', 'readyMachineCount'], count),
    field('UpdatedMachineCount', ['status', 'updatedMachineCount'], count),
    field('DegradedMachineCount', ['status', 'degradedMachineCount'], count),
    { ...age, type: 'date' },
  ],
  Node: [
    column('Status', nodeStatus),
    column('Roles', ({ metadata }) => rolesOf(metadata.labels)),
    age,
    column('Version', (node) => valueAt(node, ['status', 'nodeInfo', 'kubeletVersion']) ?? ''),
    column('Internal-IP', (node) => addressOf(node, 'InternalIP'), wide),
    column('External-IP', (node) => addressOf(node, 'ExternalIP'), wide),
    column('OS-Image', (node) => nodeInfo(node, 'osImage'), wide),
    column('Kernel-Version', (node) => nodeInfo(node, 'kernelVersion'), wide),
    column('Container-Runtime', (node) => nodeInfo(node, 'containerRuntimeVersion'), wide),
  ],
  Pod: [
    column('Ready', readyContainers),
    column('Status', (pod) => podStatus(pod)),
    column('Restarts', (pod) => String(restartsOf(pod))),
    age,
    column('IP', (pod) => valueAt(pod, ['status', 'podIP']) ?? '<none>', wide),
    column('Node', (pod) => valueAt(pod, ['spec', 'nodeName']) ?? '<none>', wide),
    column('Nominated Node', () => '<none>', wide),
    column('Readiness Gates', () => '<none>', wide),
  ],
  Job: [
    column('Status', jobStatus),
    column('Completions', jobCompletions),
    column('Duration', jobDuration),
    age,
    column('Containers', (job) => ofContainers(job, 'name'), wide),
    column('Images', (job) => ofContainers(job, 'image'), wide),
    column('Selector', jobSelector, wide),
  ],
  Application: [
    field('Sync Status', ['status', 'sync', 'status']),
    field('Health Status', ['status', 'health', 'status']),
    { ...age, type: 'date' },
  ],
};

/** Only Ready counts; a node that has never reported is Unknown. */
function nodeStatus(node: KubernetesObject): string {
  const ready = conditionStatus(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady';
  return valueAt(node, ['spec', 'unschedulable']) === true ? `${status},SchedulingDisabled` : status;
}

function rolesOf(labels: Readonly<Record<string, string>> = {}): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(prefix) && key !== prefix) return [key.slice(prefix.length)];
    return key === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return [...new Set(roles)].sort().join(',') || '<none>';
}

function addressOf(node: KubernetesObject, type: string): unknown {
  return listAt(node, ['status', 'addresses']).find((each) => each['type'] === type)?.['address'] ?? '<none>';
}

function nodeInfo(node: KubernetesObject, key: string): unknown {
  return valueAt(node, ['status', 'nodeInfo', key]) || '<unknown>';
}

function readyContainers(pod: KubernetesObject): string {
  const ready = listAt(pod, ['status', 'containerStatuses']).filter((each) => each['ready'] === true);
  return `${ready.length}/${listAt(pod, ['spec', 'containers']).length}`;
}

function podStatus(pod: KubernetesObject): unknown {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const states = listAt(pod, ['status', 'containerStatuses']).map((each) => valueAt(each, ['state']));
  const reasons = states.map(
    (state) => valueAt(state, ['waiting', 'reason']) ?? valueAt(state, ['terminated', 'reason']),
  );
  return reasons.find((reason) => reason !== undefined) ?? valueAt(pod, ['status', 'phase']);
}

function restartsOf(pod: KubernetesObject): number {
  return listAt(pod, ['status', 'containerStatuses']).reduce((sum, each) => sum + Number(each['restartCount'] ?? 0), 0);
}

function jobStatus(job: KubernetesObject): string {
  const is = (type: string) => conditionStatus(job, type) === 'True';
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (is('Suspended')) return 'Suspended';
  if (is('FailureTarget')) return 'FailureTarget';
  return is('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function jobCompletions(job: KubernetesObject): string {
  return `${valueAt(job, ['status', 'succeeded']) ?? 0}/${valueAt(job, ['spec', 'completions']) ?? 1}`;
}

function jobDuration(job: KubernetesObject, now: Date): string {
  const begun = valueAt(job, ['status', 'startTime']);
  if (typeof begun !== 'string') return '';
  const ended = valueAt(job, ['status', 'completionTime']);
  return since(begun, typeof ended === 'string' ? new Date(ended) : now);
}

function ofContainers(job: KubernetesObject, key: string): string {
  return listAt(job, ['spec', 'template', 'spec', 'containers'])
    .map((each) => String(each[key] ?? ''))
    .join(',');
}

function jobSelector(job: KubernetesObject): string {
  const labels = valueAt(job, ['spec', 'selector', 'matchLabels']);
  return Object.entries(isJsonObject(labels) ? labels : {})
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',');
}
