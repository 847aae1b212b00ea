import * as z from 'zod';
import type { ClusterRollouts } from '../../../core/node-rollouts/follow.ts';
import type { KnownNode } from '../../../core/node-rollouts/known-nodes.ts';
import type { Pace } from '../../../core/node-rollouts/pace.ts';
import { type NodeRollout, type RolloutEnd, type StepName, stepNames } from '../../../core/openshift/node-rollout.ts';
import type { CauseKind } from '../../../core/openshift/render-cause.ts';
import { maybe, maybeText } from './maybe.ts';

/** Complete by its type: a kind added in the core must be added here. */
const causeKinds = {
  git: 'git',
  'release-image': 'release-image',
  certificates: 'certificates',
  'pull-secret': 'pull-secret',
  proxy: 'proxy',
  template: 'template',
  'kubelet-config': 'kubelet-config',
  'container-runtime-config': 'container-runtime-config',
  registries: 'registries',
  'cluster-settings': 'cluster-settings',
  tuning: 'tuning',
  'another-operator': 'another-operator',
  unmanaged: 'unmanaged',
  membership: 'membership',
} as const satisfies { readonly [Kind in CauseKind]: Kind };

const ends = {
  done: 'done',
  redirected: 'redirected',
  gone: 'gone',
} as const satisfies { readonly [End in RolloutEnd]: End };

const StoredMoment = z.looseObject({ at: z.string(), told: z.boolean() });

const StoredTimes = z.looseObject({ begun: maybe(StoredMoment), ended: maybe(StoredMoment) });

const StepNameOf = z.enum(stepNames) satisfies z.ZodType<StepName>;

export const StoredCause = z.looseObject({
  kind: z.enum(causeKinds),
  sources: z.array(z.string()),
  why: z.string(),
  by: maybe(z.looseObject({ application: z.string(), revision: z.string(), oneOf: z.array(z.string()).optional() })),
});

export const StoredNodeRollout = z.looseObject({
  cluster: z.string(),
  pool: z.string(),
  node: z.string(),
  uid: z.string(),
  from: z.string(),
  to: z.string(),
  begun: StoredMoment,
  step: StepNameOf,
  steps: z.partialRecord(StepNameOf, StoredTimes),
  progressedAt: z.string(),
  boots: z.array(z.string()),
  ready: maybe(z.looseObject({ is: z.boolean(), since: maybeText })),
  machine: maybeText,
  causes: z.array(StoredCause),
  unseen: z.looseObject({ after: maybeText }).optional(),
  rebooted: maybe(z.boolean()),
  ended: maybe(z.looseObject({ how: z.enum(ends), at: StoredMoment })),
}) satisfies z.ZodType<NodeRollout>;

const seconds = z.array(z.number());

const StoredPace = z.looseObject({
  pickup: seconds,
  drain: seconds,
  stage: seconds,
  reboot: seconds,
  uncordon: seconds,
}) satisfies z.ZodType<Pace>;

const StoredKnownNode = z.looseObject({
  pool: z.string(),
  uid: z.string(),
  config: z.string(),
  boot: z.string().optional(),
}) satisfies z.ZodType<KnownNode>;

/** Packed: of a large cluster it would not fit otherwise. */
export const StoredKnowledge = z.looseObject({
  known: z.record(z.string(), StoredKnownNode).optional(),
  untold: z.array(StoredNodeRollout).optional(),
  reboots: z
    .array(
      z.looseObject({
        node: z.string(),
        to: z.string(),
        from: z.string(),
        until: maybeText,
        isObserved: z.boolean(),
      }),
    )
    .optional(),
}) satisfies z.ZodType<StoredKnowledge>;
export type StoredKnowledge = Pick<ClusterRollouts, 'known' | 'untold' | 'reboots'>;

export const StoredClusterRollouts = z.looseObject({
  cluster: z.string(),
  version: z.number(),
  open: z.array(StoredNodeRollout),
  paces: z.record(z.string(), StoredPace),
  /** StoredKnowledge as packed text. */
  knowledge: z.string().optional(),
}) satisfies z.ZodType<ClusterRollouts>;
