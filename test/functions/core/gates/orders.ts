import type { Application, ObservedApplication, Operation } from '../../../../functions/core/argocd/application.ts';
import type { Policy } from '../../../../functions/core/configuration/policy.ts';
import type { Sequence } from '../../../../functions/core/configuration/sequence.ts';
import type { Approval } from '../../../../functions/core/gates/approvals.ts';
import { type Evidence, evidenceByCost, noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { decide, decidePool, withHeld } from '../../../../functions/core/holds/decide.ts';
import {
  afterBlindLook,
  configsGatedSince,
  gatedConfig,
  gatesClosedSince,
  gatesReadSince,
  withGateClocks,
  withoutStaleReads,
} from '../../../../functions/core/holds/gate-clocks.ts';
import { gatesRunningOn, isOverdueBehindHold } from '../../../../functions/core/holds/gate-question.ts';
import { freezeManually, thawManually } from '../../../../functions/core/holds/manual-freeze.ts';
import { addManualHold, type ManualChange } from '../../../../functions/core/holds/manual-hold.ts';
import type { PoolPlan } from '../../../../functions/core/holds/plan.ts';
import type { Snapshot } from '../../../../functions/core/holds/snapshot.ts';
import { fieldManager, syncHoldId } from '../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import type { PoolRecord } from '../../../../functions/core/openshift/pool-record.ts';
import type { Push } from '../../../../functions/core/routing/awaited-push.ts';
import { judgeSequence, type SequenceJudgement } from '../../../../functions/core/sequences/judge-sequence.ts';
import { planOf } from '../../../../functions/core/sequences/plan.ts';
import { poolSteps } from '../../../../functions/core/sequences/pool-steps.ts';
import { emptySequenceRecord, type SequenceRecord } from '../../../../functions/core/sequences/record.ts';
import type { ItemReading } from '../../../../functions/core/sequences/sequence-question.ts';
import { poolHealth } from '../../../../functions/core/sequences/target-health.ts';
import { turnOfStep } from '../../../../functions/core/sequences/turn-of-step.ts';
import { seen, unreadable } from '../../../../functions/core/text/observed.ts';
import { anApplication, anOperation, noImages } from '../../../fakes/index.ts';
import { aSnapshot } from '../holds/a-snapshot.ts';
import {
  configOf,
  type Fleet,
  type FleetPool,
  type FleetSettings,
  hasFailed,
  isBehind,
  nextNode,
  noted,
  poolOf,
  restingPool,
  withNode,
} from './gated-fleet.ts';

/** What may happen to one pool, or to the Application that writes it. */
export type PoolAct =
  /** A push of the next commit; a sync of it, which writes; its end. */
  | 'push'
  | 'begin'
  | 'succeed'
  | 'fail'
  /** A push and its sync, which has written; one that has ended well; one that is over before anything is rendered. */
  | 'write'
  | 'sync'
  | 'quick'
  /** A config that no sync brought, and the way back to the one before. */
  | 'render'
  | 'revert'
  /** The MCO takes one node further, or fails to; somebody mends it. */
  | 'update'
  | 'break'
  | 'mend'
  | 'cordon'
  | 'uncordon'
  /** By a person's `oc patch`; a hold of two hours; an approval of what it would roll out. */
  | 'pause'
  | 'resume'
  | 'hold'
  | 'approve'
  /** The ticket of the pool says so, or no longer. */
  | 'ticket'
  | 'no ticket';

/** What happens to all of them: a freeze of the cluster and its end; an update of the cluster's version that begins,
 *  renders new configs, and is over once `master` has its own; a moment, too short for a render; time; an hour in which
 *  nobody sees the cluster. */
export type FleetAct =
  | 'freeze'
  | 'thaw'
  | 'upgrade'
  | 'upgrade renders'
  | 'upgrade ends'
  | 'moment'
  | 'hour'
  | 'blind hour';

export interface Act {
  readonly did: PoolAct | FleetAct;
  /** Absent: all. */
  readonly pool?: string | undefined;
}

export interface Scene {
  readonly settings: FleetSettings;
  readonly policy: Policy;
  /** Of which pools are steps. */
  readonly sequence?: Sequence;
  /** Somebody has aborted it; absent: nobody has. */
  readonly isAborted?: boolean;
  /** Pools whose steps somebody has skipped; absent: none. */
  readonly skipped?: readonly string[];
}

interface Writer {
  readonly head: number;
  readonly synced: number;
  readonly running: { readonly startedAt: string; readonly commit: number } | undefined;
  readonly ended: Operation | undefined;
  /** What it has written is not rendered yet. */
  readonly isUnrendered: boolean;
  readonly succeeded: NonNullable<Application['succeeded']>;
}

/** What is so after some acts. */
export interface State {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly pools: Fleet;
  readonly writers: Readonly<Record<string, Writer>>;
  readonly approvals: readonly Approval[];
  /** Pools whose tickets say that they may go. */
  readonly tickets: readonly string[];
  readonly upgrade: 'none' | 'begun' | 'rendered';
  readonly firstSeen: Readonly<Record<string, string>>;
  readonly published: Readonly<Record<string, PoolRecord>>;
  /** By pool and gate: since when it has been closed at every moment, and every look has read it so. By the world, and
   *  not by our clocks. */
  readonly closedSince: Readonly<Record<string, number>>;
  /** By pool and gate: since when it has kept a pool of ours paused, holds of less than the patience of the policy
   *  included. */
  readonly waitsSince: Readonly<Record<string, number>>;
  readonly sequence: SequenceRecord;
  /** What must never happen, and did. */
  readonly wrong: readonly string[];
}

const approver = 'slack:U0000ALICE';
const person = 'kubectl-patch';
const who = 'anna';

const atRest: Writer = { head: 1, synced: 1, running: undefined, ended: undefined, isUnrendered: false, succeeded: [] };

const saidBefore = { who, why: '', at: '2026-03-02T09:00:00Z' };

export function start({ settings, isAborted = false, skipped = [] }: Scene): State {
  const names = Object.keys(settings);
  return {
    at: Date.parse('2026-03-02T10:00:00Z'),
    pools: Object.fromEntries(names.map((name) => [name, restingPool])),
    writers: Object.fromEntries(names.map((name) => [name, atRest])),
    approvals: [],
    tickets: [],
    upgrade: 'none',
    firstSeen: {},
    published: {},
    closedSince: {},
    waitsSince: {},
    sequence: {
      ...emptySequenceRecord,
      ...(isAborted ? { aborted: saidBefore } : {}),
      skipped: Object.fromEntries(skipped.map((pool) => [`${pool}@prod`, saidBefore])),
    },
    wrong: [],
  };
}

/** Whether this can happen now. */
export function isPossible({ did, pool: name = '' }: Act, state: State): boolean {
  const pool = state.pools[name] ?? restingPool;
  const writer = state.writers[name] ?? atRest;
  switch (did) {
    case 'begin':
    case 'write':
    case 'sync':
    case 'quick':
      return writer.running === undefined;
    case 'succeed':
    case 'fail':
      return writer.running !== undefined;
    case 'revert':
      return pool.target !== pool.current;
    case 'update':
      return nextNode(pool) !== undefined;
    case 'break':
      return nextNode(pool) !== undefined && !hasFailed(pool);
    case 'mend':
      return hasFailed(pool);
    case 'cordon':
      return pool.nodes.every(({ cordoned, failed }) => cordoned !== true && failed === undefined);
    case 'uncordon':
      return pool.nodes.some(({ cordoned }) => cordoned === true);
    case 'pause':
      return !pool.paused;
    case 'resume':
      return pool.paused;
    case 'approve':
      return isBehind(pool) && !isApproved(name, state);
    case 'ticket':
      return !state.tickets.includes(name);
    case 'no ticket':
      return state.tickets.includes(name);
    case 'freeze':
      return !isFrozen(state);
    case 'thaw':
      return isFrozen(state);
    case 'upgrade':
      return state.upgrade === 'none';
    case 'upgrade renders':
      return state.upgrade === 'begun';
    case 'upgrade ends':
      return state.upgrade === 'rendered' && !isUnfinished(state.pools['master']);
    default:
      return true;
  }
}

function isUnfinished(pool: FleetPool | undefined): boolean {
  return pool !== undefined && (isBehind(pool) || hasFailed(pool));
}

function isFrozen({ pools }: State): boolean {
  return Object.values(pools).some(({ record }) => record.holds.some(({ kind }) => kind === 'freeze'));
}

/** What was approved before another change was let go is to be approved again. */
function isApproved(name: string, { approvals, pools }: State): boolean {
  const { target = 0, record } = pools[name] ?? restingPool;
  const wanted = configOf(name, target);
  const { rolledOut } = record;
  const other = rolledOut?.change === wanted ? rolledOut.before : rolledOut;
  const isSpent = (at: string) => other !== undefined && Date.parse(at) <= Date.parse(other.at);
  return approvals.some(({ pool, config, at }) => pool === name && config === wanted && !isSpent(at));
}

/** The state after an act, and a pass that looks at the cluster then, if any does. */
export function next(act: Act, before: State, scene: Scene, isLookedAt = true): State {
  const parts = partsOf[act.did];
  if (parts !== undefined) return parts.reduce((state, did) => next({ ...act, did }, state, scene), before);
  if (act.did === 'moment') return pass({ ...before, at: before.at - 5_000 }, scene);
  const at = before.at + 20_000;
  const shown = withRenders({ ...before, at });
  if (act.did === 'hour' && isLookedAt) {
    const later = looked(withMoment(shown, scene), at + hour, scene);
    return pass(withMoment(later, scene), scene);
  }
  const after = withMoment(happened(act, shown, scene), scene);
  if (act.did === 'blind hour') return blindUntil(after, at);
  if (!isLookedAt) return after;
  return pass(after, scene, act.did === 'push' || act.did === 'quick' ? act.pool : undefined);
}

/** A pass a minute, which finds the same as the first. */
function looked(before: State, until: number, scene: Scene): State {
  const first = pass({ ...before, at: before.at + minute }, scene);
  return { ...first, at: until, firstSeen: seenOn(first.firstSeen, first.at, until - minute) };
}

/** The same of passes that cannot read the cluster. */
function blindUntil(after: State, from: number): State {
  const first = afterBlindLook(after.firstSeen, new Date(from + minute));
  // Who gives an approval needs no cluster.
  const known = Object.entries(after.closedSince).filter(([key]) => key.endsWith('/approval'));
  return { ...after, firstSeen: seenOn(first, from + minute, after.at), closedSince: Object.fromEntries(known) };
}

const minute = 60_000;
const hour = 3_600_000;

/** What was last seen at `from` is seen again until later. */
function seenOn(firstSeen: State['firstSeen'], from: number, until: number): State['firstSeen'] {
  const [was, is] = [from, until].map((at) => new Date(at).toISOString());
  return Object.fromEntries(
    Object.entries(firstSeen).map(([key, at]) => [
      key,
      key.includes('|seen|') && at === was && is !== undefined ? is : at,
    ]),
  );
}

const partsOf: Readonly<Partial<Record<Act['did'], readonly PoolAct[]>>> = {
  write: ['push', 'begin'],
  sync: ['push', 'begin', 'succeed'],
};

/** What was written before is rendered now. */
function withRenders(state: State): State {
  const late = Object.entries(state.writers).filter(([, { isUnrendered }]) => isUnrendered);
  if (late.length === 0) return state;
  const settled = Object.entries(state.writers).map(([name, writer]) => [name, { ...writer, isUnrendered: false }]);
  const known: State = { ...state, writers: Object.fromEntries(settled) };
  return late.reduce((now, [name]) => changed(now, name, rendered), known);
}

function happened({ did, pool: name = '' }: Act, state: State, scene: Scene): State {
  const pool = state.pools[name] ?? restingPool;
  const on = (change: (pool: FleetPool) => FleetPool) => changed(state, name, change);
  switch (did) {
    case 'push':
    case 'begin':
    case 'succeed':
    case 'fail':
      return synced(did, name, state);
    case 'render':
      return on(rendered);
    case 'revert':
      return on((each) => ({ ...each, target: each.current }));
    case 'update':
      return on((each) => withNode(each, nextNode(each) ?? -1, { has: each.target }));
    case 'break': {
      const index = nextNode(pool) ?? -1;
      return on((each) => withNode(each, index, { has: each.nodes[index]?.has ?? 0, failed: each.target }));
    }
    case 'mend':
      return on((each) => ({ ...each, nodes: each.nodes.map(({ has, failed }) => ({ has: failed ?? has })) }));
    case 'cordon':
      return on((each) => withNode(each, 0, { has: each.nodes[0]?.has ?? 0, cordoned: true }));
    case 'uncordon':
      return on((each) => ({ ...each, nodes: each.nodes.map(({ cordoned: _, ...node }) => node) }));
    case 'pause':
    case 'resume':
      return on((each) => ({ ...each, paused: did === 'pause', pausedBy: { manager: person, at: second(state.at) } }));
    case 'hold': {
      const until = new Date(state.at + 2 * 3_600_000);
      return byHand(name, state, (shown) =>
        addManualHold(shown, until, { who, why: 'a look', now: new Date(state.at) }),
      );
    }
    case 'approve':
      return approved(name, state);
    case 'quick':
      return synced('succeed', name, synced('begin', name, synced('push', name, state)));
    case 'ticket':
      return { ...state, tickets: [...state.tickets, name] };
    case 'no ticket':
      return { ...state, tickets: state.tickets.filter((each) => each !== name) };
    case 'write':
    case 'sync':
      return state;
    default:
      return happenedToAll(did, state, Object.keys(scene.settings));
  }
}

function happenedToAll(did: FleetAct, state: State, names: readonly string[]): State {
  const request = { who, why: 'quarter end', now: new Date(state.at) };
  switch (did) {
    case 'freeze': {
      const freeze = { scope: 'cluster' as const, until: new Date(state.at + 240 * 3_600_000) };
      return names.reduce((now, name) => byHand(name, now, (pool) => freezeManually(pool, freeze, request)), state);
    }
    case 'thaw':
      return names.reduce(
        (now, name) => byHand(name, now, (pool) => thawManually(pool, { scope: 'cluster' }, request)),
        state,
      );
    case 'upgrade':
      return { ...state, upgrade: 'begun' };
    case 'upgrade renders':
      return { ...names.reduce((now, name) => changed(now, name, rendered), state), upgrade: 'rendered' };
    case 'upgrade ends':
      return { ...state, upgrade: 'none' };
    case 'moment':
      return state;
    case 'hour':
    case 'blind hour':
      return { ...state, at: state.at + hour };
    default:
      return did satisfies never;
  }
}

function rendered(pool: FleetPool): FleetPool {
  return {
    ...pool,
    target: Math.max(pool.target, pool.current, ...pool.nodes.map(({ has, failed = 0 }) => Math.max(has, failed))) + 1,
  };
}

function changed(state: State, name: string, change: (pool: FleetPool) => FleetPool): State {
  const before = state.pools[name];
  if (before === undefined) return state;
  const after = noted(before, change(before), new Date(state.at).toISOString());
  return { ...state, pools: { ...state.pools, [name]: after } };
}

function byHand(name: string, state: State, ask: (pool: Pool) => ManualChange): State {
  const { paused, record } = ask(poolOf(name, state.pools[name] ?? restingPool));
  const author = paused === undefined ? {} : { paused, pausedBy: { manager: fieldManager, at: second(state.at) } };
  return changed(state, name, (pool) => ({ ...pool, ...author, record: record ?? pool.record }));
}

function approved(name: string, state: State): State {
  const config = configOf(name, state.pools[name]?.target ?? 0);
  const at = new Date(state.at).toISOString();
  const approval = { cluster: 'prod', pool: name, config, who: approver, name: '', verb: 'approve', at, reason: '' };
  return { ...state, approvals: [...state.approvals, { ...approval, verb: 'approve' as const }] };
}

function synced(did: 'push' | 'begin' | 'succeed' | 'fail', name: string, state: State): State {
  const writer = state.writers[name] ?? atRest;
  const withWriter = (change: Partial<Writer>) => ({
    ...state,
    writers: { ...state.writers, [name]: { ...writer, ...change } },
  });
  if (did === 'push') return withWriter({ head: writer.head + 1 });
  if (did === 'begin') {
    const running = { startedAt: second(state.at), commit: writer.head };
    return withWriter({ running, isUnrendered: writer.head > writer.synced });
  }
  const { running } = writer;
  if (running === undefined) return state;
  const { startedAt, commit } = running;
  const isDone = did === 'succeed';
  const ended = operationOf(name, running, { phase: isDone ? 'Succeeded' : 'Failed', at: state.at });
  if (!isDone) return withWriter({ running: undefined, ended });
  const succeeded = [...writer.succeeded, { startedAt, revisions: [sha(commit)] }];
  return withWriter({ running: undefined, ended, synced: commit, succeeded });
}

function operationOf(
  name: string,
  { startedAt, commit }: NonNullable<Writer['running']>,
  { phase, at }: { readonly phase: Operation['phase']; readonly at: number },
): Operation {
  const isOver = phase !== 'Running';
  const status = phase === 'Failed' ? 'SyncFailed' : 'Synced';
  return anOperation({
    phase,
    message: '',
    startedAt,
    finishedAt: isOver ? second(at) : undefined,
    revisions: [sha(commit)],
    results: isOver ? [{ ...machineConfig, name: `99-${name}`, status, message: '', hookType: '' }] : [],
  });
}

const machineConfig = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '' };

function refOfWriter(name: string) {
  return { argocd: 'hub', namespace: 'openshift-gitops', name: `nodes-${name}` };
}

function observed(name: string, { writers, at }: State): ObservedApplication {
  const { head, synced: of, running, ended, succeeded } = writers[name] ?? atRest;
  const status = of === head ? 'Synced' : 'OutOfSync';
  const application = anApplication({
    ...refOfWriter(name),
    uid: `uid-app-${name}`,
    sync: { status, revisions: [sha(head)] },
    resources: [{ ...machineConfig, name: `99-${name}`, status }],
    reconciledAt: second(at - 10_000),
    operationQueued: running !== undefined,
    operation: running === undefined ? ended : operationOf(name, running, { phase: 'Running', at }),
    succeeded,
  });
  return { kind: 'seen', application };
}

function sha(commit: number): string {
  return `${commit}`.padStart(40, '0');
}

/** Of other clocks, which count whole seconds. */
function second(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Ten seconds later a pass looks at the cluster, decides, and writes. */
function pass(before: State, scene: Scene, pushed?: string): State {
  const now = new Date(before.at + 10_000);
  const state = { ...before, at: now.getTime(), firstSeen: withoutStaleReads(before.firstSeen, now) };
  const snapshot = snapshotOf(state, scene, pushed);
  const { plans, known } = decided(snapshot, state, scene, now);
  const after = plans.reduce((all, { pool: { name }, action }) => written(all, name, action), state);
  const wrong = plans.flatMap((plan) => wrongWith(plan, { before: state, after }, scene));
  const clocks = plans.map((plan) => {
    const pool = poolOf(plan.pool.name, after.pools[plan.pool.name] ?? restingPool);
    const gates = plan.gates.length === 0 ? [] : [...plan.gates, ...(plan.skipped ?? [])];
    const gated = gatedConfig(plan.pool, known, now);
    return { pool: pool.name, gated, gates, runningOn: gatesRunningOn(plan, pool, known, now) };
  });
  return {
    ...after,
    firstSeen: withGateClocks(state.firstSeen, clocks, { before: state.firstSeen, now }),
    published: Object.fromEntries(Object.entries(after.pools).map(([name, { record }]) => [name, record])),
    waitsSince: waitsAfter(after, scene),
    sequence: judgedSequence(after, scene)?.record ?? state.sequence,
    wrong: [...state.wrong, ...wrong, ...plans.flatMap((plan) => untold(plan, { state, after, known, scene }))],
  };
}

function written(state: State, name: string, action: PoolPlan['action']): State {
  if (action.kind === 'none') return state;
  const { record } = action;
  const author = { manager: fieldManager, at: second(state.at) };
  const isPause = action.kind === 'pause';
  const change = action.kind === 'record' ? { record } : { record, paused: isPause, pausedBy: author };
  return changed(state, name, (pool) => ({ ...pool, ...change }));
}

/** The sequence, by what a look at its pools finds; undefined: there is none. */
function judgedSequence(state: State, { sequence }: Scene): SequenceJudgement | undefined {
  if (sequence === undefined) return undefined;
  const plan = planOf('virt', sequence);
  const readings = plan.steps.map(({ id, target }): readonly [string, ItemReading] => {
    const name = target.kind === 'pool' ? target.name : '';
    const pool = state.pools[name];
    return [id, poolHealth(pool && poolOf(name, pool))];
  });
  return judgeSequence({
    plan,
    rules: sequence,
    record: state.sequence,
    readings: new Map(readings),
    waitsForSequences: [],
    fingerprint: 'one',
    now: new Date(state.at),
  });
}

function snapshotOf(state: State, { settings, policy, sequence }: Scene, pushed: string | undefined): Snapshot {
  const { settings: cluster } = aSnapshot({ pools: [] });
  const names = Object.keys(state.pools);
  return aSnapshot({
    settings: { ...cluster, policy, pools: settings },
    pools: Object.entries(state.pools).map(([name, pool]) => poolOf(name, pool)),
    applications: names.map((name) => observed(name, state)),
    pushes: new Map(pushed === undefined ? [] : [[syncHoldId(refOfWriter(pushed)), pushOf(pushed, state)]]),
    machineConfigs: names.map((name) => ({
      name: `99-${name}`,
      labels: { 'machineconfiguration.openshift.io/role': name },
    })),
    published: state.published,
    ...(sequence === undefined ? {} : { sequenceSteps: poolSteps({ virt: sequence }, 'prod') }),
    gatesClosedSince: gatesClosedSince(state.firstSeen),
    gatesReadSince: gatesReadSince(state.firstSeen),
    configsGatedSince: configsGatedSince(state.firstSeen),
  });
}

function pushOf(name: string, { writers, at }: State): Push {
  const { head } = writers[name] ?? atRest;
  return { at: new Date(at).toISOString(), revision: sha(head), before: sha(head - 1) };
}

/** As a pass decides: what is lacking is read, the cheapest first, and it is decided again. */
function decided(first: Snapshot, state: State, scene: Scene, now: Date) {
  let plans = decide(first, now);
  let known = withHeld(first, plans);
  for (;;) {
    const kind = evidenceByCost.find((each) => plans.some((plan) => lacks(plan, each, known)));
    if (kind === undefined) return { plans, known };
    const names = plans.filter((plan) => lacks(plan, kind, known)).map(({ pool }) => pool.name);
    const read = names.map((name): readonly [string, Evidence] => [
      name,
      { ...noEvidence, ...known.evidence.get(name), ...readOf(kind, name, state, scene) },
    ]);
    known = { ...known, evidence: new Map([...known.evidence, ...read]) };
    plans = plans.map((plan) => (names.includes(plan.pool.name) ? decidePool(plan.pool, known, now) : plan));
  }
}

function lacks({ lacking, pool }: PoolPlan, kind: keyof Evidence, { evidence }: Snapshot): boolean {
  return lacking === kind && (evidence.get(pool.name) ?? noEvidence)[kind].kind === 'not-asked';
}

function readOf(kind: keyof Evidence, name: string, state: State, scene: Scene): Partial<Evidence> {
  switch (kind) {
    case 'approvals':
      return { images: noImages, approvals: seen(state.approvals.filter(({ pool }) => pool === name)) };
    case 'nodesBehind':
      return { images: noImages, nodesBehind: seen(nodesBehind(state.pools[name] ?? restingPool)) };
    case 'controllers':
      return { controllers: seen([]) };
    case 'drains':
      return { drains: seen({ touched: 2, obstacles: [], unread: [] }) };
    case 'images':
      return { images: noImages };
    case 'ticket':
      return { ticket: seen({ status: state.tickets.includes(name) ? 200 : 404, value: undefined }) };
    case 'turn': {
      const turns = judgedSequence(state, scene)?.turns;
      const plan = scene.sequence && planOf('virt', scene.sequence);
      const turn = turns && plan && turnOfStep(`${name}@prod`, { ...state.sequence, plan, turns });
      return { turn: turn === undefined ? unreadable('it is in no sequence') : seen(turn) };
    }
    case 'versionUpdate':
      return { versionUpdate: seen(state.upgrade === 'none' ? { kind: 'none' } : underWay) };
    default:
      throw new Error(`nobody here needs ${kind}`);
  }
}

const underWay = {
  kind: 'under way' as const,
  update: { from: '4.18.1', to: '4.18.2', since: undefined, operatorAt: undefined },
};

function nodesBehind({ nodes, target }: FleetPool) {
  return nodes.flatMap(({ has }, nth) => (has === target ? [] : [{ name: `node-${nth}`, hasJustJoined: false }]));
}

/** Gates whose truth the world knows. */
const truths: Readonly<Record<string, (name: string, state: State, scene: Scene) => boolean>> = {
  approval: (name, state, { settings }) =>
    settings[name]?.approve === undefined || !needsApproval(name, state, settings) || isApproved(name, state),
  ticket: (name, state, { settings }) => settings[name]?.ticket === undefined || state.tickets.includes(name),
  wave: (name, state, { settings }) =>
    lowerUnfinished(name, state, (other) => settings[other]?.wave ?? 0) === undefined,
};

function needsApproval(name: string, { pools }: State, settings: FleetSettings): boolean {
  const pool = pools[name] ?? restingPool;
  const hasFailedSync = (pool.record.release?.afterFailed ?? []).length > 0;
  return isBehind(pool) && (settings[name]?.approve?.when === 'always' || hasFailedSync);
}

/** Why a pool of a lower wave is to be done before this one. */
function lowerUnfinished(
  name: string,
  { pools, writers }: State,
  waveOf: (pool: string) => number,
): string | undefined {
  const lower = Object.entries(pools).filter(([other]) => waveOf(other) < waveOf(name));
  for (const [other, pool] of lower) {
    if (isBehind(pool) || (isAboutToGo(pool) && writers[other]?.isUnrendered === true))
      return `${other} has its change to do`;
    if (hasFailed(pool)) return `${other} is degraded`;
    const awaits = pool.record.holds.some(
      ({ kind, phase, overruled }) => kind === 'sync' && phase !== 'failed' && overruled === undefined,
    );
    if (pool.paused && awaits) return `${other} is held for a sync`;
  }
  return undefined;
}

/** Its sync was seen to end, and it waits for what that brings. */
function isAboutToGo({ paused, record: { pause, holds, release } }: FleetPool): boolean {
  return paused && pause === 'ours' && holds.length === 0 && release !== undefined;
}

/** Which gates have been closed all the time, by the world. */
function withMoment(state: State, scene: Scene): State {
  const { at } = state;
  const all = Object.keys(state.pools).flatMap((name) =>
    Object.entries(truths).flatMap(([gate, isOpen]) =>
      isOpen(name, state, scene) ? [] : [[`${name}/${gate}`, state.closedSince[`${name}/${gate}`] ?? at] as const],
    ),
  );
  const closedSince = Object.fromEntries(all);
  const waiting = Object.entries(state.waitsSince).filter(([key]) => closedSince[key] !== undefined);
  return { ...state, closedSince, waitsSince: Object.fromEntries(waiting) };
}

/** Since when gates have kept pools waiting, as it is after a pass. */
function waitsAfter(state: State, { policy }: Scene): State['waitsSince'] {
  const keys = Object.keys(state.closedSince).filter((key) => toldAhead.some((gate) => key.endsWith(`/${gate}`)));
  const entries = keys.flatMap((key) => {
    const { paused, record } = state.pools[key.split('/')[0] ?? ''] ?? restingPool;
    const since = state.waitsSince[key];
    const isLong = record.holds.some((hold) => state.at - Date.parse(hold.since) >= policy.pausedAtMostSeconds * 1000);
    if (!paused || record.pause !== 'ours' || isLong) return [];
    if (record.holds.length > 0) return since === undefined ? [] : [[key, since] as const];
    return [[key, since ?? state.at] as const];
  });
  return Object.fromEntries(entries);
}

/** Gates of which it is known without a read that they are closed. */
const toldAhead = ['approval', 'wave'];

/** Gates that have kept the pool waiting past their time, and of which nobody is told. */
function untold(plan: PoolPlan, { state, after, known, scene }: LookedAt): readonly string[] {
  const { name } = plan.pool;
  const now = new Date(state.at);
  const pool = poolOf(name, after.pools[name] ?? restingPool);
  return toldAhead.flatMap((gate) => {
    const { afterSeconds, action } = scene.policy.gates[gate as 'wave'] ?? { afterSeconds: 14_400, action: 'alert' };
    const since = state.waitsSince[`${name}/${gate}`];
    if (action !== 'alert' || since === undefined || state.at - since < afterSeconds * 1000) return [];
    const isTold = plan.gates.some((view) => view.gate === gate && view.overdue === true);
    const isLetGo = plan.action.kind === 'resume' || plan.action.kind === 'pause';
    return isTold || isLetGo || isOverdueBehindHold(plan, pool, known, now)
      ? []
      : [`nobody is told that gate ${gate} keeps ${name}`];
  });
}

interface LookedAt {
  readonly state: State;
  readonly after: State;
  readonly known: Snapshot;
  readonly scene: Scene;
}

/** What is wrong with a resume by us: somebody is to go first, or a gate is passed before its time. */
function wrongWith(
  { pool: { name }, action, skipped = [] }: PoolPlan,
  { before: state, after }: { readonly before: State; readonly after: State },
  scene: Scene,
): readonly string[] {
  const pool = state.pools[name] ?? restingPool;
  const early = skipped.flatMap(({ gate }) => {
    const { afterSeconds = 0 } = scene.policy.gates[gate as 'wave'] ?? {};
    const since = state.closedSince[`${name}/${gate}`];
    const isEarly = gate in truths && (since === undefined || state.at - since < afterSeconds * 1000);
    return isEarly ? [`${name} passes gate ${gate} before its time`] : [];
  });
  if (action.kind !== 'resume' || !isBehind(pool)) return early;
  const isSkipped = (gate: string) => skipped.some((each) => each.gate === gate);
  const isFirst = isSkipped('wave') || goesFirst(name, state, scene);
  const lower =
    (isFirst ? undefined : lowerByWave(name, { before: state, after }, scene)) ?? lowerStep(name, state, scene);
  const held = pool.record.holds.find(({ kind, until }) => kind !== 'sync' && Date.parse(until) > state.at);
  const shut = ['approval', 'ticket'].filter(
    (gate) => !isSkipped(gate) && truths[gate]?.(name, state, scene) === false,
  );
  return [
    ...early,
    ...(lower === undefined ? [] : [`${name} begins to roll while ${lower}`]),
    ...(held === undefined ? [] : [`${name} begins to roll while ${held.who} holds it`]),
    ...shut.map((gate) => `${name} begins to roll without its ${gate}`),
  ];
}

/** The steps of a sequence do not wait for later ones by their waves. */
function lowerByWave(
  name: string,
  { before, after }: { readonly before: State; readonly after: State },
  { settings, sequence }: Scene,
): string | undefined {
  const own = sequence?.steps[name];
  const isLater = (pool: string) => own !== undefined && (sequence?.steps[pool]?.wave ?? 0) > (own.wave ?? 0);
  const waveOf = (pool: string) => (isLater(pool) ? Number.POSITIVE_INFINITY : (settings[pool]?.wave ?? 0));
  return lowerUnfinished(name, before, waveOf) ?? lowerUnfinished(name, after, waveOf);
}

/** By what the sequence knows as it decides: it looks before what a pass holds is written. */
function lowerStep(name: string, state: State, { sequence, isAborted, skipped = [] }: Scene): string | undefined {
  const waveOf = (pool: string) => (skipped.includes(pool) ? undefined : sequence?.steps[pool]?.wave);
  if (isAborted === true || waveOf(name) === undefined) return undefined;
  return lowerUnfinished(name, state, (pool) => waveOf(pool) ?? Number.POSITIVE_INFINITY);
}

/** The update of the cluster waits for it, and the lower waves wait for that. */
function goesFirst(name: string, { upgrade }: State, { policy }: Scene): boolean {
  return name === 'master' && upgrade !== 'none' && policy.duringUpgrade === 'wait';
}

/** Everything outside has ended well, and what is let go rolls: the state once nothing changes any more. */
export function settle(last: State, scene: Scene, isKnown: (state: State) => boolean = () => false): State | undefined {
  let state = cleared(last, scene);
  for (let nth = 0; nth < 24 && !isSettled(state); nth += 1) {
    if (isKnown(state)) return undefined;
    const names = Object.keys(state.pools);
    state = names.reduce((now, pool) => {
      const act = { did: 'update' as const, pool };
      return isPossible(act, now) ? happened(act, now, scene) : now;
    }, state);
    const isLate = nth >= 14;
    if (isPossible({ did: 'upgrade ends' }, state)) state = { ...state, upgrade: 'none' };
    const unapproved = names.filter((pool) => isPossible({ did: 'approve', pool }, state));
    state = unapproved.reduce((now, pool) => approved(pool, now), state);
    const shown = withRenders({ ...state, at: state.at + 30_000 });
    state = pass(isLate ? looked(shown, shown.at + hour, scene) : shown, scene);
  }
  return state;
}

/** Every pool goes on, and has its newest config. */
export function isSettled({ pools, upgrade }: State): boolean {
  return upgrade === 'none' && Object.values(pools).every((pool) => !pool.paused && !isBehind(pool));
}

/** What is still outstanding ends, one after another, each seen. */
function cleared(last: State, scene: Scene): State {
  const names = Object.keys(last.pools);
  const step = (state: State, did: Act['did'], pool?: string) =>
    isPossible({ did, pool }, state) ? next({ did, pool }, state, scene) : state;
  const each = (state: State, did: PoolAct, applies: (pool: FleetPool) => boolean = () => true) =>
    names.reduce((now, name) => (applies(now.pools[name] ?? restingPool) ? step(now, did, name) : now), state);
  const awaits = ({ record }: FleetPool) => record.holds.some(({ kind }) => kind === 'sync');
  const isOfPerson = ({ paused, pausedBy }: FleetPool) => paused && pausedBy?.manager !== fieldManager;
  const isHeld = (state: State) =>
    Object.values(state.pools).some(({ record }) => record.holds.some(({ kind }) => kind === 'manual'));
  let state = each(last, 'succeed');
  state = each(state, 'begin', awaits);
  state = each(state, 'succeed');
  state = step(state, 'thaw');
  while (isHeld(state)) state = step(state, 'hour');
  state = each(state, 'resume', isOfPerson);
  state = each(state, 'mend', ({ nodes, target }) => nodes.some(({ failed }) => failed === target));
  state = each(state, 'ticket');
  state = each(state, 'uncordon');
  return step(state, 'upgrade renders');
}
