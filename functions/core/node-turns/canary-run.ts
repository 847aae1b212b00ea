import { membershipOf } from '../openshift/membership.ts';
import type { Pool } from '../openshift/pool.ts';
import { byName } from '../text/by-name.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { counted, listed } from '../text/phrases.ts';
import { stable } from '../text/stable.ts';
import { unique } from '../text/unique.ts';
import { asInPool } from './canary-nodes.ts';
import {
  type CanaryAnswer,
  type CanaryPlan,
  type CanaryPool,
  type CanaryWay,
  canaryMembers,
  canaryPlan,
} from './canary-plan.ts';
import { type CanaryState, type FoundCanary, isSameCanary, readCanaryState } from './canary-state.ts';
import { type CanaryWrite, isSameSelector, selectingPools, withLabels } from './canary-write.ts';
import { judgeRun } from './judge-run.ts';
import { openPool } from './open-pool.ts';
import { ruleLabel, runNodeLabel } from './rule-label.ts';
import type { RunPlan } from './run-plan.ts';
import type { RunJudgement, RunProblem, RunQuestion } from './run-question.ts';
import { emptyRunRecord, isOver, type RunRecord, type Turn } from './run-record.ts';
import { rests, type TurnNode } from './turn-node.ts';

/** A pool of the cluster, with its selector as it is. */
export interface SeenPool extends CanaryPool, Pick<Pool, 'maxUnavailable'> {
  /** Why Poolkeeper has paused it; undefined: it has not. */
  readonly held?: string | undefined;
}

/** What mode canary looks at besides. */
export interface CanarySeen {
  readonly pools: readonly SeenPool[];
  /** What runs of the cluster have written and not put back. */
  readonly states: readonly FoundCanary[];
  /** Pools whose nodes boot an image that is built for them. */
  readonly layered: ReadonlySet<string>;
}

/** What a run has written and not put back, and the pool on which that is noted. */
export interface NotedCanary {
  readonly pool: string;
  readonly state: CanaryState;
}

/** One effect of mode canary, in the order in which they follow each other. Whatever is not the first is done only
 *  while the note stands that it was judged by (`own`): a look that is late writes nothing behind the end of its
 *  run. */
export type CanaryStep =
  /** What the run is about to write is noted on the pool. */
  | { readonly kind: 'begin'; readonly own: NotedCanary }
  | { readonly kind: 'write'; readonly own: NotedCanary; readonly write: CanaryWrite }
  /** A node gets the label, or loses those, by which it enters the canary. */
  | { readonly kind: 'let-go'; readonly own: NotedCanary; readonly node: string; readonly turn: Turn }
  /** All is as it was: the note goes. */
  | { readonly kind: 'end'; readonly own: NotedCanary };

export interface CanaryJudgement {
  readonly judged: RunJudgement;
  readonly steps: readonly CanaryStep[];
}

/** Labels that are written in one look: a thousand nodes take some. */
const writesAtOnce = 100;
/** Seconds that two pools may take to be rendered with one change. */
const renderSeconds = 60;

/** What to do next with a run in mode canary. The engine is that of mode turns, which sees each node in its own pool; a
 *  node goes by a label, and comes back as soon as it is updated. Pure. */
export function judgeCanaryRun(question: RunQuestion, seen: CanarySeen): CanaryJudgement {
  const found = lookAt(question, seen);
  const { plan, record, pools } = question;
  const { problems: fights, ...undone } = putBackBy(question, seen, found);
  const problems = [...found.problems, ...fights];
  const judged = judgeRun({
    ...question,
    nodes: found.nodes,
    problems,
    closed: question.closed ?? problems[0]?.why ?? found.closed,
    keeps: found.own === undefined ? undefined : 'labels and selectors are put back first',
  });
  const isToBegin =
    found.own === undefined &&
    found.fresh !== undefined &&
    found.problems.length === 0 &&
    question.closed === undefined &&
    record.aborted === undefined &&
    record.paused === undefined &&
    judged.done < judged.total &&
    openPool(pools, found.nodes) === undefined;
  const steps = [
    ...(isToBegin && found.fresh !== undefined ? begins(plan, found.fresh, question.now) : []),
    ...(found.own === undefined
      ? []
      : notedSteps(found.own, stepsOf(found.own, { question, seen, found, judged, isFought: fights.length > 0 }))),
  ];
  const { differsSince: _, canary: __, prepared: ___, putBack: ____, ...kept } = judged.record;
  const state = standing(found.own, steps);
  return {
    judged: {
      ...judged,
      record: {
        ...kept,
        ...(found.differs ? { differsSince: record.differsSince ?? question.now.toISOString() } : {}),
        ...(state === undefined ? {} : { canary: state, wasCanary: state.canary, ...undone }),
      },
      actions: judged.actions.filter(({ kind }) => kind !== 'let-go'),
    },
    // What is noted nowhere, and is as it was, has ended.
    steps: found.own?.isNoted === false ? steps.filter(({ kind }) => kind !== 'end') : steps,
  };
}

/** How often somebody may put a selector back before people are told: once may be a person. */
const putBackAtMost = 1;

/** Where Argo CD deploys a pool and heals itself, it puts the selector back that the run has written, each time. */
function putBackBy(
  { plan, record, now }: RunQuestion,
  seen: CanarySeen,
  { own, isPrepared: isReady }: Found,
): Pick<RunRecord, 'prepared' | 'putBack'> & { readonly problems: readonly RunProblem[] } {
  if (own === undefined || !isOfPlan(own, plan) || own.state.ending !== undefined) return { problems: [] };
  const back = selectorWrites(own.state.way, seen, 'during').flatMap((write) =>
    write.kind === 'write-selector' ? [write.pool] : [],
  );
  const isPutBack = record.prepared === true && back.length > 0;
  const times = (record.putBack ?? 0) + (isPutBack ? 1 : 0);
  const why = `somebody has put the node selector of ${listed(back.length > 0 ? back : own.state.way.selectors.map(({ pool }) => pool))} back ${counted(times, 'time')}, as Argo CD with self-heal does: let it ignore /spec/nodeSelector there, then say go-on`;
  return {
    ...(isReady || (record.prepared === true && back.length === 0) ? { prepared: true as const } : {}),
    ...(times === 0 ? {} : { putBack: times }),
    problems: times > putBackAtMost ? [{ kind: 'refused', node: '', since: now.toISOString(), why }] : [],
  };
}

/** Somebody removed the note, or wrote another: it is noted again before anything else. */
function notedSteps(own: Own, steps: readonly CanaryStep[]): readonly CanaryStep[] {
  return own.isNoted || steps.some(({ kind }) => kind === 'end') ? steps : [{ kind: 'begin', own: bare(own) }];
}

/** What is written and not put back after these steps; undefined: nothing. */
function standing(own: Own | undefined, steps: readonly CanaryStep[]): CanaryState | undefined {
  const begun = steps.find(({ kind }) => kind === 'begin');
  return steps.some(({ kind }) => kind === 'end') ? undefined : (begun?.own.state ?? own?.state);
}

function bare({ pool, state }: NotedCanary): NotedCanary {
  return { pool, state };
}

/** The nodes as the run is judged by them: each in its own pool. */
export function nodesInOwnPools(
  question: Pick<RunQuestion, 'plan' | 'nodes' | 'record'>,
  seen: CanarySeen,
): readonly TurnNode[] {
  const own = ownOf(question, seen);
  return inTheirPools(
    question.nodes,
    membersOf(question, seen, own),
    own?.state.canary ?? question.plan.run.canary?.name,
  );
}

/** The run is configured no longer: what it has written is put back, without its record. */
export function orphanSteps(
  { pool, state }: FoundCanary,
  nodes: readonly TurnNode[],
  { pools, now }: Pick<CanarySeen, 'pools'> & { readonly now: Date },
): readonly CanaryStep[] {
  if (state === 'unreadable') return [];
  const members = membersByLabels(state, nodes, pools);
  return members === undefined ? [] : endings({ pool, state }, members, { nodes, pools, now });
}

/** The nodes that are in the canary now, each with the pool that it comes from. Undefined: a selector cannot be
 *  read. */
export function nodesInCanary(
  state: CanaryState,
  nodes: readonly TurnNode[],
  pools: readonly SeenPool[],
): CanaryPlan['members'] | undefined {
  const there = new Set(nodes.filter(({ pool }) => pool === state.canary).map(({ name }) => name));
  return membersByLabels(state, nodes, pools)?.filter(({ node }) => there.has(node));
}

/** As the labels of the nodes have it, without the record of the run. */
function membersByLabels(
  { targets, way }: CanaryState,
  nodes: readonly TurnNode[],
  pools: readonly SeenPool[],
): CanaryPlan['members'] | undefined {
  const ours = new Set(nodes.filter((node) => !isBack(node, way) || hasMarks(node, way)).map(({ name }) => name));
  return canaryMembers({ targets, pools, nodes, ours }, way);
}

interface Own extends NotedCanary {
  /** It stands on the pool as the record has it. */
  readonly isNoted: boolean;
}

interface Found {
  /** Each as if it were in its own pool. */
  readonly nodes: readonly TurnNode[];
  readonly problems: readonly RunProblem[];
  /** Why nothing begins, which is over soon. */
  readonly closed: string | undefined;
  /** What the run has written, and not put back. */
  readonly own: Own | undefined;
  /** How it would begin; undefined: it has, or it cannot. */
  readonly fresh: CanaryPlan | undefined;
  readonly members: CanaryPlan['members'];
  /** Canary and targets have different content just now. */
  readonly differs: boolean;
  /** Labels and selectors are as the run needs them. */
  readonly isPrepared: boolean;
}

function lookAt(question: RunQuestion, seen: CanarySeen): Found {
  const { plan, record, now } = question;
  const own = ownOf(question, seen);
  const answer = own === undefined || isOfPlan(own, plan) ? answerOf(question, seen, own) : undefined;
  const basis = { question, seen, own, answer, members: membersOf(question, seen, own) };
  const texts = [...refusals(basis), ...canaryFaults(plan, seen), ...changedSelectors(own, seen)];
  return {
    nodes: inTheirPools(question.nodes, basis.members, own?.state.canary ?? plan.run.canary?.name),
    problems: [
      ...texts.map((why): RunProblem => ({ kind: 'refused', node: '', since: now.toISOString(), why })),
      ...cordoned({ ...question, record }),
    ],
    closed: whyNotYet(basis),
    own,
    fresh:
      own === undefined && answer?.kind === 'plan' && whyBehind(plan, seen, own) === undefined ? answer : undefined,
    members: basis.members,
    differs: differing(answer) !== undefined,
    isPrepared: own !== undefined && answer !== undefined && isPrepared(own.state.way, { ...basis, record }),
  };
}

interface Basis {
  readonly question: RunQuestion;
  readonly seen: CanarySeen;
  readonly own: Own | undefined;
  /** Undefined: what it has begun is of another configuration, and is put back first. */
  readonly answer: CanaryAnswer | undefined;
  readonly members: CanaryPlan['members'];
}

function membersOf(
  { plan, nodes, record }: Pick<RunQuestion, 'plan' | 'nodes' | 'record'>,
  { pools }: CanarySeen,
  own: Own | undefined,
): Basis['members'] {
  if (own === undefined)
    return nodes.flatMap(({ name, pool }) =>
      pool !== undefined && plan.pools.includes(pool) ? [{ node: name, pool }] : [],
    );
  const { targets, way } = own.state;
  return canaryMembers({ targets, pools, nodes, ours: oursOf({ nodes, record }, way) }, way) ?? [];
}

/** That canary and targets have different content, where nothing else is wrong. */
function differing(answer: CanaryAnswer | undefined): string | undefined {
  return answer?.kind === 'refused' && answer.mayPass ? answer.problems[0] : undefined;
}

/** Of two pools with one change, one is rendered before the other: told is only what lasts. */
function refusals({ question: { record, now }, answer }: Basis): readonly string[] {
  if (answer?.kind !== 'refused') return [];
  const since = differing(answer) === undefined ? undefined : (record.differsSince ?? now.toISOString());
  return since === undefined || isPast(plusSeconds(new Date(since), renderSeconds), now) ? answer.problems : [];
}

function whyNotYet(basis: Basis): string | undefined {
  const { question, seen, own, answer } = basis;
  const { plan } = question;
  const why = differing(answer) ?? whyBehind(plan, seen, own) ?? whyHeld(plan, seen);
  if (why !== undefined) return why;
  if (own === undefined) return 'labels and selectors for its canary are written first';
  if (answer === undefined) return `labels and selectors for pool ${own.state.canary} are put back first`;
  return isPrepared(own.state.way, { ...basis, record: question.record })
    ? undefined
    : 'labels and selectors for its canary are written first';
}

/** What the run has written and not put back: its record says it, or, where that was lost, the note on a pool. */
function ownOf(
  { plan: { name }, record }: Pick<RunQuestion, 'plan' | 'record'>,
  { states, pools }: CanarySeen,
): Own | undefined {
  const [noted] = states.flatMap(({ pool, state }) =>
    state !== 'unreadable' && state.run === name ? [{ pool, state }] : [],
  );
  const kept = record.canary === undefined ? 'unreadable' : readCanaryState(record.canary);
  if (kept === 'unreadable' || kept.run !== name) return noted && { ...noted, isNoted: true };
  const pool = noted?.pool ?? placeOfNote(kept, pools);
  return pool === undefined
    ? undefined
    : { pool, state: kept, isNoted: noted !== undefined && isSameCanary(noted.state, kept) };
}

/** The first pool of the run that is there: the one with the note may have been deleted. */
function placeOfNote({ targets, canary }: CanaryState, pools: readonly SeenPool[]): string | undefined {
  return [...targets, canary, 'worker'].find((name) => pools.some((pool) => pool.name === name));
}

/** It was begun as the run is configured now. */
function isOfPlan({ state }: NotedCanary, { run, pools }: RunPlan): boolean {
  return (
    run.mode === 'canary' &&
    run.canary?.name === state.canary &&
    stable(pools.toSorted()) === stable(state.targets.toSorted())
  );
}

/** How a run that has written nothing would begin; undefined: it names no canary. */
export function canaryAnswer(plan: RunPlan, nodes: readonly TurnNode[], seen: CanarySeen): CanaryAnswer | undefined {
  return answerOf({ plan, nodes, record: emptyRunRecord }, seen, undefined);
}

function answerOf(
  { plan, nodes, ...question }: Pick<RunQuestion, 'plan' | 'nodes' | 'record'>,
  seen: CanarySeen,
  own: Own | undefined,
): CanaryAnswer | undefined {
  const { canary } = plan.run;
  if (canary === undefined) return undefined;
  return canaryPlan({
    canary: canary.name,
    exclude: canary.exclude,
    label: canary.label,
    targets: plan.pools,
    ruleLabels: unique(plan.rules.map(ruleLabel)),
    runNodeLabel: runNodeLabel(plan.name),
    // A pause of ours ends by itself.
    pools: seen.pools.map((pool) => (pool.held === undefined ? pool : { ...pool, paused: false })),
    nodes,
    ours: own === undefined ? new Set() : oursOf({ ...question, nodes }, own.state.way),
    begun: own?.state.way,
  });
}

/** Nodes that have labels of the run, or have lost some by it. Who has the label of the canary without having had a
 *  turn got it from somebody else, unless the record was lost. */
function oursOf({ nodes, record }: Pick<RunQuestion, 'nodes' | 'record'>, way: CanaryWay): ReadonlySet<string> {
  const isLost = Object.keys(record.turns).length === 0;
  const ours = nodes.filter(
    (node) => hasMarks(node, way) || (!isBack(node, way) && (isLost || record.turns[node.name] !== undefined)),
  );
  return new Set(ours.map(({ name }) => name));
}

type Labelled = Pick<TurnNode, 'labels'>;

function hasMarks({ labels }: Labelled, { marks }: CanaryWay): boolean {
  return Object.keys(marks).some((key) => Object.hasOwn(labels, key));
}

/** It is labelled so that it is in its own pool. */
function isBack({ labels }: Labelled, { back }: CanaryWay): boolean {
  return Object.entries(back).every(([key, value]) =>
    value === null ? !Object.hasOwn(labels, key) : labels[key] === value,
  );
}

function inTheirPools(
  nodes: readonly TurnNode[],
  members: CanaryPlan['members'],
  canary: string | undefined,
): readonly TurnNode[] {
  const homes = new Map(members.map(({ node, pool }) => [node, pool]));
  return nodes.map((node) => {
    const pool = homes.get(node.name);
    return pool === undefined ? node : { ...asInPool(node, pool, canary), pool };
  });
}

/** What canaryPlan does not see. */
export function canaryFaults(
  { pools: targets, run }: RunPlan,
  { pools, states, layered }: CanarySeen,
): readonly string[] {
  const unreadable = states.filter(({ state }) => state === 'unreadable').map(({ pool }) => pool);
  const canary = byName(pools, run.canary?.name);
  const limit = /^\d+$/.test(canary?.maxUnavailable ?? '') ? Number(canary?.maxUnavailable) : 1;
  return [
    ...(unreadable.length > 0
      ? [
          `what a run has written is noted on ${listed(unreadable)}, and cannot be understood: put labels and selectors back by hand, and remove the annotation poolkeeper.dev/canary`,
        ]
      : []),
    ...(canary !== undefined && layered.has(canary.name)
      ? [`nodes of pool ${canary.name} boot an image that is built for it (MachineOSConfig)`]
      : []),
    ...(canary !== undefined && !targets.includes(canary.name) && run.atOnce > Math.max(1, limit)
      ? [
          `pool ${canary.name} takes ${counted(Math.max(1, limit), 'node')} at once (maxUnavailable), and the run ${run.atOnce} (atOnce)`,
        ]
      : []),
  ];
}

/** A selector that is neither as it was found nor as it was written: it is somebody's own, and is left alone. */
function changedSelectors(own: Own | undefined, { pools }: CanarySeen): readonly string[] {
  return (own?.state.way.selectors ?? []).flatMap(({ pool, original, during }) => {
    const found = byName(pools, pool);
    if (found === undefined || [original, during].some((each) => isSameSelector(each, found.nodeSelector))) return [];
    return [
      `somebody changed the node selector of pool ${pool} during the run; it was ${JSON.stringify(original ?? null)}, and is to be that again`,
    ];
  });
}

/** What another run has written and not put back: of pools of this one, or, before this one has begun, with labels that
 *  it would write too. */
function whyBehind(plan: RunPlan, { states }: CanarySeen, own: Own | undefined): string | undefined {
  const { name, pools, run, rules } = plan;
  const ours = [...pools, ...(run.canary === undefined ? [] : [run.canary.name])];
  const labels = own === undefined && run.canary?.exclude === true ? rules.map(ruleLabel) : [];
  for (const { state } of states) {
    if (state === 'unreadable' || state.run === name) continue;
    const shared = [state.canary, ...state.targets].find((pool) => ours.includes(pool));
    if (shared !== undefined) return `it waits for run ${state.run}, which has pool ${shared}`;
    const label = Object.keys(state.way.marks).find((key) => labels.includes(key));
    if (label !== undefined) return `it waits for run ${state.run}, whose nodes have the label ${label} too`;
  }
  return undefined;
}

function whyHeld({ run }: RunPlan, { pools }: CanarySeen): string | undefined {
  const canary = byName(pools, run.canary?.name);
  return canary?.held === undefined ? undefined : `pool ${canary.name} is paused: ${canary.held}`;
}

/** In its turn, not taken by the MCO, and cordoned: it would wait for ever. */
function cordoned({ nodes, record }: RunQuestion): readonly RunProblem[] {
  return nodes.flatMap((node): readonly RunProblem[] => {
    const turn = record.turns[node.name];
    if (
      turn === undefined ||
      !['before', 'gone'].includes(turn.step) ||
      !node.cordoned ||
      !rests(node) ||
      node.currentConfig.endsWith(turn.target.slice(turn.target.lastIndexOf('-')))
    )
      return [];
    const why =
      'it is cordoned, and the MCO takes no cordoned node into another pool: uncordon it. In mode canary no rule may cordon its node';
    return [{ kind: 'node', node: node.name, since: turn.since, why }];
  });
}

interface Standing {
  readonly members: CanaryPlan['members'];
  readonly record: RunRecord;
  readonly question: Pick<RunQuestion, 'nodes'>;
  readonly seen: CanarySeen;
}

function isPrepared(way: CanaryWay, standing: Standing): boolean {
  return labelWrites(way, standing).length === 0 && selectorWrites(way, standing.seen, 'during').length === 0;
}

/** Nodes that are not in the turn in which they may be in the canary, and are not labelled for their own pool. */
function labelWrites(way: CanaryWay, { members, record, question, seen: _ }: Standing): readonly CanaryWrite[] {
  const ours = oursOf({ nodes: question.nodes, record }, way);
  const mayBeAway = (name: string) => record.turns[name]?.step === 'gone';
  const isMarking = Object.keys(way.marks).length > 0;
  const homes = new Set(members.map(({ node }) => node));
  return question.nodes
    .filter((node) => homes.has(node.name) && !mayBeAway(node.name) && !isBack(node, way))
    .filter(({ name }) => isMarking || ours.has(name))
    .map(({ name }): CanaryWrite => ({ kind: 'label-node', node: name, labels: way.back }));
}

function selectorWrites(
  { selectors }: CanaryWay,
  { pools }: Pick<CanarySeen, 'pools'>,
  to: 'during' | 'original',
): readonly CanaryWrite[] {
  const from = to === 'during' ? 'original' : 'during';
  const inOrder = to === 'during' ? selectors : selectors.toReversed();
  return inOrder.flatMap((each): readonly CanaryWrite[] => {
    const found = byName(pools, each.pool);
    if (
      found === undefined ||
      isSameSelector(found.nodeSelector, each[to]) ||
      !isSameSelector(found.nodeSelector, each[from])
    )
      return [];
    return [{ kind: 'write-selector', pool: each.pool, selector: each[to] }];
  });
}

function begins({ name, pools, run }: RunPlan, { way }: CanaryPlan, now: Date): readonly CanaryStep[] {
  const [pool] = pools;
  if (pool === undefined || run.canary === undefined) return [];
  const state: CanaryState = {
    ...{ v: 1, run: name, at: now.toISOString() },
    ...{ canary: run.canary.name, targets: pools, way },
  };
  return [{ kind: 'begin', own: { pool, state } }];
}

interface Judged {
  readonly question: RunQuestion;
  readonly seen: CanarySeen;
  readonly found: Found;
  readonly judged: RunJudgement;
  /** Somebody puts selectors back whenever they are written. */
  readonly isFought: boolean;
}

/** The next writes of a run that has begun: one kind in each look, because what follows depends on what the MCO has
 *  seen of the one before. */
function stepsOf(own: Own, { question, seen, found, judged, isFought }: Judged): readonly CanaryStep[] {
  const { way } = own.state;
  const { record } = judged;
  const open = Object.values(record.turns).filter((turn) => !isOver(turn));
  const isOurs = isOfPlan(own, question.plan);
  const isEnding = isOurs
    ? open.length === 0 && (record.aborted !== undefined || judged.done === judged.total)
    : open.every(({ step }) => step !== 'gone');
  if (isEnding)
    return endings(bare(own), found.members, { nodes: question.nodes, pools: seen.pools, now: question.now });
  if (own.state.ending !== undefined) {
    const { ending: _, ...state } = own.state;
    return [{ kind: 'begin', own: { pool: own.pool, state: { ...state, at: question.now.toISOString() } } }];
  }
  const labels = labelWrites(way, { members: found.members, record, question, seen });
  if (labels.length > 0) return written(labels, own);
  // A node in the canary that its own pool selects again would be in two custom pools.
  const isLeft = isFought && open.every(({ step }) => step !== 'gone');
  const selectors = found.problems.length > 0 || !isOurs || isLeft ? [] : selectorWrites(way, seen, 'during');
  if (selectors.length > 0) return written(selectors, own);
  return judged.actions.flatMap((action): readonly CanaryStep[] =>
    action.kind === 'let-go' && isOurs && found.closed === undefined
      ? [{ kind: 'let-go', own: bare(own), node: action.node, turn: action.turn }]
      : [],
  );
}

function written(writes: readonly CanaryWrite[], own: NotedCanary): readonly CanaryStep[] {
  return writes.slice(0, writesAtOnce).map((write) => ({ kind: 'write', own: bare(own), write }));
}

/** Whether a node stays in its pool without these labels. */
function isStill(
  node: TurnNode,
  without: Readonly<Record<string, null>>,
  selecting: NonNullable<ReturnType<typeof selectingPools>>,
): boolean {
  const then = membershipOf({ labels: withLabels(node.labels, without) }, selecting);
  return stable(membershipOf(node, selecting)) === stable(then);
}

/** It is noted that the run ends, so that no look that is late writes anything behind it. Then nodes leave the canary,
 *  selectors are as they were, labels go, and last the note. In this order no node is ever in two custom pools, nor in
 *  none. */
function endings(
  own: NotedCanary,
  members: CanaryPlan['members'],
  cluster: { readonly nodes: readonly TurnNode[]; readonly pools: readonly SeenPool[]; readonly now: Date },
): readonly CanaryStep[] {
  const { nodes, pools, now } = cluster;
  const { way } = own.state;
  if (own.state.ending === undefined)
    return [{ kind: 'begin', own: { ...own, state: { ...own.state, ending: now.toISOString() } } }];
  const selecting = selectingPools(pools);
  if (selecting === undefined) return [];
  const homes = new Map(members.map(({ node, pool: home }) => [node, home]));
  const isAway = (node: TurnNode) => {
    const home = homes.get(node.name);
    const now = membershipOf(node, selecting);
    return home !== undefined && !(now.kind === 'member' && now.pool === home) && !isBack(node, way);
  };
  const away = nodes
    .filter(isAway)
    .map(({ name }): CanaryWrite => ({ kind: 'label-node', node: name, labels: way.back }));
  if (away.length > 0) return written(away, own);
  const selectors = selectorWrites(way, { pools }, 'original');
  if (selectors.length > 0) return written(selectors, own);
  const isLeft = way.selectors.some(
    ({ pool: name, original }) => !isSameSelector(byName(pools, name)?.nodeSelector ?? original, original),
  );
  if (isLeft) return [];
  const unmark = Object.fromEntries(Object.keys(way.marks).map((key) => [key, null]));
  const marked = nodes
    .filter((node) => hasMarks(node, way))
    // Those of another run with the same rule, which that one still needs: without them they would be in its canary.
    .filter((node) => isStill(node, unmark, selecting))
    .map(({ name }): CanaryWrite => ({ kind: 'label-node', node: name, labels: unmark }));
  return marked.length > 0 ? written(marked, own) : [{ kind: 'end', own }];
}
