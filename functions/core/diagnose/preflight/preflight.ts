import type { Inquiry } from '../../findings/inquiry.ts';
import { lower } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { itemsOf, type Reading, read, type Unread, unreadOf } from '../../findings/unread.ts';
import type { Node } from '../../openshift/node.ts';
import type { Pool } from '../../openshift/pool.ts';
import { conditionOf, isOfPlatform } from '../objects/metadata.ts';
import { isEvicted, isTerminal, isTerminating, type Pod } from '../objects/pod.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { allBudgets, podsSelected } from '../questions.ts';
import { explainRefusal } from '../rules/budget.ts';
import { guards } from '../rules/budget-case.ts';
import type { NodeSubject } from '../subject.ts';
import { type NodeSystems, nodeSystems } from './node-systems.ts';
import type { Obstacle, PreflightSubject } from './obstacle.ts';
import { partsAtWork } from './parts-at-work.ts';
import { runsOut } from './runs-out.ts';
import { type NodeLosses, whatIsLost } from './what-is-lost.ts';

/** The nodes that a resume will drain: those that are not where the MCO wants them. */
export function nodesToDrain(pool: Pick<Pool, 'target'>, nodes: readonly Node[]): readonly Node[] {
  return nodes
    .filter(({ currentConfig }) => currentConfig !== pool.target.name)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export interface Preflight {
  /** What stops the whole pool first, then structural ones, then those of the most nodes. */
  readonly obstacles: readonly Obstacle[];
  /** What is wrong beside the drains, and stops none of them. */
  readonly besides: readonly Finding[];
  /** What goes with each node though nothing blocks: pods without an owner, local storage. */
  readonly losses: readonly NodeLosses[];
  /** Nodes whose operating system is not as their pool's: updates fail on what was changed by hand. Absent: nobody
   *  looked. */
  readonly systems?: NodeSystems | undefined;
  /** Budgets whose pods were not looked at, over the bound. */
  readonly skipped: number;
  readonly unread: readonly Unread[];
}

export interface PreflightBounds {
  /** Budgets whose pods are read, each one call. */
  readonly budgets: number;
  /** Nodes of which is read what their drain loses and what they have booted, each three calls; none: not asked. */
  readonly nodes: number;
}

/** Follows the drain of each node before it happens: every budget that covers pods on the nodes is asked whether it
 *  spares them, and where it spares fewer than there are, whether their replacements have another node. */
export function* preflight(subject: PreflightSubject, bounds: PreflightBounds): Inquiry<Preflight> {
  const found: Obstacle[] = [];
  const unread: Unread[] = [];
  const parts = yield* partsAtWork(subject.touched.map(({ name }) => name));
  found.push(...parts.obstacles);
  unread.push(...parts.unread);
  const systems = bounds.nodes === 0 ? undefined : yield* nodeSystems(subject, bounds.nodes);
  const budgets = yield* read(allBudgets());
  if (budgets.kind !== 'read')
    return {
      obstacles: found,
      besides: parts.besides,
      losses: [],
      systems,
      skipped: 0,
      unread: [...unread, ...unreadOf([budgets])],
    };
  if (budgets.value.metadata.continue !== '') unread.push(moreThanOnePage(budgets));
  const wanted = budgets.value.items.filter(mayBlock).toSorted(emptiestFirst);
  for (const budget of wanted.slice(0, bounds.budgets)) {
    const pods = yield* read(podsSelected(budget.metadata.namespace, budget.spec.selector ?? {}));
    unread.push(...unreadOf([pods]));
    found.push(...(yield* obstaclesOf(subject, budget, { pods, budgets })));
  }
  const losses: NodeLosses[] = [];
  for (const node of subject.touched.slice(0, bounds.nodes)) {
    const lost = yield* whatIsLost(node);
    unread.push(...lost.unread);
    if (lost.losses !== undefined) losses.push(lost.losses);
  }
  return {
    obstacles: joined(found).toSorted(worstFirst),
    besides: parts.besides,
    losses,
    systems,
    skipped: Math.max(0, wanted.length - bounds.budgets),
    unread,
  };
}

type Budgets = Reading<{ readonly items: readonly PodDisruptionBudget[] }>;

function moreThanOnePage({ readAt }: Reading<unknown>): Unread {
  return { kind: 'unread', what: 'every PodDisruptionBudget', why: 'there are more than one page holds', readAt };
}

/** Budgets of the platform are made to let one node after the other go: they count only while they spare nothing. */
function mayBlock(budget: PodDisruptionBudget): boolean {
  const { selector } = budget.spec;
  if (selector === null || selector === undefined || coversNobody(budget)) return false;
  return budget.status.disruptionsAllowed === 0 || !isOfPlatform(budget.metadata);
}

/** One that cannot be computed expects no pods either, and neither does one that counts by owners over pods that
 *  have none. */
function coversNobody({ status }: PodDisruptionBudget): boolean {
  const failed = conditionOf(status.conditions, 'DisruptionAllowed')?.reason === 'SyncFailed';
  return status.expectedPods === 0 && status.currentHealthy === 0 && !failed;
}

function emptiestFirst(a: PodDisruptionBudget, b: PodDisruptionBudget): number {
  return a.status.disruptionsAllowed - b.status.disruptionsAllowed || (nameOf(a) < nameOf(b) ? -1 : 1);
}

function nameOf({ metadata }: PodDisruptionBudget): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function* obstaclesOf(
  subject: PreflightSubject,
  budget: PodDisruptionBudget,
  { pods, budgets }: { readonly pods: Reading<{ readonly items: readonly Pod[] }>; readonly budgets: Budgets },
): Inquiry<readonly Obstacle[]> {
  const guarded = itemsOf(pods).filter((pod) => guards(budget, pod) && isEvicted(pod) && !isTerminal(pod));
  const perNode = Map.groupBy(guarded, (pod) => pod.spec.nodeName);
  const obstacles: Obstacle[] = [];
  for (const node of subject.touched) {
    const here = (perNode.get(node.name) ?? []).filter((pod) => !isTerminating(pod));
    const [first] = here;
    if (first === undefined) continue;
    const finding =
      budget.status.disruptionsAllowed === 0
        ? yield* explainRefusal({ pod: first, podReadAt: pods.readAt, subject: draining(subject, node) }, budgets)
        : yield* runsOut({ subject, node, budget, here, all: guarded, readAt: pods.readAt });
    if (finding !== undefined) obstacles.push({ nodes: [node.name], finding: asForecast(finding) });
  }
  return obstacles;
}

/** The node as the rules see it once its drain has begun. */
function draining({ cluster, pool, pools, nodes, readAt, applications }: PreflightSubject, node: Node): NodeSubject {
  return { kind: 'node', symptom: 'draining', cluster, pool, pools, nodes, node, since: readAt, readAt, applications };
}

/** What heals by itself may be over when the drain comes. */
function asForecast(finding: Finding): Finding {
  return finding.class === 'self-healing' ? { ...finding, confidence: lower(finding.confidence) } : finding;
}

/** One budget that stops five nodes is one obstacle. */
function joined(obstacles: readonly Obstacle[]): readonly Obstacle[] {
  const key = ({ finding: { code, subject, because } }: Obstacle) =>
    [code, subject.kind, subject.namespace, subject.name, because[0]?.code ?? ''].join(' ');
  return [...Map.groupBy(obstacles, key).values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ ...first, nodes: [first, ...rest].flatMap(({ nodes }) => nodes) }],
  );
}

function worstFirst(a: Obstacle, b: Obstacle): number {
  return (
    Number(b.nodes.length === 0) - Number(a.nodes.length === 0) ||
    Number(b.finding.class === 'structural') - Number(a.finding.class === 'structural') ||
    b.nodes.length - a.nodes.length
  );
}
