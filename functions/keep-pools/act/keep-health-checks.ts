import type { Snapshot } from '../../core/holds/snapshot.ts';
import { type HealthCheckPlan, isRollingSinceResume, planHealthChecks } from '../../core/openshift/health-checks.ts';
import { settingsOf } from '../../core/openshift/managed-pools.ts';
import { isInFlight, type Node } from '../../core/openshift/node.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import type { TimelineEntry } from '../../core/timeline/view.ts';
import type { HealthChecks } from '../../ports/cluster.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';

export interface KeepingHealthChecks {
  readonly snapshot: Snapshot;
  /** As the API server has them after this pass. */
  readonly pools: readonly Pool[];
  /** Members of the pools whose nodes were read, by pool. */
  readonly nodes: ReadonlyMap<string, readonly Node[]>;
  /** Pools whose nodes could not be read. */
  readonly unread: ReadonlySet<string>;
  /** Checks of ours were paused when the cluster was looked at last; undefined: not known. */
  readonly paused: boolean | undefined;
  /** A pass that looks at everything: it also finds what was forgotten. */
  readonly isSweep: boolean;
  readonly now: Date;
}

/** Machines are not replaced because their nodes reboot as planned: MachineHealthChecks are paused while pools that
 *  ask for it roll after our resume, and let go at every end of it. Answers whether any of ours is paused now. What
 *  cannot be done waits for the next tick. */
export async function keepHealthChecks(
  given: KeepingHealthChecks,
  { healthChecks }: ClusterPorts,
  ports: KeepPorts,
): Promise<boolean> {
  const { snapshot, paused } = given;
  const rolling = rollingMachines(given);
  const asked = given.pools.some(({ name }) => settingsOf(snapshot.settings, name).pauseMachineHealthChecks);
  const mayBeForgotten = asked && (given.isSweep || paused === undefined);
  if (healthChecks === undefined || (rolling.size === 0 && paused !== true && !mayBeForgotten)) return paused === true;
  try {
    const plans = await planFor(given, rolling, healthChecks);
    for (const plan of plans.changes) await healthChecks.patchHealthCheck(plan.check, plan.action);
    await ports.timeline.append(plans.changes.map((plan) => entryOf(plan, given)));
    return plans.pausedAfter;
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('MachineHealthChecks could not be kept', { cluster: snapshot.settings.name, why: cause.message });
    return paused === true || rolling.size > 0;
  }
}

async function planFor(
  { snapshot, unread, now }: KeepingHealthChecks,
  rolling: ReadonlyMap<string, readonly string[]>,
  healthChecks: HealthChecks,
): Promise<{ readonly changes: readonly HealthCheckPlan[]; readonly pausedAfter: boolean }> {
  const [checks, machines] = await Promise.all([
    healthChecks.listHealthChecks(),
    rolling.size === 0 ? [] : healthChecks.listMachines(),
  ]);
  const atMostSeconds = snapshot.settings.policy.pausedAtMostSeconds;
  const changes = planHealthChecks({ checks, machines, rolling, unread, atMostSeconds, now });
  const pausedAfter = checks.some((check) => {
    const action = changes.find((plan) => plan.check === check)?.action.kind;
    return action === undefined ? check.record.kind === 'record' : action !== 'release';
  });
  return { changes, pausedAfter };
}

/** Pools that ask for it and roll; and, once they are paused again, those whose nodes are still on their way. */
function rollingMachines({
  snapshot,
  pools,
  nodes,
  paused,
}: KeepingHealthChecks): ReadonlyMap<string, readonly string[]> {
  const rolling = pools
    .filter(({ name }) => settingsOf(snapshot.settings, name).pauseMachineHealthChecks)
    .map((pool) => {
      const members = nodes.get(pool.name) ?? [];
      const moving = isRollingSinceResume(pool) ? members : paused === true ? members.filter(isInFlight) : [];
      return [pool.name, moving.flatMap(({ machine }) => machine ?? [])] as const;
    });
  return new Map(rolling.filter(([, machines]) => machines.length > 0));
}

function entryOf({ check, action }: HealthCheckPlan, { snapshot, now }: KeepingHealthChecks): TimelineEntry {
  const cluster = snapshot.settings.name;
  const did = action.kind === 'pause' ? 'is paused' : 'watches its machines again';
  return {
    id: `${cluster}/health-check/${check.namespace}/${check.name}/${action.kind}/${check.resourceVersion}`,
    at: now.toISOString(),
    cluster,
    pool: action.kind === 'release' ? '' : (action.record.pools[0] ?? ''),
    type: 'decision',
    text: `MachineHealthCheck ${check.name} ${did}: ${action.why}`,
    correlation: `${cluster}/${check.name}`,
  };
}
