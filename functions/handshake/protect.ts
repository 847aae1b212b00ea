import {
  type Application,
  type ApplicationRef,
  isSameApplication,
  isSyncing,
  refOf,
} from '../core/argocd/application.ts';
import type { Policy } from '../core/configuration/policy.ts';
import { nothingListed } from '../core/findings/listed.ts';
import { refreshCommand } from '../core/guard/refresh.ts';
import { runningUnpausedSync } from '../core/holds/skip-harmless.ts';
import type { AffectedPools } from '../core/impact/affected-pools.ts';
import { isComparedForSync, poolsAffectedBySync } from '../core/impact/pools-affected-by-sync.ts';
import { unparsedPools } from '../core/impact/unparsed-pools.ts';
import { collectiveFor } from '../core/openshift/collective-hold-id.ts';
import { syncHoldId } from '../core/openshift/hold.ts';
import { isManaged } from '../core/openshift/managed-pools.ts';
import { membersOf } from '../core/openshift/membership.ts';
import { hasFailedUpdate, isAwayTooLong, isGoingOn, type Node } from '../core/openshift/node.ts';
import type { Pool } from '../core/openshift/pool.ts';
import { holdsOf } from '../core/openshift/pool-record.ts';
import { whoResumed } from '../core/openshift/who-resumed.ts';
import { isConfirmed } from '../core/races/judge-race.ts';
import { pauseNow, type Race } from '../core/races/race.ts';
import { byName } from '../core/text/by-name.ts';
import { BadInput } from '../core/text/errors.ts';
import { counted, listed } from '../core/text/phrases.ts';
import type { PerformedPool } from '../keep-pools/act/write-pool.ts';
import type { KeepPorts } from '../keep-pools/keep-ports.ts';
import { type PassReport, pass } from '../keep-pools/pass.ts';
import type { Scope } from '../keep-pools/route/scope.ts';
import { applicationScopes } from '../keep-pools/route/scopes-of.ts';
import type { Protection, WaitingPool } from './protection.ts';

const unparsed = 'it cannot be parsed, so it is neither paused nor resumed';

/** Runs one pass for the Application, which pauses what its running sync will change, and returns the state of its
 *  pools. Throws BadInput 404 for an unknown Application, instance, namespace or destination, Transient if the cluster
 *  cannot be read. */
export async function protect(ref: ApplicationRef, ports: KeepPorts): Promise<Protection> {
  const settings = byName(ports.configuration.argocd, ref.argocd);
  if (settings === undefined) throw new BadInput(`Argo CD instance ${ref.argocd} is not configured`, { status: 404 });
  // Another instance's Application is not judged by the destinations and the trust of this one.
  if (!settings.namespaces.includes(ref.namespace))
    throw new BadInput(
      `namespace ${ref.namespace} is not one of Argo CD instance ${ref.argocd}: name it in argocd[].namespaces, or the right instance in the PreSync Job`,
      { status: 404 },
    );

  const eventId = `handshake/${syncHoldId(ref)}`;
  const [scope] = await applicationScopes(ref, { settings, ports, eventId });
  // Which pools its sync changes is unknown, and nothing pauses them.
  if (scope === undefined)
    throw new BadInput(
      `the destination of Application ${ref.namespace}/${ref.name} is not a configured cluster: name it in argocd[].destinations, or leave out the PreSync Job`,
      { status: 404 },
    );
  const report = await pass(scope, ports);
  if (report?.failure !== undefined)
    ports.logger.warn('a part of the pass failed', { cluster: scope.cluster.name, error: report.failure });
  return report === undefined
    ? { kind: 'blind', why: 'the cluster could not be read' }
    : protectionIn(ref, scope, report, ports);
}

async function protectionIn(
  ref: ApplicationRef,
  scope: Scope,
  report: PassReport,
  ports: KeepPorts,
): Promise<Protection> {
  const observed = report.snapshot.applications.find((each) => isSameApplication(refOf(each), ref));
  if (observed?.kind === 'unreadable')
    return { kind: 'blind', why: observed.why, ...(observed.isInvalid === true && { lasts: true }) };
  if (observed?.kind !== 'seen')
    throw new BadInput(`Application ${ref.namespace}/${ref.name} does not exist`, { status: 404 });
  return protectionOf(observed.application, scope, report, ports);
}

async function protectionOf(
  application: Application,
  scope: Scope,
  report: PassReport,
  ports: KeepPorts,
): Promise<Protection> {
  const affected = poolsAffectedBySync(application, report.snapshot);
  const affectedPools = report.performed.filter(
    ({ pool }) => affected.pools.includes(pool.name) && (isManaged(scope.cluster, pool) || isUnreadable(pool)),
  );
  const pools = affectedPools.filter(({ pool }) => isUnreadable(pool) || !isUnpaused(application, pool, report));
  const unknown: readonly WaitingPool[] = [
    ...unparsedPools(application, report.snapshot).map((name) => ({ name, why: unparsed })),
    ...uncomparedPools(application, affected, scope, report),
  ];
  if (pools.length === 0 && unknown.length === 0) {
    const left = affectedPools.length > 0 ? 'its nodes are not disrupted' : 'not opted in, so never paused';
    const why = affected.pools.length === 0 ? affected.why : `${affected.pools.join(', ')}: ${left}`;
    return { kind: 'nothing-to-protect', why };
  }
  const waiting = await Promise.all(pools.map((each) => lackOf(each, application, report, ports)));
  const { told = [], lacking = [] } = Object.groupBy([...unknown, ...waiting.flat()], ({ isNotWaitedFor }) =>
    isNotWaitedFor === true ? 'told' : 'lacking',
  );
  if (lacking.length === 0)
    return {
      kind: 'protected',
      pools: pools.map(({ pool }) => pool.name),
      ...(told.length > 0 && { notWaitedFor: told }),
    };
  return { kind: lacking.some(({ isRefused }) => isRefused) ? 'refused' : 'waiting', pools: lacking };
}

/** Pools that the sync may change besides, because Argo CD does not show yet what it brings. */
function uncomparedPools(
  application: Application,
  affected: AffectedPools,
  { cluster }: Scope,
  { performed }: PassReport,
): readonly WaitingPool[] {
  const { named } = application;
  if (affected.isExact || !isSyncing(application) || isComparedForSync(application)) return [];
  const mayReach = (pool: string) => named?.mayRemove !== true || named.pools.includes(pool);
  return performed
    .filter(({ pool: { name } }) => !affected.pools.includes(name) && mayReach(name))
    .filter(({ pool }) => isManaged(cluster, pool))
    .map(({ pool }) => ({
      name: pool.name,
      why: `Argo CD has not compared the Application at the commit that it syncs, which may change this pool too; it does so at its next poll, or at once after: ${refreshCommand(application)}`,
    }));
}

/** Whether the pool is left unpaused for this sync, because it does not disrupt the nodes. */
function isUnpaused(application: Application, pool: Pool, { snapshot }: PassReport): boolean {
  const isHeld = holdsOf(pool).some(({ id }) => id === syncHoldId(application));
  return !isHeld && runningUnpausedSync(application, pool, snapshot) !== undefined;
}

/** Whether the pool's record is unreadable. Then it is unknown whether it would be paused, and a sync that requests
 *  protection must not continue as if there was nothing to protect. */
function isUnreadable({ record }: Pool): boolean {
  return record.kind === 'unreadable';
}

/** What a pool lacks to be protected, with the reason; empty: nothing. */
async function lackOf(
  { pool, plan, failure }: PerformedPool,
  application: Application,
  { races, snapshot }: PassReport,
  ports: KeepPorts,
): Promise<readonly WaitingPool[]> {
  const lacks = (why: string) => [{ name: pool.name, why }];
  const lacksBriefly = (why: string) => [{ name: pool.name, why, isBrief: true as const }];
  if (pool.record.kind === 'unreadable')
    return lacks(`its record cannot be read, so it is left alone: ${pool.record.why}`);
  if (failure?.kind === 'forbidden') return lacks('Poolkeeper lacks the right to change it, or a policy refuses that');
  if (failure !== undefined) return lacksBriefly('the API server refused the pause');
  const id = syncHoldId(application);
  const own = holdsOf(pool).find((each) => each.id === id);
  const hold = own ?? (plan.noRoom?.includes(id) === true ? collectiveFor(id, holdsOf(pool)) : undefined);
  if (hold === undefined) return lacks('no sync of this Application is running');
  if (!pool.paused || hold.overruled !== undefined)
    return lacks(`${whoResumed(pool)} resumed it; Poolkeeper leaves it alone`);
  const race = races.find((each) => each.pool === pool.name && each.hold === hold.id && each.since === hold.since);
  // A foreign pause has no time that we know for certain.
  const pausedSince = pool.record.kind === 'record' ? pool.record.record.pausedSince : undefined;
  const pause = race && pauseNow(race);
  const generation = pause?.pausedAt === pausedSince ? pause?.pauseGeneration : undefined;
  if (!isConfirmed(pool, generation)) return lacksBriefly('the Machine Config Operator has not observed the pause yet');

  const { pools } = await ports.cluster(snapshot.settings.name);
  const nodes = pool.nodeSelector === undefined ? nothingListed : await pools.listNodes(pool.nodeSelector);
  const [invalid] = nodes.unreadable;
  if (invalid !== undefined) return lacks(`node ${invalid.name} cannot be read`);
  const members = membersOf(pool, snapshot.pools, nodes.items);
  const now = ports.clock();
  const { policy } = snapshot.settings;
  const isAway = (node: Node) => isAwayTooLong(node, policy.stuckAfter.rebootSeconds, now);
  const onTheirWay = members.filter((node) => isGoingOn(node, now));
  const goingOn = onTheirWay.filter((node) => !isAway(node));
  const failed = members.filter((node) => hasFailedUpdate(node, now));
  return [
    ...lackOfNodes(pool, goingOn, { race, policy }),
    ...failedNodes(pool, failed),
    ...nodesAway(pool, onTheirWay.filter(isAway)),
  ];
}

/** A dead host would hold back every sync for as long as it is dead. */
function nodesAway({ name }: Pool, away: readonly Node[]): readonly WaitingPool[] {
  if (away.length === 0) return [];
  const [have, their, are] = away.length === 1 ? ['has', 'its', 'is'] : ['have', 'their', 'are'];
  const why = `${listed(away.map((node) => node.name))} ${have} not come back from ${their} reboot and ${are} not waited for`;
  return [{ name, why, isNotWaitedFor: true }];
}

/** The change that mends them may be the one that asks, so nobody waits for them. */
function failedNodes({ name }: Pool, failed: readonly Node[]): readonly WaitingPool[] {
  if (failed.length === 0) return [];
  const [have, are, their, them] = failed.length === 1 ? ['has', 'is', 'its', 'it'] : ['have', 'are', 'their', 'them'];
  const nodes = listed(failed.map((node) => node.name));
  const why = `${nodes} ${have} failed ${their} update and ${are} not waited for; the MCO tries again by itself, also while the pool is paused, and may reboot ${them} as soon as that succeeds`;
  return [{ name, why, isNotWaitedFor: true }];
}

/** What a paused pool lacks because some of its nodes are being updated all the same: a pool is never reported as
 *  protected without saying that. What nodes of an earlier rollout mean is for the policy `whenRolling` to say. */
function lackOfNodes(
  { name }: Pool,
  goingOn: readonly Node[],
  { race, policy }: { readonly race: Race | undefined; readonly policy: Policy },
): readonly WaitingPool[] {
  // Nodes were looked at with the pause that the race was judged by.
  const before = race?.later === undefined ? (race?.rollingBefore ?? []) : [];
  const names = goingOn.map((node) => node.name);
  const earlier = names.filter((node) => before.includes(node));
  const missed = names.filter((node) => !before.includes(node));
  const waiting =
    missed.length === 0
      ? []
      : [{ name, why: `${listed(missed)} had been targeted before the pause was confirmed and must finish first` }];
  if (earlier.length === 0) return waiting;
  const goOn = `${counted(earlier.length, 'node')} of the previous rollout (${listed(earlier)}) ${earlier.length === 1 ? 'continues' : 'continue'}`;
  if (policy.whenRolling === 'pause')
    return [...waiting, { name, why: `${goOn}, and policy whenRolling is pause`, isNotWaitedFor: true }];
  if (policy.whenRolling === 'refuse')
    return [...waiting, { name, why: `${goOn}, and policy whenRolling is refuse`, isRefused: true }];
  return [...waiting, { name, why: `${goOn} and must finish first (policy whenRolling: finish)` }];
}
