import * as z from 'zod';
import { PoolRecord } from '../../../core/openshift/pool-record.ts';
import { UnpausedSync } from '../../../core/openshift/unpaused-sync.ts';
import type { Checkpoint } from '../../../ports/tables.ts';
import { maybeText } from './maybe.ts';
import { StoredOperatorParts } from './operator-parts.ts';
import { StoredOwnPace } from './own-pace.ts';
import { StoredPendingChange } from './pending-change.ts';

const RaceKeys = z.array(z.looseObject({ pool: z.string(), hold: z.string(), since: z.string() }));

export const StoredCheckpoint = z.looseObject({
  cluster: z.string(),
  version: z.number(),
  sweptAt: maybeText,
  lastGoodReadAt: maybeText,
  misses: z.number(),
  // A field unknown to an earlier version is empty: losing it costs one sweep and may repeat published events.
  firstSeen: z.record(z.string(), z.string()).default({}),
  told: z.record(z.string(), PoolRecord).default({}),
  toldSteps: z.record(z.string(), z.string()).optional(),
  toldIncidents: z.record(z.string(), z.string()).default({}),
  healthChecksPaused: z.boolean().optional(),
  guards: z.boolean().optional(),
  clusterId: z.string().optional(),
  guardIds: z.array(z.string()).optional(),
  pushes: z.array(z.looseObject({ revision: z.string(), at: z.string(), delivery: z.string().optional() })).default([]),
  spared: z.array(UnpausedSync).optional(),
  pending: z.record(z.string(), StoredPendingChange).optional(),
  following: z.array(z.string()).optional(),
  unreadable: z
    .array(
      z.looseObject({
        kind: z.string(),
        argocd: z.string().optional(),
        namespace: z.string(),
        name: z.string(),
        why: z.string(),
        since: z.string(),
      }),
    )
    .optional(),
  ignoredAnnotations: z.array(z.looseObject({ application: z.string(), why: z.string() })).optional(),
  operatorParts: StoredOperatorParts.optional(),
  tickedAt: maybeText,
  sweepDueSince: maybeText,
  marksAt: z.string().optional(),
  places: z
    .looseObject({
      pools: z.array(z.string()),
      sizes: z.record(z.string(), z.number()).optional(),
      nodes: z.number(),
      renewAt: z.string(),
    })
    .optional(),
  marks: z
    .record(
      z.string(),
      z.looseObject({
        config: z.string(),
        updated: z.number(),
        machines: z.number(),
        isAtRest: z.boolean(),
        at: z.string(),
      }),
    )
    .optional(),
  paces: z.record(z.string(), StoredOwnPace).optional(),
  sequencesDone: z.record(z.string(), z.string()).optional(),
  sequencesUnseen: z.record(z.string(), z.string()).optional(),
  runsUnseen: z.record(z.string(), z.string()).optional(),
  sequenceRecords: z.array(z.string()).optional(),
  sequenceWindows: z
    .array(
      z.looseObject({
        of: z.string(),
        cluster: z.string(),
        namespace: z.string(),
        project: z.string(),
        application: z.string(),
      }),
    )
    .optional(),
  races: RaceKeys.optional(),
  untoldRaces: RaceKeys.optional(),
  pauses: z
    .record(
      z.string(),
      z.looseObject({
        machines: z.number(),
        joined: z.array(z.looseObject({ name: z.string(), at: z.string(), config: z.string() })),
      }),
    )
    .optional(),
}) satisfies z.ZodType<Checkpoint>;
