import type { Inquiry } from '../../findings/inquiry.ts';
import { finding, lower, without } from '../../findings/make-finding.ts';
import type { Confidence, Finding, Remedy } from '../../findings/trouble.ts';
import { read, type Unread, unreadOf } from '../../findings/unread.ts';
import { isToBeDrained } from '../../openshift/node.ts';
import { selectorText } from '../../openshift/selector.ts';
import { ifGiven } from '../../text/if-given.ts';
import { quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { conditionOf } from '../objects/metadata.ts';
import { mcoView } from '../objects/node.ts';
import { isHealthy, isTerminal, isTerminating, type Pod } from '../objects/pod.ts';
import { nodeNamed, podsSelected } from '../questions.ts';
import { remedy } from '../remedies.ts';
import { countsText, parseSchedulerText } from '../text/scheduler-text.ts';
import { budgetEvidence, budgetName, budgetRef, type Case, needsText, relaxBudget } from './budget-case.ts';
import { type MissingReplicas, missingReplicas } from './missing-replicas.ts';
import { explainUnhealthy } from './pod-health.ts';
import { explainUnplaced } from './replacement.ts';
import { explainTermination } from './termination.ts';
import { isUnschedulable } from './unschedulable-pod.ts';

/** P3, P4, C and T: the budget would spare one, were its pods healthy. */
export function* shortOfHealthy(case_: Case): Inquiry<Finding> {
  const { budget, pod } = case_;
  const others: Pod[] = [];
  let from = '';
  for (let page = 1; page <= pagesAtMost; page += 1) {
    const siblings = yield* read(podsSelected(pod.metadata.namespace, budget.spec.selector ?? {}, { from }));
    if (siblings.kind !== 'read') return without(shortOfUnseen(case_), unreadOf([siblings]));
    others.push(...siblings.value.items.filter((each) => each.metadata.uid !== pod.metadata.uid && !isTerminal(each)));
    const unhealthy = others.filter((each) => !isHealthy(each)).toSorted(worstFirst);
    const [worst] = unhealthy;
    const confidence = agreement(case_, unhealthy.length);
    const { readAt } = siblings;
    if (worst !== undefined) return yield* explainSibling(case_, { worst, unhealthy, others, confidence, readAt });
    from = siblings.value.metadata.continue;
    if (from === '') return yield* notCreated(case_);
  }
  return without(shortOfUnseen(case_), [notAllRead(case_, others.length)]);
}

/** Pages of the budget's pods that are read until one that is not healthy is found. */
const pagesAtMost = 4;

function notAllRead({ budget, readAt }: Case, count: number): Unread {
  const what = `every pod of PodDisruptionBudget ${budgetName(budget)}`;
  return { kind: 'unread', what, why: `there are more than ${count}`, readAt };
}

/** The budget's own numbers say that pods are missing; which ones was not seen. */
function shortOfUnseen(case_: Case): Finding {
  return shortage(case_, {
    code: 'P3',
    sentence: `PDB ${budgetName(case_.budget)} ${needsText(case_.budget)}.`,
    class: 'unknown',
    confidence: 'strong',
    because: [],
    remedies: relaxBudget(case_),
  });
}

interface Sibling {
  readonly worst: Pod;
  readonly unhealthy: readonly Pod[];
  readonly others: readonly Pod[];
  readonly confidence: Confidence;
  readonly readAt: string;
}

function* explainSibling(case_: Case, sibling: Sibling): Inquiry<Finding> {
  const { worst, confidence, readAt } = sibling;
  if (isUnschedulable(worst)) return yield* siblingPending(case_, sibling);
  if (isTerminating(worst)) return yield* siblingLeaving(case_, sibling);
  const why = yield* explainUnhealthy(worst, readAt);
  return shortage(case_, {
    code: 'P3',
    sentence: `PDB ${budgetName(case_.budget)} ${needsText(case_.budget)}: ${worst.metadata.name}${moreText(sibling.unhealthy)} is not healthy.`,
    class: why.class,
    confidence,
    because: [why],
    remedies: [
      remedy('Mend that pod first; the drain then goes on by itself', { who: 'application owner' }),
      ...relaxBudget(case_),
    ],
  });
}

/** Another drain may have taken what the budget had to spare, also one of another pool. */
function* siblingLeaving(case_: Case, { worst, confidence, readAt }: Sibling): Inquiry<Finding> {
  const { subject, budget } = case_;
  const why = yield* explainTermination(worst, readAt);
  const there = worst.spec.nodeName;
  const elsewhere = there === '' || there === subject.node.name ? undefined : yield* read(nodeNamed(there));
  const draining = elsewhere?.kind === 'read' && isToBeDrained(mcoView(elsewhere.value));
  const found = shortage(case_, {
    code: draining ? 'P4' : 'P3',
    sentence: draining
      ? `The budget of PDB ${budgetName(budget)} is used up by the drain of ${there}: ${worst.metadata.name} is on its way out there.`
      : `PDB ${budgetName(budget)} ${needsText(budget)}: ${worst.metadata.name} is still shutting down.`,
    class: 'self-healing',
    confidence,
    because: [why],
    remedies: [
      remedy(draining ? 'Wait for the other drain, or pause one of the pools' : 'Wait until its replacement is ready'),
    ],
  });
  return without(found, unreadOf(ifGiven(elsewhere)));
}

/** The guarded pod is a neighbour too: it stays where it is until this one runs. */
function* siblingPending(case_: Case, { worst, unhealthy, others, confidence, readAt }: Sibling): Inquiry<Finding> {
  const siblings = [...others, case_.pod];
  const why = yield* explainUnplaced({ pod: worst, siblings, subject: case_.subject, readAt });
  const told = conditionOf(worst.status.conditions, 'PodScheduled')?.message ?? '';
  const counts = countsText(parseSchedulerText(told));
  return shortage(case_, {
    code: 'P3',
    sentence: `PDB ${budgetName(case_.budget)} ${needsText(case_.budget)}: ${worst.metadata.name}${moreText(unhealthy)} is Pending${
      counts === '' ? '' : ` (${quoted(counts, 160)})`
    }.`,
    class: why.class,
    confidence,
    because: [why],
    remedies: relaxBudget(case_),
  });
}

/** Nobody is unhealthy and yet pods are missing: they were never created. */
function* notCreated(case_: Case): Inquiry<Finding> {
  return shortOfReplicas(case_, yield* missingReplicas(case_.pod));
}

/** P3 for want of pods that do not exist. */
export function shortOfReplicas(case_: Case, { words, why, unread }: MissingReplicas): Finding {
  const { budget } = case_;
  const failed = why !== undefined;
  const base = shortage(case_, {
    code: 'P3',
    sentence: `PDB ${budgetName(budget)} ${needsText(budget)}, and ${words} not exist${failed ? '' : ' yet'}.`,
    class: failed ? 'external' : 'self-healing',
    confidence: failed ? 'strong' : 'likely',
    because: failed ? [why] : [],
    remedies: relaxBudget(case_),
  });
  return without(base, unread);
}

interface Shortage {
  readonly code: string;
  readonly sentence: string;
  readonly class: Finding['class'];
  readonly confidence: Confidence;
  readonly because: readonly Finding[];
  readonly remedies: readonly Remedy[];
}

function shortage(case_: Case, what: Shortage): Finding {
  const [first] = what.remedies;
  const remedies = first?.risk === 'outage' ? [lookAtPods(case_), ...what.remedies] : what.remedies;
  return finding({ ...what, remedies, subject: budgetRef(case_.budget), evidence: budgetEvidence(case_) });
}

function lookAtPods({ budget }: Case): Remedy {
  const { namespace, name } = budget.metadata;
  const selector = selectorText(budget.spec.selector ?? {});
  return remedy(`See the pods that PDB ${namespace}/${name} counts`, {
    command: command('oc', '-n', namespace, 'get', 'pods', ...(selector === '' ? [] : ['-l', selector]), '-o', 'wide'),
  });
}

/** Does what was found explain the numbers? Healthy and unhealthy pods should be the expected ones; else the world
 *  moved between the reads. */
function agreement({ budget }: Case, unhealthy: number): Confidence {
  const { currentHealthy, expectedPods } = budget.status;
  return currentHealthy + unhealthy === expectedPods ? 'strong' : lower('strong');
}

/** Never scheduled first, then what has a node and is broken, then what is only leaving. Names decide ties, so that
 *  the answer is stable. */
function worstFirst(a: Pod, b: Pod): number {
  return rank(a) - rank(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

function rank(pod: Pod): number {
  if (isUnschedulable(pod)) return 0;
  return isTerminating(pod) ? 2 : 1;
}

function moreText(unhealthy: readonly Pod[]): string {
  return unhealthy.length < 2 ? '' : ` (and ${unhealthy.length - 1} more)`;
}
