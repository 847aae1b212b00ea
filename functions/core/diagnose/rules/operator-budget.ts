import { finding } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { controllerOf } from '../managed-by.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { remedy } from '../remedies.ts';
import { budgetEvidence, budgetName, budgetRef, type Case } from './budget-case.ts';

/** P8: budgets that an operator made block on purpose (quorum, replication). They are never edited, and nobody is
 *  told to. */
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
    remedies: [remedy(`Bring what ${owner} guards back to health; leave its budget alone`, { who: 'vendor' })],
  });
}

function withoutEdits(found: Finding): Finding {
  return {
    ...found,
    because: found.because.map(withoutEdits),
    remedies: found.remedies.filter(({ risk }) => risk === 'none'),
  };
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
