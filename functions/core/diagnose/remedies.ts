import type { Remedy } from '../findings/trouble.ts';
import { command, mergePatch } from '../text/shell-words.ts';
import type { Pod } from './objects/pod.ts';
import type { PodDisruptionBudget } from './objects/pod-disruption-budget.ts';

/** Remedies are printed, never performed, and made from the live objects, so that they fit and can be taken back. */
export function remedy(title: string, rest: Partial<Omit<Remedy, 'title'>> = {}): Remedy {
  return { title, command: undefined, undo: undefined, risk: 'none', who: 'platform', ...rest };
}

/** Lets the budget spare one more of the healthy pods for this window. A budget states either minAvailable or
 *  maxUnavailable; a patch with the other one is refused by the API server, so the one that is there is changed, and
 *  the undo puts it back as it was. */
export function relaxedBudget(budget: PodDisruptionBudget): Remedy {
  const { expectedPods, currentHealthy } = budget.status;
  const keep = Math.max(0, currentHealthy - 1);
  const usesMax = budget.spec.maxUnavailable !== undefined;
  const now = usesMax ? { maxUnavailable: Math.max(1, expectedPods - keep) } : { minAvailable: keep };
  const before = usesMax
    ? { maxUnavailable: budget.spec.maxUnavailable }
    : { minAvailable: budget.spec.minAvailable ?? null };
  const target = { kind: 'pdb', name: budget.metadata.name, namespace: budget.metadata.namespace };
  // Fewer than its owner asked for, beside those that are broken already: to a quorum that is an outage.
  const isShort = currentHealthy < expectedPods;
  const left = isShort && keep > 0 ? `: only ${keep} of its ${expectedPods} pods stay healthy meanwhile` : '';
  return remedy(`Relax the budget for this window, then put it back${left}`, {
    command: mergePatch(target, { spec: now }),
    undo: mergePatch(target, { spec: before }),
    risk: keep === 0 || isShort ? 'outage' : 'low',
    who: 'application owner',
  });
}

export function deletePod({ metadata }: Pod): Remedy {
  const { name, namespace, ownerReferences } = metadata;
  const isMadeAgain = ownerReferences.some(({ controller }) => controller);
  const after = isMadeAgain
    ? "its owner's decision, it is gone until it runs elsewhere"
    : 'nothing makes it again, and what it keeps in itself is lost; so keep its manifest first, and ask its owner';
  return remedy(`Delete pod ${name}: ${after}`, {
    command: command('oc', '-n', namespace, 'delete', 'pod', name),
    risk: isMadeAgain ? 'outage' : 'data-loss',
    who: 'application owner',
  });
}

export function uncordon(node: string): Remedy {
  return remedy(`Uncordon ${node}, if nobody needs it cordoned`, {
    command: command('oc', 'adm', 'uncordon', node),
    undo: command('oc', 'adm', 'cordon', node),
    risk: 'low',
  });
}
