import type { Inquiry } from '../../findings/inquiry.ts';
import { lower } from '../../findings/make-finding.ts';
import { readPages } from '../../findings/read-pages.ts';
import type { Finding } from '../../findings/trouble.ts';
import { itemsOf, type Reading, type Unread } from '../../findings/unread.ts';
import type { Node } from '../../openshift/node.ts';
import { imageOf, type Pool } from '../../openshift/pool.ts';
import { counted } from '../../text/phrases.ts';
import { unique } from '../../text/unique.ts';
import { conditionOf, isOfPlatform } from '../objects/metadata.ts';
import { isEvicted, isTerminal, isTerminating, type Pod } from '../objects/pod.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { podsSelected, siblingsPerPage } from '../questions.ts';
import { readBudgets } from '../read-budgets.ts';
import { explainRefusal } from '../rules/budget.ts';
import { type Guarded, guards } from '../rules/budget-case.ts';
import { isOfMachine } from '../rules/operator-budget.ts';
import { instancesOf, isSwitchedOver } from '../rules/switched-over.ts';
import { machineOf } from '../rules/virtual-machine.ts';
import type { NodeSubject } from '../subject.ts';
import { type NodeSystems, nodeSystems } from './node-systems.ts';
import type { Obstacle, PreflightSubject } from './obstacle.ts';
import { partsAtWork } from './parts-at-work.ts';
import { nowhereElse, type RunningOut, runsOut } from './runs-out.ts';
import { stuckPods } from './stuck-pods.ts';
import { type NodeLosses, whatIsLost } from './what-is-lost.ts';

/** The nodes that a resume will drain: those that are not where the MCO wants them. */
export function nodesToDrain(pool: Pick<Pool, 'target' | 'conditions'>, nodes: readonly Node[]): readonly Node[] {
  const image = imageOf(pool);
  const hasImage = ({ currentImage }: Node) => image === undefined || currentImage === image;
  return nodes
    .filter((node) => node.currentConfig !== pool.target.name || !hasImage(node))
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
  /** Nodes that the MCO reboots without a drain: no budget is asked, and pods stay on them. Absent: none. */
  readonly undrained?: readonly string[] | undefined;
  /** Budgets whose pods were not looked at, over the bound. */
  readonly skipped: number;
  /** Nodes on which nobody looked for what is lost and what never ends, over the bound. Absent: on none was looked. */
  readonly skippedNodes?: number | undefined;
  readonly unread: readonly Unread[];
}

export interface PreflightBounds {
  /** Budgets whose pods are read, each one call. */
  readonly budgets: number;
  /** Pages of the pods of one budget, each one call. */
  readonly pages: number;
  /** Nodes of which is read what their drain loses and what they have booted, each three calls; none: not asked. */
  readonly nodes: number;
}

/** Follows the drain of each node before it happens: every budget that covers pods on the nodes is asked whether it
 *  spares them, and where it spares fewer than there are, whether their replacements have another node. A node that is
 *  never drained is asked for none of this. */
export function* preflight(asked: PreflightSubject, bounds: PreflightBounds): Inquiry<Preflight> {
  const found: Obstacle[] = [];
  const unread: Unread[] = [];
  const parts = yield* partsAtWork(asked.touched);
  found.push(...parts.obstacles);
  unread.push(...parts.unread);
  const systems = bounds.nodes === 0 ? undefined : yield* nodeSystems(asked, bounds.nodes);
  const undrained = asked.touched.flatMap(({ name, isNeverDrained }) => (isNeverDrained === true ? [name] : []));
  const subject = { ...asked, touched: asked.touched.filter(({ isNeverDrained }) => isNeverDrained !== true) };
  if (undrained.length > 0 && subject.touched.length === 0)
    return { obstacles: found, besides: parts.besides, losses: [], systems, undrained, skipped: 0, unread };
  const { list: budgets, unread: unreadBudgets } = yield* readBudgets();
  unread.push(...unreadBudgets);
  if (budgets.kind !== 'read')
    return {
      obstacles: found,
      besides: parts.besides,
      losses: [],
      systems,
      skipped: 0,
      unread,
    };
  const wanted = budgets.value.items.filter(mayBlock).toSorted(emptiestFirst);
  for (const budget of wanted.slice(0, bounds.budgets)) {
    const pods = yield* podsOf(budget, bounds.pages);
    unread.push(...pods.unread);
    found.push(...(yield* obstaclesOf(subject, budget, { pods, budgets })));
  }
  const left = wanted.slice(bounds.budgets).filter(({ status }) => status.disruptionsAllowed === 0).length;
  if (left > 0) unread.push(notLookedAt(left, bounds.budgets, budgets));
  const losses: NodeLosses[] = [];
  for (const node of subject.touched.slice(0, bounds.nodes)) {
    const lost = yield* whatIsLost(node);
    unread.push(...lost.unread);
    found.push(...(yield* stuckPods(node)));
    if (lost.losses !== undefined) losses.push(lost.losses);
  }
  return {
    obstacles: joined(found).toSorted(worstFirst),
    besides: parts.besides,
    losses,
    systems,
    ...(undrained.length === 0 ? {} : { undrained }),
    skipped: Math.max(0, wanted.length - bounds.budgets),
    ...(bounds.nodes === 0 ? {} : { skippedNodes: Math.max(0, subject.touched.length - bounds.nodes) }),
    unread,
  };
}

type Budgets = Reading<{ readonly items: readonly PodDisruptionBudget[] }>;

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

/** Those that spare no pod: nothing is known of what they stop. */
function notLookedAt(left: number, looked: number, { readAt }: Reading<unknown>): Unread {
  const what = `the pods of ${counted(left, 'further PodDisruptionBudget')} that spare${left === 1 ? 's' : ''} none`;
  return { kind: 'unread', what, why: `those of ${looked} are read`, readAt };
}

interface PodsRead {
  readonly items: readonly Pod[];
  readonly readAt: string;
  readonly unread: readonly Unread[];
}

/** The pods that it selects, page after page. Where it spares some, those of the first page will do: one that covers
 *  more is rarely short of places. */
function* podsOf({ metadata, spec, status }: PodDisruptionBudget, pagesAtMost: number): Inquiry<PodsRead> {
  const spares = status.disruptionsAllowed > 0;
  const { list, unread } = yield* readPages({
    each: `pod of PodDisruptionBudget ${metadata.namespace}/${metadata.name}`,
    perPage: siblingsPerPage,
    pagesAtMost: spares ? 1 : pagesAtMost,
    page: (page) => podsSelected(metadata.namespace, spec.selector ?? {}, page),
  });
  return { items: itemsOf(list), readAt: list.readAt, unread: spares && list.kind === 'read' ? [] : unread };
}

function* obstaclesOf(
  subject: PreflightSubject,
  budget: PodDisruptionBudget,
  { pods, budgets }: { readonly pods: PodsRead; readonly budgets: Budgets },
): Inquiry<readonly Obstacle[]> {
  const guarded = pods.items.filter((pod) => guards(budget, pod) && isEvicted(pod) && !isTerminal(pod));
  const others = itemsOf(budgets).filter(
    (each) => each !== budget && each.metadata.namespace === budget.metadata.namespace,
  );
  const perNode = Map.groupBy(guarded, (pod) => pod.spec.nodeName);
  const instances = guarded.length === 0 ? [] : yield* instancesOf(budget);
  const obstacles: Obstacle[] = [];
  for (const node of subject.touched) {
    const here = (perNode.get(node.name) ?? []).filter((pod) => !isTerminating(pod));
    if (here.length === 0) continue;
    // Kubernetes evicts no pod of several budgets, whatever they spare.
    const shared = here.filter((pod) => others.some((other) => guards(other, pod)));
    const sparesNone = budget.status.disruptionsAllowed === 0;
    const staying = here.filter((pod) => shared.includes(pod) || !isSwitchedOver(budget, pod, instances));
    const moving = { budget, here: staying, node, readAt: pods.readAt };
    const refused = sparesNone ? yield* withoutMoving(moving, shared) : shared;
    const finding =
      (yield* firstRefused(refused, { podReadAt: pods.readAt, subject: draining(subject, node) }, budgets)) ??
      (sparesNone ? undefined : yield* runsOut({ subject, node, budget, here, all: guarded, readAt: pods.readAt }));
    if (finding !== undefined) obstacles.push({ nodes: [node.name], finding: asForecast(finding) });
  }
  return obstacles;
}

/** Without the virtual machines that KubeVirt moves elsewhere once their eviction is asked for: that takes its time,
 *  and blocks nothing where another node takes them. Whether one may be migrated says nothing of that. */
function* withoutMoving(
  { budget, here, node, readAt }: Pick<RunningOut, 'budget' | 'here' | 'node' | 'readAt'>,
  shared: readonly Pod[],
): Inquiry<readonly Pod[]> {
  const staying: Pod[] = [];
  for (const pod of here) {
    const machine = shared.includes(pod) ? undefined : yield* machineOf(pod);
    const mayMove = machine?.isMigratable === true && isOfMachine({ budget, pod }, machine.name);
    const moves = mayMove && (yield* nowhereElse({ here: [pod], node, all: here, readAt })) === undefined;
    if (!moves) staying.push(pod);
  }
  return staying;
}

/** Of several pods the first may be one that no budget keeps: not running yet, or broken where broken ones may go. */
function* firstRefused(
  pods: readonly Pod[],
  seen: Omit<Guarded, 'pod'>,
  budgets: Budgets,
): Inquiry<Finding | undefined> {
  for (const pod of pods) {
    const finding = yield* explainRefusal({ ...seen, pod }, budgets);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

/** The node as the rules see it once its drain has begun. */
function draining({ cluster, pool, pools, nodes, readAt, applications }: PreflightSubject, node: Node): NodeSubject {
  return { kind: 'node', symptom: 'draining', cluster, pool, pools, nodes, node, since: readAt, readAt, applications };
}

/** What heals by itself may be over when the drain comes. */
function asForecast(finding: Finding): Finding {
  return finding.class === 'self-healing' ? { ...finding, confidence: lower(finding.confidence) } : finding;
}

/** One budget that stops five nodes is one obstacle, and so are the same two budgets. */
function joined(obstacles: readonly Obstacle[]): readonly Obstacle[] {
  const key = ({ finding: { code, subject, because, evidence } }: Obstacle) => {
    const budgets = evidence.flatMap(({ ref: { kind, name } }) => (kind === 'PodDisruptionBudget' ? [name] : []));
    const about = code === 'P5' ? budgets.toSorted().join(',') : subject.name;
    return [code, subject.kind, subject.namespace, about, because[0]?.code ?? ''].join(' ');
  };
  return [...Map.groupBy(obstacles, key).values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ ...first, nodes: unique([first, ...rest].flatMap(({ nodes }) => nodes)) }],
  );
}

function worstFirst(a: Obstacle, b: Obstacle): number {
  return (
    Number(b.nodes.length === 0) - Number(a.nodes.length === 0) ||
    Number(b.finding.class === 'structural') - Number(a.finding.class === 'structural') ||
    b.nodes.length - a.nodes.length
  );
}
