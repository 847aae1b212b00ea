import { evidence, ref } from '../../findings/make-finding.ts';
import type { Evidence, Remedy } from '../../findings/trouble.ts';
import { selects } from '../../openshift/selector.ts';
import { counted } from '../../text/phrases.ts';
import { liveEdit, type ManagedBy, managerOf } from '../managed-by.ts';
import type { Pod } from '../objects/pod.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { relaxedBudget } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';

/** A pod on the node whose eviction was refused. */
export interface Guarded {
  readonly pod: Pod;
  readonly podReadAt: string;
  readonly subject: NodeSubject;
}

/** The one budget that covers it. */
export interface Case extends Guarded {
  readonly budget: PodDisruptionBudget;
  /** When the budget was read. */
  readonly readAt: string;
}

/** Same namespace; policy/v1: an empty selector means all pods, a missing one none. */
export function guards(budget: PodDisruptionBudget, pod: Pod): boolean {
  const { selector } = budget.spec;
  if (selector === null || selector === undefined) return false;
  return budget.metadata.namespace === pod.metadata.namespace && selects(selector, pod.metadata.labels);
}

/** Who keeps the budget as it is. */
export function budgetManager({ budget, subject }: Pick<Case, 'budget' | 'subject'>): ManagedBy {
  return managerOf({ kind: 'PodDisruptionBudget', metadata: budget.metadata }, subject.applications ?? []);
}

/** Lets the budget spare one more pod for this window, as far as anybody but its keeper can. */
export function relaxBudget(case_: Case): readonly Remedy[] {
  return liveEdit(budgetManager(case_), relaxedBudget(case_.budget));
}

export function budgetEvidence({ budget, readAt }: Case): readonly Evidence[] {
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = budget.status;
  const of = budgetRef(budget);
  return [
    evidence(of, 'status.disruptionsAllowed', disruptionsAllowed, readAt),
    evidence(of, 'status.currentHealthy', currentHealthy, readAt),
    evidence(of, 'status.desiredHealthy', desiredHealthy, readAt),
    evidence(of, 'status.expectedPods', expectedPods, readAt),
  ];
}

/** The shortage in numbers, for the middle of a sentence. */
export function needsText({ status }: PodDisruptionBudget): string {
  return `needs ${counted(status.desiredHealthy, 'healthy pod')} of ${status.expectedPods} and has ${status.currentHealthy}`;
}

export function budgetName({ metadata }: PodDisruptionBudget): string {
  return `${metadata.namespace}/${metadata.name}`;
}

export function budgetRef({ metadata }: PodDisruptionBudget) {
  return ref('PodDisruptionBudget', metadata.name, metadata.namespace);
}
