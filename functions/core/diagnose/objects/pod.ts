import * as z from 'zod';
import {
  Condition,
  conditionOf,
  count,
  isNamed,
  LabelSelector,
  listOf,
  Metadata,
  maybeCount,
  maybeText,
  text,
  words,
} from './metadata.ts';

/** Without its message, which may be the end of a log. */
const Terminated = z.object({ reason: text, exitCode: maybeCount, finishedAt: maybeText });
const ContainerState = z
  .object({
    waiting: z.object({ reason: text, message: text }).optional().catch(undefined),
    running: z.object({ startedAt: maybeText }).optional().catch(undefined),
    terminated: Terminated.optional().catch(undefined),
  })
  .catch({ waiting: undefined, running: undefined, terminated: undefined });

export const ContainerStatus = z.object({
  name: text,
  ready: z.boolean().catch(false),
  restartCount: count,
  image: text,
  imageID: text,
  state: ContainerState,
  lastState: ContainerState,
});
export type ContainerStatus = z.infer<typeof ContainerStatus>;

/** One requirement of a node selector term: label operators and the two that compare numbers. */
const NodeRequirement = z.object({
  key: z.string(),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
  values: z.array(z.string()).catch([]),
});
export type NodeRequirement = z.infer<typeof NodeRequirement>;

const NodeSelectorTerm = z.object({
  matchExpressions: listOf(NodeRequirement),
  matchFields: listOf(NodeRequirement),
});
export type NodeSelectorTerm = z.infer<typeof NodeSelectorTerm>;

const PodAffinityTerm = z.object({ topologyKey: text, labelSelector: LabelSelector });

const Affinity = z
  .object({
    nodeAffinity: z
      .object({
        requiredDuringSchedulingIgnoredDuringExecution: z
          .object({ nodeSelectorTerms: listOf(NodeSelectorTerm) })
          .optional()
          .catch(undefined),
      })
      .optional()
      .catch(undefined),
    podAntiAffinity: z
      .object({ requiredDuringSchedulingIgnoredDuringExecution: listOf(PodAffinityTerm) })
      .optional()
      .catch(undefined),
  })
  .optional()
  .catch(undefined);

export const Toleration = z.object({ key: text, operator: text, value: text, effect: text });
export type Toleration = z.infer<typeof Toleration>;

export const Pod = z.object({
  metadata: Metadata,
  spec: z
    .object({
      nodeName: text,
      nodeSelector: words,
      affinity: Affinity,
      tolerations: listOf(Toleration),
      schedulerName: text,
      schedulingGates: listOf(z.object({ name: text })),
      terminationGracePeriodSeconds: maybeCount,
      volumes: listOf(
        z.object({ emptyDir: z.unknown().transform((volume) => volume !== undefined && volume !== null) }),
      ),
    })
    .catch({
      nodeName: '',
      nodeSelector: {},
      affinity: undefined,
      tolerations: [],
      schedulerName: '',
      schedulingGates: [],
      terminationGracePeriodSeconds: undefined,
      volumes: [],
    }),
  status: z
    .object({
      phase: text,
      reason: text,
      startTime: maybeText,
      conditions: listOf(Condition),
      initContainerStatuses: listOf(ContainerStatus),
      containerStatuses: listOf(ContainerStatus),
    })
    .catch({
      phase: '',
      reason: '',
      startTime: undefined,
      conditions: [],
      initContainerStatuses: [],
      containerStatuses: [],
    }),
});
export type Pod = z.infer<typeof Pod>;

export function isReady(pod: Pod): boolean {
  return conditionOf(pod.status.conditions, 'Ready')?.status === 'True';
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Ran to its end: a drain deletes it whatever a budget says. */
export function isTerminal(pod: Pod): boolean {
  return pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
}

/** Counted by a budget: ready and not on its way out. Source: Kubernetes disruption controller, countHealthyPods. */
export function isHealthy(pod: Pod): boolean {
  return isReady(pod) && !isTerminating(pod);
}

/** What a drain evicts: neither a DaemonSet's pod nor the kubelet's own. With force, as the MCO drains, also one whose
 *  DaemonSet is none of `apps`, as whoever may create pods may write. Source: kubectl drain filters. */
export function isEvicted(pod: Pod): boolean {
  const controller = pod.metadata.ownerReferences.find((owner) => owner.controller);
  const isOfDaemonSet = controller?.kind === 'DaemonSet' && /^(?:apps\/.*)?$/.test(controller.apiVersion);
  return !isOfDaemonSet && !('kubernetes.io/config.mirror' in pod.metadata.annotations);
}

/** What keeps the pod alive, as people know it: a ReplicaSet made by a Deployment carries the hash that its pods are
 *  labelled with. */
export function ownerOf(pod: Pod): { readonly kind: string; readonly name: string } | undefined {
  const owners = pod.metadata.ownerReferences.filter(isNamed);
  const owner = owners.find((each) => each.controller) ?? owners[0];
  if (owner === undefined) return undefined;
  const hash = pod.metadata.labels['pod-template-hash'];
  if (owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`)) {
    return { kind: 'Deployment', name: owner.name.slice(0, -hash.length - 1) };
  }
  return { kind: owner.kind, name: owner.name };
}
