import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref, without } from '../../findings/make-finding.ts';
import type { Finding, Remedy } from '../../findings/trouble.ts';
import { itemsOf, type Reading, read } from '../../findings/unread.ts';
import { clipped, listed, quoted } from '../../text/phrases.ts';
import { mergePatch } from '../../text/shell-words.ts';
import { inGit, liveEdit, type ManagedBy, managerOf } from '../managed-by.ts';
import { conditionOf } from '../objects/metadata.ts';
import { isReady, ownerOf, type Pod } from '../objects/pod.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { workloadHead } from '../questions.ts';
import { deletePod, remedy } from '../remedies.ts';
import {
  budgetEvidence,
  budgetManager,
  budgetName,
  budgetRef,
  type Case,
  type Guarded,
  guards,
  relaxBudget,
} from './budget-case.ts';
import { shortOfHealthy, shortOfReplicas } from './budget-shortage.ts';
import { onPlatform } from './cluster-operator.ts';
import { missingReplicas } from './missing-replicas.ts';
import { leaveToOperator } from './operator-budget.ts';
import { explainUnhealthy } from './pod-health.ts';
import { machineOf } from './virtual-machine.ts';

/** Which budget refuses the eviction, and why it has nothing to spare (P rules). Undefined when no budget refuses it
 *  now. */
export function* explainRefusal(
  guarded: Guarded,
  budgets: Reading<{ readonly items: readonly PodDisruptionBudget[] }>,
): Inquiry<Finding | undefined> {
  if (guarded.pod.status.phase === 'Pending') return undefined;
  const matching = itemsOf(budgets).filter((budget) => guards(budget, guarded.pod));
  const [only] = matching;
  if (only === undefined) return undefined;
  if (matching.length > 1) return severalBudgets(guarded, matching, budgets.readAt);
  const case_: Case = { ...guarded, budget: only, readAt: budgets.readAt };
  const found = yield* explainOne(case_);
  if (found === undefined) return undefined;
  const machine = yield* machineOf(guarded.pod);
  const told = yield* withItsOperator(leaveToOperator(case_, found, machine?.name));
  const immovable = machine?.immovable;
  return immovable === undefined ? told : { ...told, class: immovable.class, because: [immovable] };
}

/** What guards on purpose is often not well itself, and says so. `openshift-etcd` belongs to the cluster operator
 *  `etcd`, and so on. */
function* withItsOperator(found: Finding): Inquiry<Finding> {
  const part = found.code === 'P8' ? /^openshift-(.+)$/.exec(found.subject.namespace)?.[1] : undefined;
  if (part === undefined) return found;
  return yield* onPlatform(found, part);
}

function* explainOne(case_: Case): Inquiry<Finding | undefined> {
  const { budget, pod } = case_;
  const { disruptionsAllowed, expectedPods, desiredHealthy, currentHealthy } = budget.status;
  const uncountable = notComputed(case_) ?? ownerless(case_);
  if (uncountable !== undefined) return uncountable;
  if (!isReady(pod)) {
    const alwaysAllowed = budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow';
    const spared = currentHealthy >= desiredHealthy && desiredHealthy > 0;
    return alwaysAllowed || spared ? undefined : yield* brokenAndGuarded(case_);
  }
  if (disruptionsAllowed > 0) return momentPassed(case_);
  if (expectedPods > 0 && desiredHealthy >= expectedPods) return yield* demandsAll(case_);
  return yield* shortOfHealthy(case_);
}

/** The budget asks for every pod there is: by construction, or because there should be more. */
function* demandsAll(case_: Case): Inquiry<Finding> {
  if (countsByOwner(case_.budget)) return yield* zeroByConstruction(case_, undefined);
  const missing = yield* missingReplicas(case_.pod);
  return missing.count > 0
    ? shortOfReplicas(case_, missing)
    : without(yield* zeroByConstruction(case_, missing.owed), missing.unread);
}

/** Then `expectedPods` is what the owners of the pods should run; with a whole number as minAvailable it is how many
 *  there are.
 *  Source: Kubernetes disruption controller, getExpectedPodCount. */
function countsByOwner({ spec }: PodDisruptionBudget): boolean {
  return spec.maxUnavailable !== undefined || typeof spec.minAvailable === 'string';
}

/** P6: the controller cannot say what the budget allows, so it allows nothing. */
function notComputed(case_: Case): Finding | undefined {
  const { budget, readAt } = case_;
  const allowed = conditionOf(budget.status.conditions, 'DisruptionAllowed');
  const failed = allowed?.status === 'False' && allowed.reason === 'SyncFailed';
  const { observedGeneration } = budget.status;
  const behind = observedGeneration !== undefined && observedGeneration < (budget.metadata.generation ?? 0);
  if (!failed && !behind) return undefined;
  return finding({
    code: 'P6',
    subject: budgetRef(budget),
    sentence: failed
      ? `PDB ${budgetName(budget)} cannot be evaluated, so it allows nothing: ${quoted(allowed.message, 200)}.`
      : `PDB ${budgetName(budget)} was changed and its controller has not counted again yet.`,
    confidence: failed ? 'certain' : 'strong',
    class: failed ? 'structural' : 'self-healing',
    evidence: failed
      ? [evidence(budgetRef(budget), 'status.conditions[DisruptionAllowed].message', clipped(allowed.message), readAt)]
      : [evidence(budgetRef(budget), 'status.observedGeneration', observedGeneration ?? '', readAt)],
    remedies: failed
      ? [
          remedy(
            'Give the budget a whole number as minAvailable, or a selector of pods with a scalable owner, in Git',
            { who: 'application owner' },
          ),
        ]
      : [remedy('Wait; if it lasts, look at the controller manager')],
  });
}

/** P6 too: it counts by the owners of its pods, and they have none. Its controller then expects no pod and spares
 *  none. */
function ownerless({ budget, pod, podReadAt, readAt }: Case): Finding | undefined {
  const { expectedPods, disruptionsAllowed } = budget.status;
  if (!countsByOwner(budget) || expectedPods > 0 || disruptionsAllowed > 0) return undefined;
  if (pod.metadata.ownerReferences.some(({ controller }) => controller)) return undefined;
  return finding({
    code: 'P6',
    subject: budgetRef(budget),
    sentence: `PDB ${budgetName(budget)} counts by the owners of its pods (${ruleText(budget)}), and ${pod.metadata.name} has none: so it allows nothing.`,
    confidence: 'strong',
    class: 'structural',
    evidence: [
      evidence(budgetRef(budget), 'status.expectedPods', expectedPods, readAt),
      evidence(
        ref('Pod', pod.metadata.name, pod.metadata.namespace),
        'metadata.ownerReferences',
        'no controller',
        podReadAt,
      ),
    ],
    remedies: [
      remedy('Give the budget a whole number as minAvailable, or the pod an owner, in Git', {
        who: 'application owner',
      }),
      deletePod(pod),
    ],
  });
}

function momentPassed(case_: Case): Finding {
  const { budget } = case_;
  return finding({
    code: 'P0',
    subject: budgetRef(budget),
    sentence: `PDB ${budgetName(budget)} refused the eviction and allows ${budget.status.disruptionsAllowed} now: the next attempt may pass.`,
    confidence: 'likely',
    class: 'self-healing',
    evidence: budgetEvidence(case_),
    remedies: [remedy('Wait for the next drain attempt')],
  });
}

/** P1 and P2: the budget asks for every pod there is, so it can never spare one.
 *  @param owed how many pods the pod's own workload should run; undefined: not known */
function* zeroByConstruction(case_: Case, owed: number | undefined): Inquiry<Finding> {
  const { budget, pod } = case_;
  const { expectedPods } = budget.status;
  const owner = ownerText(pod);
  const single = expectedPods === 1;
  return finding({
    code: single ? 'P2' : 'P1',
    subject: budgetRef(budget),
    sentence: single
      ? `${owner} runs one pod and PDB ${budgetName(budget)} forbids losing it (${ruleText(budget)}).`
      : `PDB ${budgetName(budget)} demands all ${expectedPods} of ${expectedPods} pods (${ruleText(budget)}), so no pod of ${owner} can ever be evicted.`,
    confidence: 'strong',
    class: 'structural',
    evidence: budgetEvidence(case_),
    remedies: [
      inGit(
        budgetManager(case_),
        single
          ? 'run two replicas, or let the budget spare one pod'
          : 'let the budget spare one pod (maxUnavailable 1), or run one replica more',
      ),
      // Through Git they are the change above.
      ...[...(yield* scaleUp(case_, owed)), ...relaxBudget(case_)].filter(({ command }) => command !== undefined),
      deletePod(pod),
    ],
  });
}

/** One replica more, where the budget counts pods that must stay, all of this workload: its number goes into the
 *  command and into what takes it back. Whoever keeps the workload counts here, not who keeps the budget. */
function* scaleUp({ budget, pod, subject }: Case, owed: number | undefined): Inquiry<readonly Remedy[]> {
  const owner = ownerOf(pod);
  if (owner === undefined || !['Deployment', 'StatefulSet', 'ReplicaSet'].includes(owner.kind)) return [];
  const replicas = budget.status.expectedPods;
  if (countsByOwner(budget) || owed !== replicas) return [];
  const { namespace } = pod.metadata;
  const head = yield* read(workloadHead(namespace, owner));
  const manager: ManagedBy =
    head.kind === 'read'
      ? managerOf({ kind: owner.kind, metadata: head.value.metadata }, subject.applications ?? [])
      : budgetManager({ budget, subject });
  const target = { kind: owner.kind.toLowerCase(), name: owner.name, namespace };
  return liveEdit(
    manager,
    remedy('Run one replica more for this window', {
      command: mergePatch(target, { spec: { replicas: replicas + 1 } }),
      undo: mergePatch(target, { spec: { replicas } }),
      risk: 'low',
      who: 'application owner',
    }),
  );
}

/** P5: Kubernetes answers 500 to such an eviction. */
function severalBudgets(
  { pod, podReadAt }: Guarded,
  matching: readonly PodDisruptionBudget[],
  readAt: string,
): Finding {
  const of = ref('Pod', pod.metadata.name, pod.metadata.namespace);
  const names = matching.map((budget) => budget.metadata.name).toSorted();
  return finding({
    code: 'P5',
    subject: of,
    sentence: `Pod ${of.namespace}/${of.name} is covered by the PDBs ${listed(names)}, and Kubernetes evicts no pod that more than one covers.`,
    confidence: 'strong',
    class: 'structural',
    evidence: [
      evidence(of, 'metadata.labels', clipped(labelsText(pod.metadata.labels)), podReadAt),
      ...matching
        .slice(0, 5)
        .map((budget) => evidence(budgetRef(budget), 'spec.selector', clipped(selectorWords(budget)), readAt)),
    ],
    remedies: [remedy('In Git: change the selectors so that one budget covers the pod', { who: 'application owner' })],
  });
}

/** P7: the pod on the node is itself broken, and the default policy guards broken pods too. */
function* brokenAndGuarded(case_: Case): Inquiry<Finding> {
  const { budget, pod, podReadAt } = case_;
  const why = yield* explainUnhealthy(pod, podReadAt);
  const before = budget.spec.unhealthyPodEvictionPolicy;
  const target = { kind: 'pdb', name: budget.metadata.name, namespace: budget.metadata.namespace };
  return finding({
    code: 'P7',
    subject: budgetRef(budget),
    sentence: `${pod.metadata.name} on this node is itself not ready, and PDB ${budgetName(budget)} forbids evicting unhealthy pods while it has ${budget.status.currentHealthy} of the ${budget.status.desiredHealthy} healthy ones it needs.`,
    confidence: 'strong',
    class: 'structural',
    evidence: [
      ...budgetEvidence(case_),
      evidence(
        budgetRef(budget),
        'spec.unhealthyPodEvictionPolicy',
        before === '' ? '(default)' : before,
        case_.readAt,
      ),
    ],
    because: [why],
    remedies: [
      ...liveEdit(
        budgetManager(case_),
        remedy('Let broken pods be evicted', {
          command: mergePatch(target, { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } }),
          undo: mergePatch(target, { spec: { unhealthyPodEvictionPolicy: before === '' ? null : before } }),
          risk: 'low',
          who: 'application owner',
        }),
      ),
      remedy('Mend the pod', { who: 'application owner' }),
      deletePod(pod),
    ],
  });
}

function ruleText({ spec }: PodDisruptionBudget): string {
  if (spec.maxUnavailable !== undefined) return `maxUnavailable ${spec.maxUnavailable}`;
  return `minAvailable ${spec.minAvailable ?? 'not set'}`;
}

function ownerText(pod: Pod): string {
  const owner = ownerOf(pod);
  return owner === undefined ? `Pod ${pod.metadata.name}` : `${owner.kind} ${owner.name}`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

function selectorWords({ spec }: PodDisruptionBudget): string {
  return JSON.stringify(spec.selector ?? null);
}
