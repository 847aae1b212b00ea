import type { ObservedApplication } from '../../../functions/core/argocd/application.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { GateView } from '../../../functions/core/gates/gate-view.ts';
import { guardsOfPool } from '../../../functions/core/gates/guard-waits.ts';
import { decide, withHeld } from '../../../functions/core/holds/decide.ts';
import { gatesAhead } from '../../../functions/core/holds/gate-question.ts';
import type { PoolPlan } from '../../../functions/core/holds/plan.ts';
import { noForecast } from '../../../functions/core/holds/skip-harmless.ts';
import type { Snapshot } from '../../../functions/core/holds/snapshot.ts';
import { applicationOfHold } from '../../../functions/core/openshift/hold.ts';
import { hasPendingChange, hasPendingRollout, imageOf, type Pool } from '../../../functions/core/openshift/pool.ts';
import { holdsOf } from '../../../functions/core/openshift/pool-record.ts';
import { poolSteps } from '../../../functions/core/sequences/pool-steps.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { notAsked } from '../../../functions/core/text/observed.ts';
import type { PoolView } from '../../../functions/core/timeline/view.ts';
import { viewOf } from '../../../functions/core/timeline/view-of.ts';
import { waitsOf } from '../../../functions/core/timeline/waits-of.ts';
import type { ClusterPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { canariesOf, observeRuns } from '../../../functions/keep-pools/node-turns/observe-runs.ts';
import { readApplications } from '../../../functions/keep-pools/read/read-applications.ts';
import { awaitedMachineConfigs, readHeads } from '../../../functions/keep-pools/read/read-machine-configs.ts';
import type { EvidencePorts } from '../../../functions/keep-pools/resume/evidence-reader.ts';
import { gatherEvidence } from '../../../functions/keep-pools/resume/gather-evidence.ts';
import { type AskedFor, chosenGuards, isChosen } from './chosen.ts';
import { lookAtGuards } from './look-at-guards.ts';
import { lookForApplications } from './look-for-applications.ts';
import { noChangeText, type WhyAnswer, type WhyPool } from './why-pool.ts';

/** A cluster to look at, and what is known of its configuration. */
export interface LookedAt {
  readonly settings: ClusterSettings;
  readonly cluster: ClusterPorts;
  readonly ports: EvidencePorts;
}

/** What the next pass would decide, without writing anything. Since when gates are closed is not known here: that is in
 *  the table. Throws Misconfigured for an unknown pool, Transient if the pools cannot be read. */
export async function lookAtWaits(looked: LookedAt, asked: AskedFor): Promise<WhyAnswer> {
  const { settings, cluster, ports } = looked;
  const now = ports.clock();
  const { plans, snapshot } = await decided(looked, now);
  const known = snapshot.pools.map(({ name }) => name);
  const unreadable = snapshot.unreadablePools ?? [];
  const unknown = asked.pools.filter((name) => !known.includes(name) && !unreadable.includes(name));
  if (unknown.length > 0)
    throw new Misconfigured([`there is no pool ${unknown.join(', ')}; the cluster has ${known.join(', ')}`]);
  const [gathered, found] = await Promise.all([
    gatherEvidence({ plans, snapshot }, { cluster, now, ports }),
    lookAtGuards(snapshot, ports),
  ]);
  const guards = chosenGuards(found.guards, asked);
  const unguarded = asked.applications.filter((name) => !guards.some(({ about }) => about === name));
  const ofApplications = await lookForApplications(unguarded, settings.name, ports);
  const pools = gathered.plans
    .filter(({ pool }) => isChosen(pool, asked, guards))
    .map((plan) => ({
      ...whyOf(plan, { snapshot: gathered.snapshot, settings, now }),
      guards: guardsOfPool(guards, plan.pool.name),
    }));
  const unparsed = unreadable.map((name) => `pool ${name} cannot be parsed`);
  // Of an Application with a guard the same is said already.
  const isNew = (each: string) => !found.unread.some((said) => said.endsWith(each));
  const more = new Set([...snapshot.applications.flatMap(holderUnread), ...ofApplications]);
  const configs = [...(snapshot.unreadMachineConfigs ?? [])].map(([name, why]) => `MachineConfig ${name}: ${why}`);
  return { pools, unread: [...unparsed, ...configs, ...found.unread, ...[...more].filter(isNew)] };
}

/** Its holds are told as they are on record. */
function holderUnread(observed: ObservedApplication): readonly string[] {
  if (observed.kind !== 'unreadable') return [];
  const { namespace, name } = observed.ref;
  return [`Application ${namespace}/${name}: ${observed.why}`];
}

async function decided({ settings, cluster, ports }: LookedAt, now: Date) {
  const { items: pools, unreadable } = await cluster.pools.listPools();
  const unreadablePools = unreadable.length === 0 ? undefined : unreadable.map(({ name }) => name);
  const held = pools.flatMap((pool) => holdsOf(pool).flatMap(({ id }) => applicationOfHold(id) ?? []));
  const applications = await readApplications(held, [], ports);
  const seen = applications.flatMap((observed) => (observed.kind === 'seen' ? [observed.application] : []));
  const awaited = new Set(pools.flatMap((pool) => awaitedMachineConfigs(pool, seen)));
  const { logger } = ports;
  const { heads, unread } = await readHeads([...awaited], settings.name, { logger, cluster: async () => cluster });
  const snapshot: Snapshot = {
    settings,
    pools,
    unreadablePools,
    applications,
    pushes: new Map(),
    changes: new Map(),
    expected: [],
    parents: [],
    machineConfigs: heads,
    unreadMachineConfigs: unread,
    choosers: notAsked,
    disruption: noForecast,
    published: {},
    sequenceSteps: poolSteps(ports.configuration.sequences, settings.name),
    ...(await runsOn(settings.name, { pools, unreadablePools }, ports)),
    evidence: new Map(),
    gatesClosedSince: {},
  };
  const plans = decide(snapshot, now);
  return { snapshot: withHeld(snapshot, plans), plans };
}

/** What the runs of the configuration want; undefined: there is none, or it is not known, and holds of runs stay. */
async function runsOn(
  cluster: string,
  pools: Pick<Snapshot, 'pools' | 'unreadablePools'>,
  ports: EvidencePorts,
): Promise<Pick<Snapshot, 'rollouts' | 'canaries'>> {
  if (ports.configuration.nodeTurns === undefined) return {};
  const runs = await observeRuns({ cluster, ...pools, swept: false }, ports);
  return { rollouts: runs?.rollouts, canaries: canariesOf(runs) };
}

function whyOf(
  plan: PoolPlan,
  { snapshot, settings, now }: { readonly snapshot: Snapshot; readonly settings: ClusterSettings; readonly now: Date },
): Omit<WhyPool, 'guards'> {
  const after = afterPass(plan);
  const view = viewOf(after, {
    settings,
    gates: plan.gates.map(withoutClock),
    gatesAhead: gatesAhead(after, snapshot, now),
    races: [],
    now,
  });
  const { name, paused, pauseOf } = view;
  return {
    cluster: settings.name,
    pool: name,
    paused,
    pauseOf,
    state: stateText(plan, view),
    why: waitsOf(view, settings.name),
  };
}

/** The pool as the next pass would leave it: holds that have ended are no longer told. */
function afterPass({ pool, action }: PoolPlan): Pool {
  if (action.kind === 'none') return pool;
  const paused = action.kind === 'pause' || (action.kind !== 'resume' && pool.paused);
  return { ...pool, paused, record: { kind: 'record', record: action.record } };
}

function withoutClock({ timeout: _timeout, ...view }: GateView): GateView {
  return { ...view, since: undefined };
}

function stateText({ pool, action }: PoolPlan, view: PoolView): string {
  if (action.kind === 'resume') return `paused, and the next pass resumes it: ${action.why}`;
  if (action.kind === 'pause') return `not paused yet, and the next pass pauses it: ${action.why}`;
  if (view.paused)
    return `paused${view.pausedSince === undefined ? '' : ` since ${view.pausedSince}`}, ${changeText(pool)}`;
  return `not paused, ${changeText(pool)}`;
}

function changeText(pool: Pool): string {
  if (!hasPendingRollout(pool)) return noChangeText(pool.counts);
  const what = hasPendingChange(pool) ? pool.target.name : `image ${imageOf(pool)}`;
  return pool.paused ? `and ${what} is pending` : `and ${what} is being rolled out`;
}
