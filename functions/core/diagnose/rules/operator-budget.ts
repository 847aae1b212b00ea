import { finding } from '../../findings/make-finding.ts';
import type { Finding, Remedy } from '../../findings/trouble.ts';
import { controllerOf } from '../managed-by.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { remedy } from '../remedies.ts';
import { budgetEvidence, budgetName, budgetRef, type Case } from './budget-case.ts';

/** P8: budgets that an operator made block on purpose (quorum, replication). No remedy edits them. */
export function leaveToOperator(case_: Case, found: Finding): Finding {
  const owner = operatorOf(case_.budget);
  if (owner === undefined) return found;
  const { budget } = case_;
  return finding({
    code: 'P8',
    subject: budgetRef(budget),
    sentence: `PDB ${budgetName(budget)} belongs to ${owner}, which holds this pod on purpose ${healthWords(budget)}.`,
    confidence: found.confidence,
    class: 'external',
    evidence: budgetEvidence(case_),
    because: found.because.map(withoutEdits),
    remedies: waysOut(budget, owner),
  });
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

/** Where all that it guards is healthy there is nothing to bring back: waiting does not help. */
function waysOut({ status }: PodDisruptionBudget, owner: string): readonly Remedy[] {
  const isHealthy = status.expectedPods > 0 && status.currentHealthy >= status.expectedPods;
  if (!isHealthy || status.desiredHealthy < status.expectedPods)
    return [remedy(`Bring what ${owner} guards back to health; leave its budget alone`, { who: 'vendor' })];
  return [
    remedy(
      `All that ${owner} guards is healthy, so waiting does not help: let it run one more replica, in its own configuration; leave its budget alone`,
      { who: 'vendor' },
    ),
    remedy('Else delete the pod at a moment that suits whoever uses it: it is gone until it runs elsewhere', {
      who: 'vendor',
      risk: 'outage',
    }),
  ];
}

function healthWords({ status }: PodDisruptionBudget): string {
  if (status.desiredHealthy >= status.expectedPods) return 'until it has been moved to another node';
  return `until more than ${status.desiredHealthy} of its ${status.expectedPods} pods are healthy (${status.currentHealthy} now)`;
}

/** Who made the budget: a controlling object, a label of an operator, or a namespace that belongs to the platform. */
function operatorOf({ metadata }: PodDisruptionBudget): string | undefined {
  const controller = controllerOf(metadata);
  if (controller !== undefined) return controller;
  const manager = metadata.labels['app.kubernetes.io/managed-by'];
  if (manager !== undefined && /operator/i.test(manager)) return manager;
  if (/^(?:openshift|kube)-/.test(metadata.namespace)) return `the platform (${metadata.namespace})`;
  return undefined;
}
