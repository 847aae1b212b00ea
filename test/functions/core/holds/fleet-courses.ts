import type {
  Application,
  ApplicationRef,
  ObjectName,
  ObservedApplication,
  Operation,
} from '../../../../functions/core/argocd/application.ts';
import { Approve } from '../../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import type { Policy } from '../../../../functions/core/configuration/policy.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { decidePool } from '../../../../functions/core/holds/decide.ts';
import type { Snapshot } from '../../../../functions/core/holds/snapshot.ts';
import { fieldManager, type Hold, syncHoldId } from '../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { emptyRecord, type PoolRecord } from '../../../../functions/core/openshift/pool-record.ts';
import type { Push } from '../../../../functions/core/routing/awaited-push.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { aMachineConfig, anApplication, anOperation, aPool, naming, noImages } from '../../../fakes/index.ts';
import { aSnapshot } from './a-snapshot.ts';

/** What may happen to the Application of the platform, which writes two objects of each of two pools, in two waves: a
 *  push that changes both pools, or one; a sync of all that begins and writes its first wave, of that commit or of the
 *  one before; one of what it has of the first pool; another try; the end, which writes the last wave if it ends well;
 *  a dry run; and half a day in which nothing happens. Or the first pool, which is paused, is replaced as a whole while
 *  something holds it, or made again: then it has no record and is not paused. */
export type OwnAct =
  | 'push to both'
  | 'push to one'
  | 'begin'
  | 'begin the earlier'
  | 'part'
  | 'retry'
  | 'succeed'
  | 'fail'
  | 'dry run'
  | 'wait'
  | 'replace the pool'
  | 'make the pool again';

/** What a tenant may do to his own Application, which has an object of the first pool, at any time, by its syncs or by
 *  hand: `.. long ago` and `.. ahead` are of operations that he writes with such dates; `claim` writes one that has
 *  succeeded in all that the platform has, at its commit. */
export type TenantAct =
  | 'his push'
  | 'his begin'
  | 'his begin long ago'
  | 'his begin ahead'
  | 'his succeed'
  | 'his fail'
  | 'his claim'
  | 'his dry run'
  | 'his replace'
  | 'his delete'
  | 'his naming'
  | 'his none'
  | 'his garbage'
  | 'his claim to write';

export type Act = OwnAct | TenantAct;

/** One act, and whether a pass looks at the cluster before the next. */
export interface Step {
  readonly act: Act;
  readonly isLookedAt: boolean;
}

export const poolNames = ['worker', 'infra'] as const;
export type PoolName = (typeof poolNames)[number];

/** Which commit each of the two waves on a pool is of. */
interface Content {
  readonly first: number;
  readonly last: number;
}

interface Running {
  readonly startedAt: string;
  readonly retryCount: number;
  readonly commit: number;
  readonly isPart: boolean;
}

interface Tenant {
  readonly kind: ObservedApplication['kind'];
  readonly uid: number;
  readonly head: number;
  readonly content: number;
  readonly operation: Operation | undefined;
  /** It says that it manages what the platform does. */
  readonly claims: boolean;
  readonly named: Partial<Application>;
}

interface PoolNow {
  readonly record: PoolRecord;
  readonly paused: boolean;
  /** Its rendered config that nodes have: of a pool that is not paused, what was rendered last. */
  readonly rolled: string;
  /** It is another one since the last look, without its record; absent: it is as that has left it. */
  readonly lost?: Pick<Pool, 'createdAt' | 'pausedBy'> | undefined;
}

/** A cluster that two Applications share. */
export interface World {
  readonly policy: Policy;
  readonly tenant: ApplicationRef;
  /** Without the tenant, of whom nothing is there. */
  readonly isAlone: boolean;
  /** Every change waits for an approval, which is not to be that of who pushed it; absent: one after a failed sync. */
  readonly excludesPusher?: true;
}

/** What is so after some acts. */
export interface State {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The pools that each commit has changed, by the number of the commit. */
  readonly commits: readonly (readonly PoolName[])[];
  readonly running: Running | undefined;
  readonly ended: Operation | undefined;
  readonly succeeded: NonNullable<Application['succeeded']>;
  readonly content: Readonly<Record<PoolName, Content>>;
  readonly comparedAt: number;
  readonly tenant: Tenant;
  readonly pools: Readonly<Record<PoolName, PoolNow>>;
}

/** Who pushes, by their logins. */
export const pushers = { own: 'alice', tenant: 'mallory' } as const;

type Pushed = Partial<Pick<Snapshot, 'pushes' | 'pusher'>>;

const group = 'machineconfiguration.openshift.io';
const home = anApplication();
export const ownId = syncHoldId(home);
export const ownName = `${home.namespace}/${home.name}`;

export const start: State = {
  at: Date.parse('2026-03-02T10:00:00Z'),
  commits: [[], ['worker', 'infra']],
  running: undefined,
  ended: undefined,
  succeeded: [],
  content: { worker: { first: 1, last: 1 }, infra: { first: 1, last: 1 } },
  comparedAt: Date.parse('2026-03-02T09:59:00Z'),
  tenant: { kind: 'seen', uid: 1, head: 1, content: 1, operation: undefined, claims: false, named: {} },
  pools: {
    worker: { record: emptyRecord, paused: false, rolled: 'rendered-worker-1.1-1' },
    infra: { record: emptyRecord, paused: false, rolled: 'rendered-infra-1.1-0' },
  },
};

export function isOfTenant(act: Act): act is TenantAct {
  return act.startsWith('his ');
}

/** Whether Argo CD lets this happen now: it runs one operation at a time. By hand everything may be written. */
export function isPossible(act: Act, { running, commits, tenant, pools: { worker } }: State): boolean {
  switch (act) {
    case 'replace the pool':
      return worker.paused && worker.record.holds.length > 0;
    case 'make the pool again':
      return worker.paused;
    case 'begin':
    case 'part':
    case 'dry run':
      return running === undefined;
    case 'begin the earlier':
      return running === undefined && headOf(commits) > 1;
    case 'retry':
    case 'succeed':
    case 'fail':
      return running !== undefined;
    case 'his succeed':
    case 'his fail':
      return tenant.operation?.phase === 'Running';
    default:
      return true;
  }
}

/** The state after a step. In a world without the tenant, time passes with what he does. */
export function next({ act, isLookedAt }: Step, before: State, world: World): State {
  const state = after(act, { ...before, at: before.at + 20_000 }, world);
  const pusher = isOfTenant(act) ? pushers.tenant : pushers.own;
  const pushes = pushesOf(act, state, world);
  return isLookedAt ? look(state, world, pushes.size === 0 ? {} : { pushes, pusher }) : state;
}

/** After as many hours as no clock of a policy outlasts, with looks in between. */
export function settle(state: State, world: World): State {
  let now = state;
  for (let nth = 0; nth < 4; nth += 1) now = look({ ...now, at: now.at + 7_200_000 }, world);
  return now;
}

/** Its hold on the pool; undefined: it has none. */
function holdOf(id: string, pool: PoolName, { pools }: State): Hold | undefined {
  return pools[pool].record.holds.find((each) => each.id === id);
}

/** It holds the pool, or what the pool rolls out waits for an approval because of it. */
export function waits(id: string, pool: PoolName, state: State): boolean {
  const isAsked = state.pools[pool].record.release?.afterFailed?.includes(id) === true;
  return isAsked || holdOf(id, pool, state) !== undefined;
}

/** What the pool would roll out if it resumed that the platform, or the tenant, has changed. */
export function pendingOf(pool: PoolName, { pools, content, tenant }: State): Record<keyof typeof pushers, boolean> {
  const [own, his] = pools[pool].rolled.split('-').slice(2);
  const { first, last } = content[pool];
  return { own: own !== `${first}.${last}`, tenant: pool === 'worker' && his !== `${tenant.content}` };
}

/** No sync of the tenant runs, by what he shows. */
export function isTenantAtRest({ tenant }: State): boolean {
  return tenant.kind !== 'unreadable' && tenant.operation?.phase !== 'Running';
}

/** One wave on the pool is of another commit than the other. */
export function isHalfApplied(pool: PoolName, { content }: Pick<State, 'content'>): boolean {
  return content[pool].first !== content[pool].last;
}

function after(act: Act, state: State, world: World): State {
  if (isOfTenant(act)) return world.isAlone ? state : { ...state, tenant: tenantAfter(act, state) };
  const { running, at, commits } = state;
  const head = headOf(commits);
  switch (act) {
    case 'push to both':
      return { ...state, commits: [...commits, poolNames] };
    case 'push to one':
      return { ...state, commits: [...commits, ['worker']] };
    case 'begin':
      return begun(state, head, false);
    case 'begin the earlier':
      return begun(state, head - 1, false);
    case 'part':
      return begun(state, head, true);
    case 'dry run':
      return { ...state, ended: dryRun(at, head) };
    case 'wait':
      return { ...state, at: at + 12 * 3_600_000 };
    case 'replace the pool':
      return withoutRecord(state, { pausedBy: { manager: 'argocd-controller', at: second(at) } });
    case 'make the pool again':
      return withoutRecord(state, { createdAt: second(at), pausedBy: undefined });
    default:
      return running === undefined ? state : { ...state, ...goneOn(act, running, state) };
  }
}

function withoutRecord(state: State, lost: PoolNow['lost']): State {
  const { worker, infra } = state.pools;
  return { ...state, pools: { infra, worker: { ...worker, paused: false, lost } } };
}

function begun(state: State, commit: number, isPart: boolean): State {
  const running = { startedAt: second(state.at), retryCount: 0, commit, isPart };
  return { ...state, running, content: written(state, running, 'first') };
}

function goneOn(act: 'retry' | 'succeed' | 'fail', running: Running, state: State): Partial<State> {
  if (act === 'retry')
    return {
      running: { ...running, retryCount: running.retryCount + 1 },
      content: written(state, running, 'first'),
    };
  const isWell = act === 'succeed';
  const { startedAt, commit, isPart } = running;
  const whole = { startedAt, revisions: [sha(commit)] };
  return {
    running: undefined,
    ended: operationOf(running, isWell ? 'Succeeded' : 'Failed', state),
    succeeded: isWell && !isPart ? [...state.succeeded, whole] : state.succeeded,
    content: isWell ? written(state, running, 'last') : state.content,
  };
}

function poolsOfSync({ isPart }: Pick<Running, 'isPart'>): readonly PoolName[] {
  return isPart ? ['worker'] : poolNames;
}

function written({ content, commits }: State, running: Running, wave: keyof Content): State['content'] {
  const changed = poolsOfSync(running).map((pool) => [
    pool,
    { ...content[pool], [wave]: commitOf(pool, running.commit, commits) },
  ]);
  return { ...content, ...Object.fromEntries(changed) };
}

/** The newest commit of these that has changed the pool. */
function commitOf(pool: PoolName, commit: number, commits: State['commits']): number {
  return commits.slice(0, commit + 1).findLastIndex((pools) => pools.includes(pool));
}

function headOf(commits: State['commits']): number {
  return commits.length - 1;
}

function objectOf(pool: PoolName, wave: keyof Content): ObjectName {
  return { group, kind: 'MachineConfig', namespace: '', name: `${wave === 'first' ? 98 : 99}-${pool}-nodes` };
}

const tenantObject: ObjectName = { group, kind: 'MachineConfig', namespace: '', name: '50-worker-tenant' };
const configMap: ObjectName = { group: '', kind: 'ConfigMap', namespace: 'web', name: 'web' };
const ownObjects = poolNames.flatMap((pool) => [objectOf(pool, 'first'), objectOf(pool, 'last')]);
const machineConfigs = [...ownObjects, tenantObject].map(({ name }) => {
  const labels = { 'machineconfiguration.openshift.io/role': name.split('-')[1] ?? '' };
  return aMachineConfig({ name, labels });
});

function operationOf(running: Running, phase: Operation['phase'], state: State): Operation {
  const { startedAt, retryCount, commit, isPart } = running;
  const isOver = phase !== 'Running';
  const asked = [objectOf('worker', 'first'), objectOf('worker', 'last')];
  return anOperation({
    phase,
    message: '',
    startedAt,
    finishedAt: isOver ? second(state.at) : undefined,
    retryCount,
    revisions: [sha(commit)],
    partial: isPart,
    ...(isPart ? { asked, startedBy: 'admin' } : {}),
    results: isOver ? resultsOf(running, phase, state) : [],
  });
}

/** Of a sync that fails, all of the last wave that it was to change, and something else if that was nothing. */
function resultsOf(running: Running, phase: Operation['phase'], { content, commits }: State): Operation['results'] {
  const done = { status: 'Synced', message: '', hookType: '' };
  const pools = poolsOfSync(running);
  const isLeft = (pool: PoolName) =>
    phase === 'Failed' && content[pool].last !== commitOf(pool, running.commit, commits);
  const rest = phase === 'Failed' && !pools.some(isLeft) ? [{ ...configMap, ...done, status: 'SyncFailed' }] : [];
  return [
    ...pools.map((pool) => ({ ...objectOf(pool, 'first'), ...done })),
    ...pools.map((pool) => ({ ...objectOf(pool, 'last'), ...done, status: isLeft(pool) ? 'SyncFailed' : 'Synced' })),
    ...rest,
  ];
}

function dryRun(at: number, commit: number): Operation {
  const [startedAt, finishedAt] = [second(at), second(at + 1000)];
  return anOperation({ dryRun: true, startedAt, finishedAt, revisions: [sha(commit)], results: [] });
}

const longAgo = '2020-01-01T00:00:00Z';
const ahead = '2100-01-01T00:00:00Z';

function tenantAfter(act: TenantAct, { at, tenant: before, commits }: State): Tenant {
  const tenant: Tenant = { ...before, kind: act === 'his push' ? before.kind : 'seen' };
  const { operation, head } = tenant;
  switch (act) {
    case 'his push':
      return { ...tenant, head: head + 1 };
    case 'his begin':
      return { ...tenant, operation: hisOperation(second(at), head) };
    case 'his begin long ago':
      return { ...tenant, operation: handwritten(longAgo, head) };
    case 'his begin ahead':
      return { ...tenant, operation: handwritten(ahead, head) };
    case 'his succeed':
      return { ...tenant, content: head, operation: over(operation, 'Succeeded', at) };
    case 'his fail':
      return { ...tenant, operation: over(operation, 'Failed', at) };
    case 'his claim':
      return { ...tenant, claims: true, operation: claimed(at, commits) };
    case 'his dry run':
      return { ...tenant, operation: dryRun(at, head) };
    case 'his replace':
      return { ...tenant, uid: tenant.uid + 1, operation: undefined, claims: false, named: {} };
    case 'his delete':
      return { ...tenant, kind: 'gone', uid: tenant.uid + 1, operation: undefined };
    case 'his naming':
      return { ...tenant, named: naming('worker,infra') };
    case 'his none':
      return { ...tenant, named: naming('none') };
    case 'his garbage':
      return { ...tenant, kind: 'unreadable' };
    case 'his claim to write':
      return tenant;
    default:
      return act satisfies never;
  }
}

function hisOperation(startedAt: string, head: number): Operation {
  const revisions = [sha(head)];
  return anOperation({ phase: 'Running', startedAt, finishedAt: undefined, revisions, message: '', results: [] });
}

/** Nothing says that Argo CD has begun it by itself. */
function handwritten(startedAt: string, head: number): Operation {
  return { ...hisOperation(startedAt, head), startedBy: '' };
}

function over(operation: Operation | undefined, phase: Operation['phase'], at: number): Operation | undefined {
  const status = phase === 'Failed' ? 'SyncFailed' : 'Synced';
  const results = [{ ...tenantObject, status, message: '', hookType: '' }];
  return operation && { ...operation, phase, finishedAt: second(at), results };
}

function claimed(at: number, commits: State['commits']): Operation {
  const results = ownObjects.map((each) => ({ ...each, status: 'Synced', message: '', hookType: '' }));
  const revisions = [sha(headOf(commits))];
  return anOperation({ startedAt: second(at - 1000), finishedAt: second(at), revisions, results });
}

/** As the webhook of the repository brings them. */
function pushesOf(act: Act, { at, commits, tenant }: State, world: World): Snapshot['pushes'] {
  const of = (head: number): Push => ({ at: new Date(at).toISOString(), revision: sha(head), before: sha(head - 1) });
  if (act === 'push to both' || act === 'push to one') return new Map([[ownId, of(headOf(commits))]]);
  if (world.isAlone) return new Map();
  const his = of(tenant.head);
  if (act === 'his push') return new Map([[syncHoldId(world.tenant), his]]);
  if (act !== 'his claim to write') return new Map();
  const { at: receivedAt, revision, before } = his;
  const via = { ...world.tenant, revision, before };
  return new Map([[ownId, { at: receivedAt, revision: undefined, via, claimants: [via] }]]);
}

/** Half a minute later Argo CD has compared what it does not sync, and a pass looks at the cluster and writes what it
 *  has decided. */
function look(before: State, world: World, pushed: Pushed = {}): State {
  const at = before.at + 30_000;
  const state = { ...before, at, comparedAt: before.running === undefined ? at - 10_000 : before.comparedAt };
  const now = new Date(at);
  const snapshot = snapshotOf(state, world, pushed);
  const [worker, infra] = snapshot.pools.map((pool) => decided(pool, snapshot, now));
  return worker === undefined || infra === undefined ? state : { ...state, pools: { worker, infra } };
}

/** What nodes roll out as soon as nothing holds it back. */
function decided(pool: Pool, snapshot: Snapshot, now: Date): PoolNow {
  const { action } = decidePool(pool, snapshot, now);
  const paused = action.kind === 'pause' || (pool.paused && action.kind !== 'resume');
  const read = pool.record.kind === 'record' ? pool.record.record : emptyRecord;
  const record = action.kind === 'none' ? read : action.record;
  return { record, paused, rolled: paused ? pool.current.name : pool.target.name };
}

/** What one pass observes now. */
export function snapshotOf(state: State, world: World, pushed: Pushed = {}): Snapshot {
  const { settings } = aSnapshot({ pools: [] });
  const pool = { ...defaultPoolSettings, approve: approveOf(world) };
  const applications = world.isAlone ? [ownOf(state)] : [tenantOf(state, world), ownOf(state)];
  return aSnapshot({
    settings: {
      ...settings,
      policy: { ...world.policy, renderSettleSeconds: 0 },
      pools: { worker: pool, infra: pool },
    },
    pools: poolNames.map((name) => poolOf(name, state)),
    applications,
    parents: world.isAlone ? [] : [tenantOf(state, world)],
    ...pushed,
    machineConfigs,
    evidence,
    published: Object.fromEntries(poolNames.map((name) => [name, state.pools[name].record])),
  });
}

const people = { by: ['slack:U0000ALICE github:alice'] };
const approvals = {
  afterFailed: Approve.parse({ ...people, when: 'sync-failed' }),
  always: Approve.parse({ ...people, excludePusher: true }),
};

/** What the pools of the world ask before a change rolls out. Nobody approves anything. */
export function approveOf({ excludesPusher }: World): Approve {
  return excludesPusher === true ? approvals.always : approvals.afterFailed;
}

const asked = {
  ...noEvidence,
  approvals: seen([]),
  controllers: seen([]),
  images: noImages,
  versionUpdate: seen({ kind: 'none' as const }),
};
const evidence: Snapshot['evidence'] = new Map(poolNames.map((name) => [name, asked]));

function poolOf(name: PoolName, { pools, content, tenant }: State): Pool {
  const { record, paused, rolled, lost } = pools[name];
  const sources = [...ownObjects, tenantObject].map((each) => each.name).filter((each) => each.includes(`-${name}-`));
  const target = `rendered-${name}-${content[name].first}.${content[name].last}-${name === 'worker' ? tenant.content : 0}`;
  const machines = { machines: 3, ready: 3, unavailable: 0, degraded: 0 };
  return aPool({
    name,
    uid: `uid-pool-${name}`,
    machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': name } },
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
    paused,
    pausedBy: { manager: fieldManager, at: '2026-03-02T10:00:00Z' },
    record: lost === undefined ? { kind: 'record', record } : { kind: 'none' },
    ...lost,
    target: { name: target, sources },
    current: { name: rolled, sources },
    counts: { ...machines, updated: target === rolled ? 3 : 0 },
  });
}

function ownOf(state: State): ObservedApplication {
  const { running, content, commits } = state;
  const head = headOf(commits);
  const isAt = (pool: PoolName, wave: keyof Content) => content[pool][wave] === commitOf(pool, head, commits);
  const resources = poolNames.flatMap((pool) =>
    (['first', 'last'] as const).map((wave) => ({
      ...objectOf(pool, wave),
      status: isAt(pool, wave) ? 'Synced' : 'OutOfSync',
    })),
  );
  const isSynced = resources.every(({ status }) => status === 'Synced');
  const application: Application = {
    ...home,
    sync: { status: isSynced ? 'Synced' : 'OutOfSync', revisions: [sha(head)] },
    resources,
    reconciledAt: second(state.comparedAt),
    operationQueued: running !== undefined,
    operation: running === undefined ? state.ended : operationOf(running, 'Running', state),
    succeeded: state.succeeded,
  };
  return { kind: 'seen', application };
}

function tenantOf({ tenant, comparedAt }: State, world: World): ObservedApplication {
  const ref = world.tenant;
  if (tenant.kind === 'gone') return { kind: 'gone', ref };
  if (tenant.kind === 'unreadable') return { kind: 'unreadable', ref, why: 'it is no Application', isInvalid: true };
  const { operation, head, content } = tenant;
  const status = head === content ? 'Synced' : 'OutOfSync';
  const objects = tenant.claims ? [tenantObject, ...ownObjects] : [tenantObject];
  const application: Application = {
    ...home,
    ...ref,
    uid: `uid-tenant-${tenant.uid}`,
    sync: { status, revisions: [sha(head)] },
    resources: objects.map((each) => ({ ...each, status })),
    reconciledAt: second(comparedAt),
    operationQueued: false,
    operation,
    ...tenant.named,
  };
  return { kind: 'seen', application };
}

function sha(commit: number): string {
  return `${commit}`.padStart(40, '0');
}

/** Of Argo CD's clock, which counts whole seconds. */
function second(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
