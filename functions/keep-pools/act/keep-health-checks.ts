import { nothingListed } from '../../core/findings/listed.ts';
import { type HealthCheckPlan, isRollingSinceResume, planHealthChecks } from '../../core/openshift/health-checks.ts';
import { settingsOf } from '../../core/openshift/managed-pools.ts';
import { isInFlight } from '../../core/openshift/node.ts';
import { Transient } from '../../core/text/errors.ts';
import type { HealthChecks } from '../../ports/cluster.ts';
import type { FollowedPass, WatchedPass } from '../pass-state.ts';
import type { Watched } from '../watch/watched.ts';
import { performPorts } from './decide-and-write.ts';
import { perform } from './perform.ts';

type Kept = Pick<WatchedPass, 'healthChecks' | 'healthChecksPaused'>;

/** Keeps MachineHealthChecks from replacing machines whose nodes reboot as planned: they are paused while pools with
 *  this setting roll after our resume, and unpaused however that ends. What fails is retried by the next tick. */
export async function keepHealthChecks(pass: FollowedPass, watched: Watched): Promise<Kept> {
  const { observation, snapshot, performed, cluster, ports } = pass;
  const { healthChecks } = cluster;
  const paused = observation.checkpoint.healthChecksPaused;
  const rolling = rollingMachines(pass, watched);
  const isConfigured = performed.some(({ pool }) => settingsOf(snapshot.settings, pool.name).pauseMachineHealthChecks);
  // A sweep also finds checks that were left paused.
  const mayBeLeftPaused = isConfigured && (observation.swept || paused === undefined);
  if (healthChecks === undefined || (rolling.size === 0 && paused !== true && !mayBeLeftPaused))
    return { healthChecks: [], healthChecksPaused: paused === true };
  try {
    const { plans, pausedAfter } = await planFor(pass, watched, { rolling, healthChecks });
    const actions = performPorts(pass, snapshot);
    const written = [];
    for (const plan of plans) written.push(await perform({ kind: 'health-check', plan }, actions));
    const done = written.flatMap((each) => (each.kind === 'health-check' ? [each] : []));
    const failed = done.some(({ failure }) => failure !== undefined);
    return { healthChecks: done, healthChecksPaused: failed ? paused === true || rolling.size > 0 : pausedAfter };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('MachineHealthChecks could not be read', { cluster: snapshot.settings.name, why: cause.message });
    return { healthChecks: [], healthChecksPaused: paused === true || rolling.size > 0 };
  }
}

interface Rolling {
  /** Machines whose nodes are updating, by pool. */
  readonly rolling: ReadonlyMap<string, readonly string[]>;
  readonly healthChecks: HealthChecks;
}

async function planFor(
  { snapshot, now, ports: { logger } }: FollowedPass,
  { unread }: Watched,
  { rolling, healthChecks }: Rolling,
): Promise<{ readonly plans: readonly HealthCheckPlan[]; readonly pausedAfter: boolean }> {
  const [{ items: checks, unreadable }, machines] = await Promise.all([
    healthChecks.listHealthChecks(),
    rolling.size === 0 ? nothingListed : healthChecks.listMachines(),
  ]);
  for (const { kind, namespace, name, why } of [...unreadable, ...machines.unreadable])
    logger.warn('an object could not be parsed', { cluster: snapshot.settings.name, kind, namespace, name, why });
  const atMostSeconds = snapshot.settings.policy.pausedAtMostSeconds;
  const plans = planHealthChecks({ checks, machines: machines.items, rolling, unread, atMostSeconds, now });
  const pausedAfter = checks.some((check) => {
    const action = plans.find((plan) => plan.check === check)?.action.kind;
    return action === undefined ? check.record.kind === 'record' : action !== 'release';
  });
  return { plans, pausedAfter };
}

/** Machines of rolling pools with the setting, by pool; once a pool is paused again, those whose nodes are still
 *  updating. */
function rollingMachines({ observation, snapshot, performed }: FollowedPass, { nodes }: Watched): Rolling['rolling'] {
  const paused = observation.checkpoint.healthChecksPaused === true;
  const rolling = performed
    .map(({ pool }) => pool)
    .filter(({ name }) => settingsOf(snapshot.settings, name).pauseMachineHealthChecks)
    .map((pool) => {
      const members = nodes.get(pool.name) ?? [];
      const moving = isRollingSinceResume(pool) ? members : paused ? members.filter(isInFlight) : [];
      return [pool.name, moving.flatMap(({ machine }) => machine ?? [])] as const;
    });
  return new Map(rolling.filter(([, machines]) => machines.length > 0));
}
