import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref, without } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { read, unreadOf } from '../../findings/unread.ts';
import type { Node } from '../../openshift/node.ts';
import { counted } from '../../text/phrases.ts';
import { liveEdit, managerOf } from '../managed-by.ts';
import { ownerOf, type Pod } from '../objects/pod.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { askableSelector, place, wishesOf } from '../placement.ts';
import { candidateNodes } from '../questions.ts';
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

/** The budget spares some of the pods on the node, not all of them: the rest waits for replacements that run
 *  elsewhere. If there is no elsewhere, the drain stops half way, and the replacements wait for the very node that
 *  is drained. Undefined when it does not. */
export function* runsOut(question: RunningOut): Inquiry<Finding | undefined> {
  const { budget, here, all, node } = question;
  const spared = budget.status.disruptionsAllowed;
  const [pod] = here;
  if (pod === undefined || here.length <= spared || ownerOf(pod) === undefined) return undefined;
  const nodes = yield* read(candidateNodes(askableSelector(pod)));
  if (nodes.kind !== 'read') return without(unknownElsewhere(question), unreadOf([nodes]));
  if (nodes.value.metadata.continue !== '') return undefined;
  const others = nodes.value.items.filter(({ metadata }) => metadata.name !== node.name);
  const placement = place(pod, others, all);
  if (placement.free.length > 0) return undefined;
  return yield* withGrowth(deadEnd(question, pod, { placement, listed: nodes.value.items }), pod, question.subject);
}

function deadEnd(
  { subject, node, budget, here, readAt }: RunningOut,
  pod: Pod,
  { placement, listed }: Pick<Parameters<typeof anotherNode>[0], 'placement' | 'listed'>,
): Finding {
  const { namespace, name } = budget.metadata;
  const of = ref('PodDisruptionBudget', name, namespace);
  const wishes = wishesOf(pod);
  const others = listed.filter(({ metadata }) => metadata.name !== node.name);
  const seen = { pod, subject, placement: { ...placement, labelled: [...placement.labelled] }, listed: others };
  const cordoned = placement.apart.map(({ metadata }) => metadata.name);
  const elsewhere =
    cordoned.length > 0
      ? `${cordoned.join(', ')} would take them and ${cordoned.length === 1 ? 'is' : 'are'} cordoned`
      : `no other node takes them${wishes === '' ? '' : ` (they ask for ${wishes})`}${othersRefuse(seen)}`;
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
          status: { ...budget.status, currentHealthy: budget.status.expectedPods - here.length + 1 },
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
