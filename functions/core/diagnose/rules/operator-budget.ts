import { evidence, finding } from '../../findings/make-finding.ts';
import type { Finding, Remedy } from '../../findings/trouble.ts';
import { command } from '../../text/shell-words.ts';
import { controllerOf } from '../managed-by.ts';
import { isOfPlatform, type Metadata } from '../objects/metadata.ts';
import type { Pod } from '../objects/pod.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { remedy } from '../remedies.ts';
import { budgetEvidence, budgetName, budgetRef, type Case } from './budget-case.ts';

/** P8: budgets that an operator made block on purpose (quorum, replication). No remedy edits them. In namespaces of the
 *  platform that is known by the namespace. Elsewhere the budget alone says so, which whoever wrote it could write:
 *  what never heals by waiting remains the cause there.
 *  @param machine name of the virtual machine that the pod was seen to run */
export function leaveToOperator(case_: Case, found: Finding, machine?: string): Finding {
  const { metadata } = case_.budget;
  const said = saidOwner(metadata);
  if (isOfPlatform(metadata)) {
    const owner = said?.owner ?? `the platform (${metadata.namespace})`;
    return heldBy(case_, found, { owner, belongs: 'belongs', holds: 'holds', who: 'vendor' });
  }
  if (said === undefined) return found;
  const doubted = { ...found, confidence: atMostLikely(found.confidence) };
  const told =
    neverHeals.includes(found.code) && !isOfMachine(case_, machine)
      ? saysItsOwner(doubted, said.owner)
      : heldBy(case_, doubted, {
          owner: said.owner,
          belongs: 'says of itself that it belongs',
          holds: 'would hold',
          who: 'application owner',
        });
  const mark = evidence(budgetRef(case_.budget), said.path, said.owner, case_.readAt);
  return { ...told, evidence: [...told.evidence, mark] };
}

/** What the budget itself is to be blamed for. */
const neverHeals = ['P1', 'P2', 'P6', 'P7'];

interface Owner {
  readonly owner: string;
  readonly belongs: string;
  readonly holds: string;
  readonly who: Remedy['who'];
}

function heldBy(case_: Case, found: Finding, { owner, belongs, holds, who }: Owner): Finding {
  const { budget } = case_;
  return finding({
    code: 'P8',
    subject: budgetRef(budget),
    sentence: `PDB ${budgetName(budget)} ${belongs} to ${owner}, which ${holds} this pod on purpose ${isWhileCephRecovers(budget) ? 'until the data of another failure domain is clean again' : healthWords(budget)}.`,
    confidence: found.confidence,
    class: 'external',
    evidence: budgetEvidence(case_),
    because: found.because.map(withoutEdits),
    remedies: (isWhileCephRecovers(budget) ? [untilCephIsClean(budget)] : waysOut(budget, owner)).map((each) => ({
      ...each,
      who,
    })),
  });
}

/** While a storage node comes back Rook has a budget of none for each other failure domain, and takes it away by itself
 *  once the placement groups are active and clean. Source: rook pkg/operator/ceph/disruption/clusterdisruption/osd.go,
 *  `createBlockingPDBForOSD`. Only of the platform: elsewhere anybody can call a budget so. */
function isWhileCephRecovers({ metadata }: PodDisruptionBudget): boolean {
  return isOfPlatform(metadata) && /^rook-ceph-osd-[a-z]+-/.test(metadata.name);
}

function untilCephIsClean({ metadata: { namespace } }: PodDisruptionBudget): Remedy {
  return remedy('Wait until the data of Ceph is clean: Rook takes this budget away then; leave it and the pod alone', {
    command: command('oc', '-n', namespace, 'get', 'cephclusters.ceph.rook.io'),
    risk: 'none',
  });
}

/** The cause as it was found. An operator would take an edit of its budget back, or lose data by it. */
function saysItsOwner(found: Finding, owner: string): Finding {
  return {
    ...found,
    sentence: `${found.sentence} It says of itself that it belongs to ${owner}.`,
    because: found.because.map(withoutEdits),
    remedies: [
      remedy(
        `If ${owner} makes this budget: change that, or let it run one more replica, in its own configuration; leave its budget alone`,
      ),
      ...withoutEdits(found).remedies,
      ...(found.class === 'structural' ? [lastResort] : []),
    ].map((each) => ({ ...each, who: 'application owner' })),
  };
}

/** KubeVirt moves a machine as soon as the eviction of its pod is asked for, and holds the pod until then. */
export function isOfMachine({ budget, pod }: Pick<Case, 'budget' | 'pod'>, machine: string | undefined): boolean {
  if (machine === undefined || budget.status.expectedPods !== 1) return false;
  const isMachine = ({ metadata }: PodDisruptionBudget | Pod) =>
    metadata.ownerReferences.some(
      ({ kind, name, controller }) => controller && kind === 'VirtualMachineInstance' && name === machine,
    );
  return isMachine(budget) && isMachine(pod);
}

function atMostLikely(confidence: Finding['confidence']): Finding['confidence'] {
  return confidence === 'certain' || confidence === 'strong' ? 'likely' : confidence;
}

function withoutEdits(found: Finding): Finding {
  return {
    ...found,
    because: found.because.map(withoutEdits),
    remedies: found.remedies.filter((each) => !editsWhatIsGuarded(each)),
  };
}

/** The budget, and the pods and workloads behind it, are its operator's. Nodes and the scheduler are not. */
function editsWhatIsGuarded({ command = '', risk }: Remedy): boolean {
  return (
    risk !== 'none' &&
    (command === '' || /\s(?:pdb|poddisruptionbudget|pods?|deployment|statefulset|replicaset)\s/.test(command))
  );
}

const lastResort = remedy(
  'Else delete the pod at a moment that suits whoever uses it: it is gone until it runs elsewhere',
  { risk: 'outage' },
);

/** Where all that it guards is healthy there is nothing to bring back: waiting does not help. */
function waysOut({ status }: PodDisruptionBudget, owner: string): readonly Remedy[] {
  const isHealthy = status.expectedPods > 0 && status.currentHealthy >= status.expectedPods;
  if (!isHealthy || status.desiredHealthy < status.expectedPods)
    return [remedy(`Bring what ${owner} guards back to health; leave its budget alone`)];
  return [
    remedy(
      `All that ${owner} guards is healthy, so waiting does not help: let it run one more replica, in its own configuration; leave its budget alone`,
    ),
    lastResort,
  ];
}

function healthWords({ status }: PodDisruptionBudget): string {
  if (status.desiredHealthy >= status.expectedPods) return 'until it has been moved to another node';
  return `until more than ${status.desiredHealthy} of its ${status.expectedPods} pods are healthy (${status.currentHealthy} now)`;
}

/** What a budget says of who made it, and where: a controlling object, or a label of an operator. */
function saidOwner(metadata: Metadata): { readonly owner: string; readonly path: string } | undefined {
  const controller = controllerOf(metadata);
  if (controller !== undefined) {
    const isReferred = metadata.ownerReferences.some((each) => each.controller);
    return { owner: controller, path: isReferred ? 'metadata.ownerReferences' : 'metadata.labels[olm.owner]' };
  }
  const label = 'app.kubernetes.io/managed-by';
  const manager = metadata.labels[label];
  if (manager === undefined || !/operator/i.test(manager)) return undefined;
  return { owner: manager, path: `metadata.labels[${label}]` };
}
