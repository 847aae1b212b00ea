import * as z from 'zod';
import { plusSeconds } from '../text/instant.ts';
import { unique } from '../text/unique.ts';
import { isGoingBack } from './going-back.ts';
import { isRolling, type Pool } from './pool.ts';
import { type LabelSelector, selects } from './selector.ts';

/** Set to make a MachineHealthCheck ignore its machines. Source: machine-api-operator,
 *  pkg/controller/machinehealthcheck. */
export const pausedAnnotation = 'cluster.x-k8s.io/paused';
/** Our record on a check that Poolkeeper has paused: there is no second copy. */
export const pausedForAnnotation = 'poolkeeper.dev/paused-for-rollout';

const instant = z.iso.datetime({ offset: true });

export const PausedFor = z.object({
  v: z.literal(1),
  pools: z.array(z.string()),
  since: instant,
  /** It was unpaused while the rollout still went on, because that took too long. */
  endedAt: instant.optional(),
});
export type PausedFor = z.infer<typeof PausedFor>;

/** A MachineHealthCheck, limited to what Poolkeeper uses. */
export interface HealthCheck {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  /** An empty one selects every machine; undefined: invalid, for its controller too. */
  readonly selector: LabelSelector | undefined;
  readonly paused: boolean;
  readonly record:
    | { readonly kind: 'none' }
    | { readonly kind: 'record'; readonly record: PausedFor }
    | { readonly kind: 'unreadable' };
}

/** Labels of a machine, by which checks select it. */
export interface MachineLabels {
  /** `<namespace>/<name>`, as in the annotation of its node. */
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

export type HealthCheckAction =
  | { readonly kind: 'pause'; readonly record: PausedFor; readonly why: string }
  /** It watches again, and our record is taken away with the pause. */
  | { readonly kind: 'release'; readonly why: string }
  /** It watches again; the record stays until the rollout is over, so that it is not paused for it once more. */
  | { readonly kind: 'expire'; readonly record: PausedFor; readonly why: string };

export interface HealthCheckPlan {
  readonly check: HealthCheck;
  readonly action: HealthCheckAction;
}

/** Machines whose nodes drain and reboot now because Poolkeeper resumed their pool, by pool. */
export type RollingMachines = ReadonlyMap<string, readonly string[]>;

/** Nodes are rolling from our resume until all of them have arrived. */
export function isRollingSinceResume(pool: Pool): boolean {
  const isOurs = pool.record.kind === 'record' && pool.record.record.last?.did === 'resumed';
  return (isOurs && isRolling(pool)) || isGoingBack(pool);
}

/** Plans the pauses of health checks. Pure and level-triggered: for its own result it plans nothing. A pause without
 *  our record is someone else's and is left alone, and so is a check that someone unpaused while it has our record. */
export function planHealthChecks({
  checks,
  machines,
  rolling,
  unread,
  atMostSeconds,
  now,
}: {
  readonly checks: readonly HealthCheck[];
  readonly machines: readonly MachineLabels[];
  readonly rolling: RollingMachines;
  /** Pools whose nodes could not be read: what is paused for them stays paused, and nothing new is paused for them. */
  readonly unread: ReadonlySet<string>;
  /** Longest pause: a stuck rollout must not leave machines unwatched. */
  readonly atMostSeconds: number;
  readonly now: Date;
}): readonly HealthCheckPlan[] {
  return checks.flatMap((check): readonly HealthCheckPlan[] => {
    const pools = poolsOf(check, machines, rolling);
    if (check.record.kind === 'unreadable') return [];
    if (check.record.kind === 'none')
      return !check.paused && pools.length > 0 ? [{ check, action: pause(pools, now) }] : [];
    const { record } = check.record;
    const pausedFor = unique([...pools, ...record.pools.filter((pool) => unread.has(pool))]);
    if (pausedFor.length === 0) {
      const why = `the nodes of ${named(record.pools)} have arrived`;
      return [{ check, action: { kind: 'release', why } }];
    }
    const isOver = Date.parse(plusSeconds(new Date(record.since), atMostSeconds)) <= now.getTime();
    if (!isOver || record.endedAt !== undefined || !check.paused) return [];
    const why = `the rollout of ${named(pausedFor)} takes longer than a pause may last`;
    return [{ check, action: { kind: 'expire', record: { ...record, endedAt: now.toISOString() }, why } }];
  });
}

function pause(pools: readonly string[], now: Date): HealthCheckAction {
  return {
    kind: 'pause',
    record: { v: 1, pools: [...pools], since: now.toISOString() },
    why: `the nodes of ${named(pools)} drain and reboot as planned`,
  };
}

function poolsOf(check: HealthCheck, machines: readonly MachineLabels[], rolling: RollingMachines): readonly string[] {
  const { selector } = check;
  if (selector === undefined) return [];
  const watched = new Set(machines.filter(({ labels }) => selects(selector, labels)).map(({ id }) => id));
  return [...rolling].flatMap(([pool, ids]) => (ids.some((id) => watched.has(id)) ? [pool] : [])).toSorted();
}

function named(pools: readonly string[]): string {
  return `${pools.length === 1 ? 'pool' : 'pools'} ${pools.join(', ')}`;
}
