import { listAt, mappingAt } from '../openshift/member.ts';
import {
  isBuiltIn,
  type Membership,
  membershipOf,
  ofControlPlane,
  type SelectingPool,
} from '../openshift/membership.ts';
import { isDegraded, type Pool } from '../openshift/pool.ts';
import { type LabelRequirement, type LabelSelector, poolSelects } from '../openshift/selector.ts';
import { byName } from '../text/by-name.ts';
import { listed } from '../text/phrases.ts';
import { stable } from '../text/stable.ts';
import {
  type CanaryWrite,
  type LabelledCluster,
  type RawSelector,
  selectingPools,
  withLabels,
} from './canary-write.ts';
import { isReserved } from './reserved-label.ts';

export interface CanaryPool extends Pick<Pool, 'name' | 'paused' | 'target' | 'conditions'> {
  /** As it is now. */
  readonly nodeSelector: RawSelector;
}

export interface CanaryQuestion {
  /** The pool that nodes move to for their update. */
  readonly canary: string;
  /** It takes every worker without a label of a rule, as the reference has it. Otherwise nodes get `label`. */
  readonly exclude: boolean;
  /** The only label that a node may get: another one that the canary asks for is refused. */
  readonly label: string;
  /** Names of the pools whose nodes have turns. */
  readonly targets: readonly string[];
  /** Keys of the labels of the run's rules (`ruleLabel`). Only read with `exclude`. */
  readonly ruleLabels: readonly string[];
  /** Key of the label of the run itself (`runNodeLabel`). Only read with `exclude`. */
  readonly runNodeLabel: string;
  readonly pools: readonly CanaryPool[];
  readonly nodes: LabelledCluster['nodes'];
  /** Names of nodes that have labels of the run, or have lost some by it. */
  readonly ours: ReadonlySet<string>;
  /** What was found out when the run began, and is kept in its record: from then on selectors and labels are partly its
   *  own. Undefined: it has written nothing. */
  readonly begun: CanaryWay | undefined;
}

/** How a run in mode canary lets nodes go. */
export interface CanaryWay {
  /** Labels of nodes that wait for their turn; empty: they need none. */
  readonly marks: Readonly<Record<string, string>>;
  /** What lets a node go: one patch, by which it leaves its pool and enters the canary at once. */
  readonly entry: Readonly<Record<string, string | null>>;
  /** What takes it back: the opposite. */
  readonly back: Readonly<Record<string, string | null>>;
  /** The selectors while the run lasts, of the pools that need another one, in the order in which they are written. */
  readonly selectors: readonly {
    readonly pool: string;
    readonly original: RawSelector;
    readonly during: RawSelector;
  }[];
}

export interface CanaryPlan {
  readonly kind: 'plan';
  readonly way: CanaryWay;
  /** Members of the targets, in the order of the targets and their names. */
  readonly members: readonly { readonly node: string; readonly pool: string }[];
}

export type CanaryAnswer =
  | CanaryPlan
  | {
      readonly kind: 'refused';
      readonly problems: readonly string[];
      /** All of it may be over in a moment: of two pools with one change, one is rendered before the other. */
      readonly mayPass: boolean;
    };

/** How a run lets nodes go by the canary, or why it cannot. */
export function canaryPlan(question: CanaryQuestion): CanaryAnswer {
  const { canary: name, pools, targets, begun } = question;
  const selecting = selectingPools(withOriginals(pools, begun));
  if (selecting === undefined) return refused('a node selector of a pool could not be read');
  const canary = byName(pools, name);
  if (canary === undefined) return refused(`pool ${name} does not exist`);
  const absent = targets.filter((target) => !pools.some((pool) => pool.name === target));
  if (absent.length > 0) return refused(`${listed(absent)}: no such pool`);
  const way = begun ?? (question.exclude ? exclusion(question, selecting) : addition(question, selecting));
  if (typeof way === 'string') return refused(way);
  const members = membersIn(question, way, selecting);
  const lasting = [...poolProblems(canary, question), ...stolenProblems(question, way, selecting)];
  const content = contentProblems(canary, question);
  const problems = [...lasting, ...content];
  if (problems.length > 0) return { kind: 'refused', problems, mayPass: lasting.length === 0 };
  return { kind: 'plan', way, members };
}

/** The pools as they were before the run wrote their selectors. */
function withOriginals<Each extends CanaryPool>(
  pools: readonly Each[],
  begun: CanaryWay | undefined,
): readonly CanaryPool[] {
  return pools.map((pool) => {
    const written = begun?.selectors.find((each) => each.pool === pool.name);
    return written === undefined ? pool : { ...pool, nodeSelector: written.original };
  });
}

/** The nodes of the targets of a run that has begun, wherever they are now because of it, and those that have its
 *  labels and belong to another pool by now, because somebody moved them or deleted theirs: what was written of them is
 *  put back all the same. Undefined: a selector cannot be read. */
export function canaryMembers(
  question: Pick<CanaryQuestion, 'targets' | 'nodes' | 'ours' | 'pools'>,
  way: CanaryWay,
): CanaryPlan['members'] | undefined {
  const selecting = selectingPools(withOriginals(question.pools, way));
  return selecting && [...membersIn(question, way, selecting), ...movedIn(question, way, selecting)];
}

/** What is written before the first turn: labels, then selectors. Until the labels are there nothing may depend on
 *  them. */
export function prepareWrites({ members, way: { marks, selectors } }: CanaryPlan): readonly CanaryWrite[] {
  return [
    ...(Object.keys(marks).length === 0
      ? []
      : members.map(({ node }): CanaryWrite => ({ kind: 'label-node', node, labels: marks }))),
    ...selectors.map(({ pool, during }): CanaryWrite => ({ kind: 'write-selector', pool, selector: during })),
  ];
}

/** What ends the run at any step: nodes leave the canary, selectors are as they were, then labels go. In this order no
 *  node is ever in two custom pools, nor in none.
 *  @param labelled names of nodes with labels of ours */
export function restoreWrites(
  { marks, back, selectors }: CanaryWay,
  labelled: readonly string[],
): readonly CanaryWrite[] {
  const unmark = Object.fromEntries(Object.keys(marks).map((key) => [key, null]));
  return [
    ...labelled.map((node): CanaryWrite => ({ kind: 'label-node', node, labels: back })),
    ...selectors
      .toReversed()
      .map(({ pool, original }): CanaryWrite => ({ kind: 'write-selector', pool, selector: original })),
    ...(Object.keys(marks).length === 0
      ? []
      : labelled.map((node): CanaryWrite => ({ kind: 'label-node', node, labels: unmark }))),
  ];
}

/** Whether two rendered configs have the same content: the MCO names them after it. Source: machine-config-operator
 *  pkg/controller/render/hash.go. */
export function isSameContent(a: string, b: string): boolean {
  const hash = hashOf(a);
  return hash !== undefined && hash === hashOf(b);
}

function hashOf(rendered: string): string | undefined {
  return /-([0-9a-z]{1,64})$/.exec(rendered)?.[1];
}

function refused(...problems: readonly string[]): CanaryAnswer {
  return { kind: 'refused', problems, mayPass: false };
}

/** The canary asks for a label, and a node gets it. Custom targets must not keep a node that has it; nothing else is
 *  written. */
function addition(
  { canary, label, targets, pools, nodes }: CanaryQuestion,
  selecting: readonly SelectingPool[],
): CanaryWay | string {
  const selector = selectorOf(selecting, canary);
  const candidates = nodes.filter((node) => targets.includes(poolOf(membershipOf(node, selecting)) ?? ''));
  if (candidates.length === 0) return `${listed(targets)}: no node is a member`;
  const wanted = entryLabels(selector, label, candidates);
  if (typeof wanted === 'string') return `pool ${canary} ${wanted}`;
  const [key] = Object.keys(wanted);
  if (key === undefined)
    return `pool ${canary} asks for no label that its nodes would get, as isCanary Exists; with canary.exclude it takes nodes without labels of rules`;
  const selectors = customTargets(targets, canary).map((pool) => {
    const original = selectorOf(pools, pool);
    return { pool, original, during: withRequirement(original, { key, operator: 'DoesNotExist' }) };
  });
  return {
    marks: {},
    entry: wanted,
    back: Object.fromEntries(Object.keys(wanted).map((each) => [each, null])),
    selectors,
  };
}

/** The canary takes nodes of the run without labels of rules, and a node loses its own. Custom targets ask for the
 *  labels. */
function exclusion(
  { canary, targets, ruleLabels, runNodeLabel, pools, nodes }: CanaryQuestion,
  selecting: readonly SelectingPool[],
): CanaryWay | string {
  if (ruleLabels.length === 0) return 'with canary.exclude a run needs a rule: its labels keep nodes out of the canary';
  const marks = Object.fromEntries([...ruleLabels, runNodeLabel].map((key) => [key, '']));
  const selector = selectorOf(selecting, canary);
  const original = selectorOf(pools, canary);
  const workers = nodes.filter((node) => !ofControlPlane(node, selecting));
  const met = (requirement: LabelRequirement) =>
    workers.some(({ labels }) => poolSelects({ matchExpressions: [requirement] }, labels));
  // What no node meets, as isCanary Exists, keeps nodes out of the canary outside of runs.
  const kept = listAt(original, 'matchExpressions').filter((_, index) => {
    const requirement = selector?.matchExpressions?.[index];
    return requirement === undefined || met(requirement);
  });
  const excluding = ruleLabels.map((key): LabelRequirement => ({ key, operator: 'DoesNotExist' }));
  // Without it a node that joins would be in the canary until the next look labels it.
  const ofRun: LabelRequirement = { key: runNodeLabel, operator: 'Exists' };
  const during = { ...mappingOf(original), matchExpressions: [...kept, ...excluding, ofRun] };
  return {
    marks,
    entry: Object.fromEntries(ruleLabels.map((key) => [key, null])),
    back: marks,
    selectors: [
      ...customTargets(targets, canary).map((pool) => {
        const own = selectorOf(pools, pool);
        const asks = ruleLabels.map((key): LabelRequirement => ({ key, operator: 'Exists' }));
        return { pool, original: own, during: asks.reduce<RawSelector>(withRequirement, own) };
      }),
      { pool: canary, original, during },
    ],
  };
}

function customTargets(targets: readonly string[], canary: string): readonly string[] {
  return targets.filter((name) => name !== canary && !isBuiltIn({ name }));
}

function mappingOf(selector: RawSelector): Readonly<Record<string, unknown>> {
  return mappingAt({ selector }, 'selector');
}

/** Everything that the selector says stays, the requirement is added. */
function withRequirement(selector: RawSelector, requirement: LabelRequirement): RawSelector {
  return {
    ...mappingOf(selector),
    matchExpressions: [...listAt(selector, 'matchExpressions'), requirement],
  };
}

function poolOf(membership: Membership): string | undefined {
  return membership.kind === 'member' ? membership.pool : undefined;
}

/** The labels that bring a node into the canary, as far as its nodes do not have them. A text: why none do. Completes
 *  "pool canary ...". */
function entryLabels(
  selector: LabelSelector | undefined,
  label: string,
  nodes: LabelledCluster['nodes'],
): Readonly<Record<string, string>> | string {
  const asked: readonly (readonly [string, string])[] = [
    ...Object.entries(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).flatMap(
      ({ key, operator, values }): readonly (readonly [string, string])[] => {
        if (operator === 'Exists') return [[key, '']];
        return operator === 'In' ? [[key, values?.[0] ?? '']] : [];
      },
    ),
  ];
  // What some node of the targets has already is no sign of the canary.
  const wanted = asked.filter(([key]) => !nodes.some(({ labels }) => Object.hasOwn(labels, key)));
  const never = wanted.find(([key]) => isReserved(key))?.[0];
  if (never !== undefined) return `asks for the label ${never}, which is never given to a node`;
  const other = wanted.find(([key]) => key !== label)?.[0];
  if (other !== undefined) return `asks for the label ${other}, and canary.label of the run is ${label}`;
  const entry = Object.fromEntries(wanted);
  const left = nodes.find(({ labels }) => !poolSelects(selector, withLabels(labels, entry)));
  return left === undefined ? entry : `would not take ${left.name}, whatever label of its own it gets`;
}

/** The nodes of the targets, wherever they are now because of the run. */
function membersIn(
  { targets, nodes, ours }: Pick<CanaryQuestion, 'targets' | 'nodes' | 'ours'>,
  { entry }: CanaryWay,
  selecting: readonly SelectingPool[],
): CanaryPlan['members'] {
  const found = nodes.flatMap((node) => {
    const labels = ours.has(node.name) ? without(node.labels, Object.keys(entry)) : node.labels;
    const pool = poolOf(membershipOf({ labels }, selecting));
    return pool !== undefined && targets.includes(pool) ? [{ node: node.name, pool }] : [];
  });
  return found.toSorted((a, b) => targets.indexOf(a.pool) - targets.indexOf(b.pool) || (a.node < b.node ? -1 : 1));
}

/** Nodes of the run whose own pool is none of its targets. Labels of rules may be those of another run: what tells its
 *  nodes is the label that they do not lose by going. */
function movedIn(
  { targets, nodes, ours }: Pick<CanaryQuestion, 'targets' | 'nodes' | 'ours'>,
  { marks, entry }: CanaryWay,
  selecting: readonly SelectingPool[],
): CanaryPlan['members'] {
  const kept = Object.keys(marks).filter((key) => !Object.hasOwn(entry, key));
  const isMarked = Object.keys(marks).length > 0;
  return nodes
    .filter(({ name, labels }) => ours.has(name) && (!isMarked || kept.some((key) => Object.hasOwn(labels, key))))
    .flatMap(({ name, labels }) => {
      const pool = poolOf(membershipOf({ labels: without(labels, Object.keys(entry)) }, selecting));
      return pool === undefined || targets.includes(pool) ? [] : [{ node: name, pool }];
    });
}

function without(labels: Readonly<Record<string, string>>, keys: readonly string[]): Readonly<Record<string, string>> {
  return withLabels(labels, Object.fromEntries(keys.map((key) => [key, null])));
}

function poolProblems(canary: CanaryPool, { targets }: CanaryQuestion): readonly string[] {
  const { name, paused } = canary;
  return [
    ...(isBuiltIn(canary) ? [`pool ${name} is no pool of its own`] : []),
    ...(targets.includes(name) ? [`pool ${name} is the canary and a target`] : []),
    ...(paused ? [`pool ${name} is paused: a node that moves there would wait for ever`] : []),
    ...(isDegraded(canary) ? [`pool ${name} is degraded`] : []),
  ];
}

/** Another content would update, and usually reboot, each node on its way there and again on its way back. */
function contentProblems(canary: CanaryPool, { pools, targets }: CanaryQuestion): readonly string[] {
  return targets.flatMap((name) => {
    const target = byName(pools, name);
    if (target === undefined || name === canary.name || isSameContent(target.target.name, canary.target.name))
      return [];
    const [one, other] = [canary, target].map((pool) => pool.target.name || 'nothing');
    return [`pool ${canary.name} renders ${one} and ${name} ${other}, which differ: each node would be updated twice`];
  });
}

/** The canary may hold nobody but nodes in their turn: others would be updated there without their Jobs. */
function stolenProblems(
  { canary, nodes, pools, ours, targets }: CanaryQuestion,
  { marks, selectors }: CanaryWay,
  selecting: readonly SelectingPool[],
): readonly string[] {
  const others = nodes.filter(({ name }) => !ours.has(name));
  const inside = others.filter((node) => poolOf(membershipOf(node, selecting)) === canary);
  if (inside.length > 0)
    return [`pool ${canary} has ${namesOf(inside)} already, which would be updated there without Jobs`];
  const during = selectingPools(
    pools.map((pool) => ({
      ...pool,
      nodeSelector: selectors.find((each) => each.pool === pool.name)?.during ?? pool.nodeSelector,
    })),
  );
  if (during === undefined) return ['a node selector of a pool could not be read'];
  const moved = others.flatMap((node) => {
    const then = membershipOf(node, selecting);
    const isMember = targets.includes(poolOf(then) ?? '');
    const now = membershipOf(isMember ? { labels: withLabels(node.labels, marks) } : node, during);
    return stable(then) === stable(now) ? [] : [{ name: node.name, isTaken: poolOf(now) === canary }];
  });
  const [taken, other] = [true, false].map((isTaken) => moved.filter((each) => each.isTaken === isTaken));
  const control = nodes.filter(
    (node) => ofControlPlane(node, during) && poolSelects(selectorOf(during, canary), node.labels),
  );
  return [
    ...(taken?.length ? [`pool ${canary} would take ${namesOf(taken)}, which no target has`] : []),
    ...(other?.length ? [`the selectors of the run would move ${namesOf(other)} to other pools`] : []),
    ...(control.length > 0 ? [`pool ${canary} selects ${namesOf(control)} of the control plane`] : []),
  ];
}

function selectorOf<Selector>(
  pools: readonly { readonly name: string; readonly nodeSelector: Selector }[],
  name: string,
): Selector | undefined {
  return byName(pools, name)?.nodeSelector;
}

function namesOf(nodes: readonly { readonly name: string }[]): string {
  return listed(nodes.map(({ name }) => name).toSorted(), 3);
}
