import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, lower, ref, without } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { type Unread, unreadOf } from '../../findings/unread.ts';
import type { Node } from '../../openshift/node.ts';
import { counted } from '../../text/phrases.ts';
import { liveEdit, managerOf } from '../managed-by.ts';
import type { LiveNode } from '../objects/node.ts';
import { ownerOf, type Pod } from '../objects/pod.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { type Placement, place, wishesOf } from '../placement.ts';
import { readCandidates } from '../read-candidates.ts';
import { relaxedBudget, remedy } from '../remedies.ts';
import { anotherNode, letControlPlaneHelp, othersRefuse } from '../rules/another-node.ts';
import { withGrowth } from '../rules/machine-sets.ts';
import type { PreflightSubject } from './obstacle.ts';

/** Pods of one budget on one node that is going to be drained. */
export interface RunningOut {
  readonly subject: PreflightSubject;
  readonly node: Node;
  readonly budget: PodDisruptionBudget;
  /** Those on the node. */
  readonly here: readonly Pod[];
  /** All that the budget covers. */
  readonly all: readonly Pod[];
  readonly readAt: string;
}

/** Workloads on one node behind one budget of which it is asked where else they run, each one call. */
const workloadsAtMost = 5;

/** The budget spares some of the pods on the node, not all of them: the rest waits for replacements that run
 *  elsewhere. Those for which there is no elsewhere keep what they were spared until the node is back: if no place is
 *  left, the drain stops half way, and the replacements wait for the very node that is drained. Undefined when it does
 *  not. */
export function* runsOut(question: RunningOut): Inquiry<Finding | undefined> {
  const { budget } = question;
  const spared = budget.status.disruptionsAllowed;
  // Kubernetes evicts what does not run yet past its budget.
  const here = question.here.filter((pod) => pod.status.phase !== 'Pending');
  if (here.length <= spared) return undefined;
  const workloads = [...Map.groupBy(here, workloadOf)].filter(([name]) => name !== '');
  const stuck: Stuck[] = [];
  for (const [, pods] of workloads.slice(0, workloadsAtMost)) {
    const found = yield* nowhereElse({ ...question, here: pods });
    if (found === undefined) continue;
    if ('unread' in found) return without(unknownElsewhere(question), found.unread);
    stuck.push(found);
  }
  const [first] = stuck;
  const count = stuck.flatMap(({ pods }) => pods).length;
  if (first === undefined || count < spared) return undefined;
  // Where as many as are spared have no other node, it is a matter of who is evicted first.
  const found = deadEnd({ ...question, here }, first, count);
  const told = count > spared ? found : { ...found, confidence: lower(found.confidence) };
  return yield* withGrowth(told, first.pods[0], question.subject);
}

/** Pods of one workload have one form. Empty: nobody makes the pod again. */
function workloadOf(pod: Pod): string {
  const owner = ownerOf(pod);
  return owner === undefined ? '' : `${owner.kind} ${owner.name}`;
}

interface Stuck {
  readonly pods: readonly [Pod, ...Pod[]];
  readonly placement: Placement;
  readonly listed: readonly LiveNode[];
}

/** Undefined: another node takes them, or there are too many nodes to tell. */
export function* nowhereElse({
  here,
  node,
  all,
  readAt,
}: Pick<RunningOut, 'here' | 'node' | 'all' | 'readAt'>): Inquiry<
  Stuck | { readonly unread: readonly Unread[] } | undefined
> {
  const [pod, ...more] = here;
  if (pod === undefined) return undefined;
  const nodes = yield* readCandidates(pod, readAt);
  if (nodes.kind !== 'read') return { unread: unreadOf([nodes]) };
  if (nodes.value.metadata.continue !== '') return undefined;
  const others = nodes.value.items.filter(({ metadata }) => metadata.name !== node.name);
  const placement = place(pod, others, all);
  return placement.free.length > 0 ? undefined : { pods: [pod, ...more], placement, listed: others };
}

/** @param count pods that no other node takes */
function deadEnd(
  { subject, node, budget, here, readAt }: RunningOut,
  { pods: [pod], placement, listed: others }: Stuck,
  count: number,
): Finding {
  const { namespace, name } = budget.metadata;
  const of = ref('PodDisruptionBudget', name, namespace);
  const wishes = wishesOf(pod);
  const seen = { pod, subject, placement: { ...placement, labelled: [...placement.labelled] }, listed: others };
  const cordoned = placement.apart.map(({ metadata }) => metadata.name);
  const unfit = placement.apart.some(({ spec }) => !spec.unschedulable) ? 'not well' : 'cordoned';
  const them = count === here.length ? 'them' : `${count} of them`;
  const elsewhere =
    cordoned.length > 0
      ? `${cordoned.join(', ')} would take ${them} and ${cordoned.length === 1 ? 'is' : 'are'} ${unfit}`
      : `no other node takes ${them}${wishes === '' ? '' : ` (they ask for ${wishes})`}${othersRefuse(seen)}`;
  // With all that have no other place away, one more may go, and then the next.
  const away = count === here.length ? count : count + 1;
  return finding({
    code: 'self-deadlock',
    subject: of,
    sentence: `The drain of ${node.name} will stop half way: it runs ${counted(here.length, 'pod')} of PDB ${namespace}/${name}, which spares ${budget.status.disruptionsAllowed}, and ${elsewhere}, so the replacements wait for ${node.name} while its drain waits for them.`,
    confidence: 'strong',
    class: cordoned.length > 0 ? 'external' : 'structural',
    evidence: [
      evidence(of, 'status.disruptionsAllowed', budget.status.disruptionsAllowed, readAt),
      evidence(of, 'status.desiredHealthy', budget.status.desiredHealthy, readAt),
      evidence(of, 'status.expectedPods', budget.status.expectedPods, readAt),
      evidence(
        ref('Node', node.name),
        'pods of this budget',
        here.map(({ metadata }) => metadata.name).join(', '),
        readAt,
      ),
    ],
    remedies: [
      ...anotherNode(seen),
      remedy('Add a second node on which they may run, before the rollout', { risk: 'low' }),
      ...letControlPlaneHelp(seen),
      ...liveEdit(
        managerOf({ kind: 'PodDisruptionBudget', metadata: budget.metadata }, subject.applications ?? []),
        relaxedBudget({
          ...budget,
          status: { ...budget.status, currentHealthy: budget.status.expectedPods - away + 1 },
        }),
      ),
    ],
  });
}

function unknownElsewhere({ node, budget, here, readAt }: RunningOut): Finding {
  const { namespace, name } = budget.metadata;
  const of = ref('PodDisruptionBudget', name, namespace);
  return finding({
    code: 'P3',
    subject: of,
    sentence: `${node.name} runs ${counted(here.length, 'pod')} of PDB ${namespace}/${name}, which spares ${budget.status.disruptionsAllowed}: its drain waits until replacements run elsewhere, if they can.`,
    confidence: 'likely',
    class: 'unknown',
    evidence: [evidence(of, 'status.disruptionsAllowed', budget.status.disruptionsAllowed, readAt)],
  });
}
