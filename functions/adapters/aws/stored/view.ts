import * as z from 'zod';
import type { ClusterView, TimelineEntry } from '../../../core/timeline/view.ts';
import { maybe, maybeText } from './maybe.ts';
import { StoredOperatorParts } from './operator-parts.ts';
import { StoredOwnPace } from './own-pace.ts';
import { StoredPendingChange } from './pending-change.ts';
import { StoredRace } from './race.ts';

const StoredTimeoutAction = z.enum(['wait', 'alert', 'resume', 'drop']);

const StoredHoldView = z.looseObject({
  id: z.string(),
  kind: z.string(),
  who: z.string(),
  project: z.string().optional(),
  why: z.string(),
  phase: z.string(),
  since: z.string(),
  until: z.string(),
  timeout: z.looseObject({ at: z.string(), action: StoredTimeoutAction }).optional(),
  canary: z.string().optional(),
  passed: z.literal(true).optional(),
  overruled: z.looseObject({ at: z.string(), by: z.string() }).optional(),
  more: z.number().optional(),
});

/** Absent from views of earlier versions, which the next pass replaces. */
const writtenBefore = z.string().default('unknown');

const StoredGateView = z.looseObject({
  gate: z.string(),
  why: z.string(),
  value: writtenBefore,
  threshold: writtenBefore,
  since: maybeText,
  opens: z.string(),
  who: writtenBefore,
  how: maybeText,
  opensAt: maybeText,
  approves: maybeText,
  excludes: z.array(z.string()).optional(),
  timeout: z.looseObject({ at: z.string(), action: StoredTimeoutAction }).optional(),
  unread: z.literal(true).optional(),
  isUnseen: z.literal(true).optional(),
});

const StoredNodeView = z.looseObject({
  name: z.string(),
  from: z.string(),
  to: z.string(),
  begunAt: z.string(),
  step: z.string(),
  stepSince: z.string(),
  failing: z.boolean(),
  waitsFor: z.string(),
  steps: z.array(z.looseObject({ name: z.string(), begunAt: maybeText, endedAt: maybeText })),
});

const StoredPoolView = z.looseObject({
  name: z.string(),
  createdAt: z.string().optional(),
  managed: z.boolean(),
  protection: z.string(),
  paused: z.boolean(),
  pauseOf: z.string(),
  pausedSince: maybeText,
  pausedBy: z.string(),
  inGit: z.looseObject({ place: z.string() }).optional(),
  keptPaused: z.string().optional(),
  confirmed: z.boolean(),
  currentConfig: z.string(),
  targetConfig: z.string(),
  pending: z.boolean(),
  pendingSources: z.looseObject({ added: z.array(z.string()), removed: z.array(z.string()) }).optional(),
  pendingImage: z.string().optional(),
  change: StoredPendingChange.optional(),
  pendingSince: z.string().optional(),
  certificatesExpire: z.string().optional(),
  spared: z
    .array(z.looseObject({ hold: z.string(), revision: z.string(), why: z.string(), at: z.string() }))
    .optional(),
  updated: z.boolean(),
  updating: z.boolean(),
  degraded: z.boolean(),
  counts: z.looseObject({
    machines: z.number(),
    updated: z.number(),
    ready: z.number(),
    unavailable: z.number(),
    degraded: z.number(),
  }),
  message: z.string(),
  holds: z.array(StoredHoldView),
  emergency: maybe(z.looseObject({ who: z.string(), why: z.string(), since: z.string(), until: z.string() })),
  closedGates: z.array(StoredGateView),
  gatesAhead: z.array(StoredGateView).optional(),
  races: z.array(StoredRace),
  lostRaces: z
    .array(z.looseObject({ verdict: z.enum(['late', 'unprotected']), count: z.number(), lastAt: z.string() }))
    .optional(),
  nodes: z.array(StoredNodeView).optional(),
  minutesLeft: z.number().optional(),
  pace: StoredOwnPace.optional(),
  takes: z.string().optional(),
  joined: z.array(z.looseObject({ name: z.string(), at: z.string(), config: z.string() })).optional(),
  inShort: z.literal(true).optional(),
});

export const StoredView = z.looseObject({
  cluster: z.string(),
  readAt: z.string(),
  blind: maybe(z.looseObject({ why: z.string(), since: z.string(), misses: z.number() })),
  pools: z.array(StoredPoolView),
  poolsLeftOut: z.looseObject({ all: z.number(), paused: z.number(), degraded: z.number() }).optional(),
  unreadablePools: z
    .array(
      z.looseObject({
        name: z.string(),
        since: z.string().optional(),
        wasOurs: z.literal(true).optional(),
      }),
    )
    .optional(),
  guards: z
    .array(
      z.looseObject({
        about: z.string(),
        why: z.string(),
        how: z.string().optional(),
        pools: z.array(z.string()).optional(),
        since: z.string().optional(),
        isTurn: z.boolean().optional(),
        isTurnUnread: z.boolean().optional(),
        elsewhere: z.string().optional(),
        until: z.string().optional(),
      }),
    )
    .optional(),
  ignoredAnnotations: z.array(z.looseObject({ application: z.string(), why: z.string() })).optional(),
  operatorParts: StoredOperatorParts.optional(),
}) satisfies z.ZodType<ClusterView>;

export const StoredTimelineEntry = z.looseObject({
  id: z.string(),
  at: z.string(),
  cluster: z.string(),
  pool: z.string(),
  type: z.string(),
  text: z.string(),
  correlation: z.string(),
}) satisfies z.ZodType<TimelineEntry>;
