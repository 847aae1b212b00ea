import * as z from 'zod';
import { eventOf } from './envelope.ts';
import { RequestAsked } from './request.ts';

const instant = z.iso.datetime({ offset: true });

/** What was received. These are hints: a pass reads the cluster and Argo CD before it relies on them. */

/** A Git push, from a verified GitHub delivery. Source: docs.github.com, push payload. */
export const PushSeen = eventOf(
  'poolkeeper.push.seen.v1',
  z.object({
    delivery: z.string(),
    receivedAt: instant,
    repository: z.object({ htmlUrl: z.string(), fullName: z.string(), defaultBranch: z.string() }),
    /** `refs/heads/...` or `refs/tags/...`. */
    ref: z.string(),
    before: z.string(),
    after: z.string(),
    /** Commit that an annotated tag names, of which `after` is the tag itself. Absent: `after` is the commit. */
    commit: z.string().optional(),
    created: z.boolean(),
    deleted: z.boolean(),
    forced: z.boolean(),
    pusher: z.string(),
    /** Union of added, modified and removed paths; `unknown` counts as a match. */
    files: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('known'), paths: z.array(z.string()) }),
      z.object({ kind: z.literal('unknown'), why: z.string() }),
    ]),
  }),
);
export type PushSeen = z.infer<typeof PushSeen>;

/** A pull request was opened, got commits or another base, or is ready for review, from a verified GitHub delivery. For
 *  preview-changes, which reads the pull request again. Source: docs.github.com, pull_request payload. */
export const PullSeen = eventOf(
  'poolkeeper.pull.seen.v1',
  z.object({
    delivery: z.string(),
    receivedAt: instant,
    repository: z.object({ htmlUrl: z.string(), fullName: z.string(), defaultBranch: z.string() }),
    number: z.int().min(1),
    action: z.string(),
    /** Head commit when this was sent. */
    head: z.string(),
    /** Target branch, without `refs/heads/`. */
    base: z.string(),
  }),
);
export type PullSeen = z.infer<typeof PullSeen>;

/** An Argo CD operation began, changed or ended, from a notification. */
export const OperationSeen = eventOf(
  'poolkeeper.operation.seen.v1',
  z.object({
    argocd: z.string(),
    namespace: z.string(),
    name: z.string(),
    phase: z.string(),
    startedAt: z.string(),
    receivedAt: instant,
  }),
);
export type OperationSeen = z.infer<typeof OperationSeen>;

/** Something in a cluster changed: a pool or a node, or an alert fired. */
export const ClusterSeen = eventOf(
  'poolkeeper.cluster.seen.v1',
  z.object({
    /** Name of the cluster; empty if the sender did not name it. */
    cluster: z.string(),
    /** Kind of the object, or `Alert`. */
    kind: z.string(),
    name: z.string(),
    what: z.string(),
    receivedAt: instant,
  }),
);
export type ClusterSeen = z.infer<typeof ClusterSeen>;

/** Run a pass over this cluster now. */
export const Tick = eventOf(
  'poolkeeper.tick.v1',
  z.object({ cluster: z.string(), why: z.enum(['clock', 'recheck', 'person']) }),
);
export type Tick = z.infer<typeof Tick>;

/** A person asks from a message that pools be frozen. */
export const FreezeAsked = eventOf(
  'poolkeeper.freeze.asked.v1',
  z.object({
    cluster: z.string().min(1),
    /** `*`: every pool of the cluster, those that appear later included. */
    pool: z.string().min(1),
    /** As shown to people. */
    who: z.string().min(1).max(150),
    why: z.string().max(300),
    askedAt: instant,
    until: instant,
  }),
);
export type FreezeAsked = z.infer<typeof FreezeAsked>;

/** Every event that keep-pools handles. */
export const WorkEvent = z.discriminatedUnion('type', [
  PushSeen,
  OperationSeen,
  ClusterSeen,
  Tick,
  FreezeAsked,
  RequestAsked,
]);
export type WorkEvent = z.infer<typeof WorkEvent>;
