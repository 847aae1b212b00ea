import * as z from 'zod';
import { eventOf } from './envelope.ts';

const instant = z.iso.datetime({ offset: true });
const pool = { cluster: z.string(), pool: z.string() };
const hold = z.object({
  id: z.string(),
  kind: z.string(),
  who: z.string(),
  why: z.string(),
  since: instant,
  until: instant,
});

/** What Poolkeeper publishes: one event per transition, on the bus and on the timeline. */

/** A hold was added, changed its phase or was renewed. */
export const PoolHeld = eventOf('poolkeeper.pool.held.v1', z.object({ ...pool, hold, phase: z.string() }));
/** A hold ended; the pool may still be held by others or by its gates. */
export const HoldReleased = eventOf(
  'poolkeeper.pool.released.v1',
  z.object({ ...pool, hold: z.string(), why: z.string() }),
);
/** `spec.paused` was set by Poolkeeper. */
export const PoolPaused = eventOf(
  'poolkeeper.pool.paused.v1',
  z.object({ ...pool, why: z.string(), generation: z.int() }),
);
/** The MCO has observed the pause; the nodes listed were already being updated. */
export const PauseConfirmed = eventOf(
  'poolkeeper.pool.confirmed.v1',
  z.object({ ...pool, generation: z.int(), missedNodes: z.array(z.string()) }),
);
/** `spec.paused` was cleared by Poolkeeper. */
export const PoolResumed = eventOf('poolkeeper.pool.resumed.v1', z.object({ ...pool, why: z.string() }));
/** A person resumed a pool that Poolkeeper had paused. */
export const OverrideSeen = eventOf('poolkeeper.pool.overridden.v1', z.object({ ...pool, by: z.string() }));
/** A pause that Poolkeeper did not set was found on a pool with a hold. */
export const ForeignPauseSeen = eventOf('poolkeeper.pool.foreign.v1', z.object({ ...pool, by: z.string() }));
/** A person opened the emergency lane of a pool, or moved its end: freezes, windows and the like no longer keep it. */
export const EmergencyOpened = eventOf(
  'poolkeeper.emergency.opened.v1',
  z.object({ ...pool, who: z.string(), why: z.string(), since: instant, until: instant }),
);
/** The emergency lane of a pool is closed again. */
export const EmergencyEnded = eventOf(
  'poolkeeper.emergency.ended.v1',
  z.object({ ...pool, who: z.string(), why: z.string(), since: instant }),
);
/** The verdict of the race of a sync hold. */
export const RaceDecided = eventOf(
  'poolkeeper.race.decided.v1',
  z.object({
    ...pool,
    hold: z.string(),
    verdict: z.enum(['early', 'in time', 'late', 'unprotected']),
    pushedAt: instant.optional(),
    pausedAt: instant.optional(),
    confirmedAt: instant.optional(),
    appliedAt: instant.optional(),
    firstTargetedAt: instant.optional(),
    missedNodes: z.array(z.string()),
  }),
);
/** A pool was re-rendered: its target config differs from the one its nodes run. With causes and effect. */
export const PoolRendered = eventOf(
  'poolkeeper.pool.rendered.v1',
  z.object({
    ...pool,
    from: z.string(),
    to: z.string(),
    /** `git`, `certificates`, `release-image` ..., and the origin. */
    causes: z.array(z.object({ kind: z.string(), why: z.string() })),
    /** The causes in words. */
    why: z.string(),
    /** Contents and effect in words; never file content. */
    content: z.string(),
    /** Left out if unknown. */
    class: z.enum(['none', 'reload', 'restart', 'drain', 'reboot']).optional(),
    /** Security topics of the change. */
    security: z.array(z.string()),
  }),
);
/** A decision to do nothing, with its reason. */
export const NothingDone = eventOf(
  'poolkeeper.decision.nothing.v1',
  z.object({ cluster: z.string(), about: z.string(), why: z.string() }),
);

/** A sync that the admission level had refused was retried, with its pools paused. */
export const SyncRestarted = eventOf(
  'poolkeeper.sync.restarted.v1',
  z.object({
    cluster: z.string(),
    argocd: z.string(),
    namespace: z.string(),
    name: z.string(),
    /** Pools because of which it had been refused. */
    pools: z.array(z.string()),
    /** When the refused operation began. */
    refusedAt: instant,
  }),
);

/** A push was relayed to an Argo CD. `in order`: after its pools were confirmed paused. `late`: the wait ended before
 *  that. `refused`: Argo CD did not accept it. */
export const PushRelayed = eventOf(
  'poolkeeper.push.relayed.v1',
  z.object({
    /** The cluster that the Argo CD runs in. */
    cluster: z.string(),
    argocd: z.string(),
    endpoint: z.enum(['applications', 'applicationsets']),
    delivery: z.string(),
    outcome: z.enum(['in order', 'late', 'refused']),
    waitedSeconds: z.number(),
    why: z.string(),
  }),
);

export type PushRelayed = z.infer<typeof PushRelayed>;

/** A node reached its target config, or in image mode its image. Steps, as far as observed: pickup, prepare, cordon,
 *  drain, stage, reboot, uncordon. */
export const NodeUpdated = eventOf(
  'poolkeeper.node.updated.v1',
  z.object({
    ...pool,
    node: z.string(),
    /** Rendered configs, in image mode with the digest of the image: `rendered-worker-<hash>@sha256:<64 digits>`. */
    from: z.string(),
    to: z.string(),
    begunAt: instant,
    endedAt: instant,
    /** Only for an update that no pass saw in progress: it happened after `after`, if that is known, and not after
     *  `endedAt`. `begunAt` is unknown then, and given as `endedAt`. */
    unseen: z.object({ after: instant.optional() }).optional(),
    /** Left out if not observed. */
    rebooted: z.boolean().optional(),
    steps: z.array(z.object({ name: z.string(), begunAt: instant.optional(), endedAt: instant.optional() })),
    /** The steps in words. */
    course: z.string(),
    /** Why its pool was re-rendered, in words: MachineConfig, Application and commit, or another origin. Empty:
     *  unknown. */
    causes: z.array(z.string()),
  }),
);
export type NodeUpdated = z.infer<typeof NodeUpdated>;

/** A node joined a paused pool, with this rendered config. */
export const NodeJoined = eventOf(
  'poolkeeper.node.joined.v1',
  z.object({ ...pool, node: z.string(), joinedAt: instant, config: z.string() }),
);

const incident = z.object({
  cluster: z.string(),
  pool: z.string(),
  kind: z.string(),
  number: z.int(),
  severity: z.string(),
  headline: z.string(),
  /** What happened, in words: acknowledged, another cause, a reminder. */
  news: z.string().optional(),
});
export const IncidentOpened = eventOf('poolkeeper.incident.opened.v1', incident);
export const IncidentUpdated = eventOf('poolkeeper.incident.updated.v1', incident);
export const IncidentResolved = eventOf('poolkeeper.incident.resolved.v1', incident);

export const PublishedEvent = z.discriminatedUnion('type', [
  PoolHeld,
  HoldReleased,
  PoolPaused,
  PauseConfirmed,
  PoolResumed,
  OverrideSeen,
  ForeignPauseSeen,
  EmergencyOpened,
  EmergencyEnded,
  RaceDecided,
  PoolRendered,
  NothingDone,
  SyncRestarted,
  PushRelayed,
  NodeUpdated,
  NodeJoined,
  IncidentOpened,
  IncidentUpdated,
  IncidentResolved,
]);
export type PublishedEvent = z.infer<typeof PublishedEvent>;

/** For send-alerts: bring the targets of this incident up to its current state. */
export const IncidentDue = eventOf(
  'poolkeeper.incident.due.v1',
  z.object({ cluster: z.string(), pool: z.string(), kind: z.string() }),
);
export type IncidentDue = z.infer<typeof IncidentDue>;
