import type { Remedy } from '../../findings/trouble.ts';
import { isDone } from '../../openshift/node.ts';
import { counted, listed } from '../../text/phrases.ts';
import { command, mergePatch } from '../../text/shell-words.ts';
import type { LiveNode } from '../objects/node.ts';
import type { Pod } from '../objects/pod.ts';
import { type Placement, untolerated } from '../placement.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import type { SchedulerText } from '../text/scheduler-text.ts';

/** A pod that needs another node than those it may run on now. */
export interface Wanting {
  readonly pod: Pod;
  readonly subject: Pick<NodeSubject, 'nodes' | 'pool' | 'pools'>;
  readonly placement: Placement;
  /** Every node that was looked at. */
  readonly listed: readonly LiveNode[];
}

/** `; 3 other nodes refuse it by the taint x`, or nothing. */
export function othersRefuse(seen: Pick<Wanting, 'pod' | 'listed'>): string {
  const keys = new Set(seen.listed.flatMap((node) => untolerated(seen.pod, node).map((taint) => taint.key)));
  if (keys.size === 0) return '';
  const tainted = seen.listed.filter((node) => untolerated(seen.pod, node).length > 0).length;
  return `; ${counted(tainted, 'other node')} refuse${tainted === 1 ? 's' : ''} it by the taint ${listed([...keys])}`;
}

/** A node of the pool that stands still and lacks only the label. Whoever owns the pod chose that label: it moves no
 *  node to another pool, and takes no other value away. */
export function anotherNode(seen: Wanting): readonly Remedy[] {
  const wishes = Object.entries(seen.pod.spec.nodeSelector);
  const fitting = new Set(seen.placement.labelled.map((node) => node.metadata.name));
  const spare = seen.subject.nodes
    .filter((node) => isDone(node) && !fitting.has(node.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((node) => ({ node, lacking: wishes.filter(([key, value]) => node.labels[key] !== value) }))
    .find(({ node, lacking }) => lacking.length > 0 && lacking.every(([key]) => node.labels[key] === undefined));
  if (spare === undefined) return [];
  const { node, lacking } = spare;
  const ofPools = keysOfPools(seen.subject);
  if (lacking.length > mostSet || lacking.some(([key]) => isIdentity(key) || ofPools.has(key))) return [];
  const set = lacking.map(([key, value]) => `${key}=${value}`);
  const taken = lacking.map(([key]) => `${key}-`);
  return [
    remedy(
      `Give a second node what it asks for, if ${node.name} really has it; who sets it lets the pod's owner onto that node`,
      {
        command: command('oc', 'label', 'node', node.name, ...set),
        undo: command('oc', 'label', 'node', node.name, ...taken),
        risk: 'low',
      },
    ),
  ];
}

/** Labels that one command sets. */
const mostSet = 5;

/** Labels by which a pool selects its nodes: with one more a node may change its pool, or lose it. */
function keysOfPools({ pool, pools = [] }: Wanting['subject']): ReadonlySet<string> {
  return new Set(
    [pool, ...pools].flatMap(({ nodeSelector }) => [
      ...Object.keys(nodeSelector?.matchLabels ?? {}),
      ...(nodeSelector?.matchExpressions ?? []).map(({ key }) => key),
    ]),
  );
}

/** Labels that say what a node is: setting them on another node would be a lie, and role labels move it to another
 *  pool. */
function isIdentity(key: string): boolean {
  return key.includes('kubernetes.io/') || key.startsWith('machineconfiguration.openshift.io/');
}

/** Where masters refuse it only because they are masters. */
export function letControlPlaneHelp(seen: Pick<Wanting, 'pod' | 'listed'>): readonly Remedy[] {
  const masters = seen.listed.some((node) => untolerated(seen.pod, node).some(({ key }) => controlPlane.test(key)));
  return masters ? [schedulableMasters()] : [];
}

/** The same from the scheduler's words alone. */
export function letControlPlaneTake({ reasons }: SchedulerText): readonly Remedy[] {
  const masters = reasons.some(({ rule, text }) => rule === 'U3' && controlPlane.test(text));
  return masters ? [schedulableMasters()] : [];
}

const controlPlane = /node-role\.kubernetes\.io\/(?:master|control-plane)\b/;

function schedulableMasters(): Remedy {
  const patch = (schedulable: boolean) =>
    mergePatch(
      { kind: 'schedulers.config.openshift.io', name: 'cluster' },
      { spec: { mastersSchedulable: schedulable } },
    );
  return remedy(
    'Let the control plane take workloads for this window; other pods may land there too, and stay until they restart',
    { command: patch(true), undo: patch(false), risk: 'low' },
  );
}
