import * as z from 'zod';
import { clipped } from '../text/phrases.ts';
import { mcoClusterOperatorPath, mcoNamespace } from './machine-config-operator.ts';

/** How a part of the Machine Config Operator stands. `down`: nothing of it works, or it says that it is not available;
 *  `degraded` and `progressing` are what the ClusterOperator says of itself while it is available. */
export interface OperatorPart {
  /** `machine-config-controller`. */
  readonly name: string;
  readonly state: 'fine' | 'partly' | 'progressing' | 'degraded' | 'down' | 'unread';
  /** In words, as `5 of 6 ready`. */
  readonly says: string;
}

/** The parts that the cluster has, as one read found them. */
export interface OperatorParts {
  /** ISO instant. */
  readonly readAt: string;
  readonly parts: readonly OperatorPart[];
}

/** Where each part is told of, and how an object is read: undefined if it is of another form. Source:
 *  openshift/machine-config-operator, manifests and pkg/operator/sync.go; a hosted control plane has neither
 *  controller nor server of its own. */
export const operatorParts = [
  {
    name: 'machine-config',
    path: mcoClusterOperatorPath,
    read: clusterOperator,
  },
  { name: 'machine-config-operator', path: workload('deployments', 'machine-config-operator'), read: deployment },
  { name: 'machine-config-controller', path: workload('deployments', 'machine-config-controller'), read: deployment },
  { name: 'machine-config-server', path: workload('daemonsets', 'machine-config-server'), read: daemonSet },
  { name: 'machine-config-daemon', path: workload('daemonsets', 'machine-config-daemon'), read: daemonSet },
] as const;

function workload(plural: 'deployments' | 'daemonsets', name: string): string {
  return `/apis/apps/v1/namespaces/${mcoNamespace}/${plural}/${name}`;
}

type Standing = Omit<OperatorPart, 'name'>;
type Read = Standing | undefined;

const Condition = z.object({ type: z.string(), status: z.string(), message: z.string().default('') });

/** api config/v1 types_cluster_operator.go. */
const ClusterOperator = z.object({ status: z.object({ conditions: z.array(Condition).default([]) }).optional() });

/** That it is degraded says why it is not available. */
function clusterOperator(body: unknown): Read {
  const parsed = ClusterOperator.safeParse(body);
  if (!parsed.success) return undefined;
  const conditions = parsed.data.status?.conditions ?? [];
  const of = (type: string, status: string) => conditions.find((each) => each.type === type && each.status === status);
  const [degraded, gone, moving] = [of('Degraded', 'True'), of('Available', 'False'), of('Progressing', 'True')];
  if (gone !== undefined) return { state: 'down', says: withMessage('not available', degraded ?? gone) };
  if (degraded !== undefined) return { state: 'degraded', says: messageOf(degraded) };
  if (moving !== undefined) return { state: 'progressing', says: messageOf(moving) };
  return of('Available', 'True') === undefined
    ? { state: 'unread', says: 'it does not say whether it is available' }
    : { state: 'fine', says: 'available' };
}

/** Characters: every pass carries it to the next. */
const longestMessage = 300;

function withMessage(word: string, condition: z.infer<typeof Condition>): string {
  return condition.message === '' ? word : `${word}: ${messageOf(condition)}`;
}

function messageOf({ message }: z.infer<typeof Condition>): string {
  return message === '' ? 'it does not say why' : clipped(message, longestMessage);
}

const count = z.int().nonnegative();

/** One replica is the default of the API. */
const Deployment = z.object({
  spec: z.object({ replicas: count.default(1) }),
  status: z.object({ readyReplicas: count.default(0) }).default({ readyReplicas: 0 }),
});

function deployment(body: unknown): Read {
  const parsed = Deployment.safeParse(body);
  if (!parsed.success) return undefined;
  const { spec, status } = parsed.data;
  return spec.replicas === 0 ? { state: 'down', says: 'scaled to 0' } : standing(status.readyReplicas, spec.replicas);
}

const DaemonSet = z.object({ status: z.object({ desiredNumberScheduled: count, numberReady: count.default(0) }) });

/** A node that reboots has no ready daemon meanwhile. */
function daemonSet(body: unknown): Read {
  const parsed = DaemonSet.safeParse(body);
  if (!parsed.success) return undefined;
  const { desiredNumberScheduled: wanted, numberReady } = parsed.data.status;
  return wanted === 0 ? { state: 'down', says: 'wanted on no node' } : standing(numberReady, wanted);
}

function standing(ready: number, wanted: number): Standing {
  const state = ready >= wanted ? 'fine' : ready > 0 ? 'partly' : 'down';
  return { state, says: `${ready} of ${wanted} ready` };
}
