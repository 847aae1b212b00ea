import * as z from 'zod';

/** The pool annotation that carries the record, in the same patch as `spec.paused`. */
export const holdsAnnotation = 'poolkeeper.dev/holds';
/** The field manager under which every write of ours is made. */
export const fieldManager = 'poolkeeper';

const instant = z.iso.datetime({ offset: true });

/** One named reason why a pool must stay paused. */
export const Hold = z.object({
  /** `sync/<argocd>/<namespace>/<application>`, `manual/<who>`, `rollout/<run>`: one hold per holder and pool. */
  id: z.string().min(1),
  kind: z.enum(['sync', 'manual', 'rollout']),
  /** Who holds: `<namespace>/<application>` or a person. */
  who: z.string(),
  /** Why, in words for people. */
  why: z.string(),
  since: instant,
  /** Every hold ends: past this time it is released by policy or has an open incident. */
  until: instant,
  /** Sync holds only: what is waited for. */
  phase: z.enum(['expected', 'syncing', 'failed']).optional(),
  /** UID of the Application. With `startedAt` it is the identity of the operation. */
  uid: z.string().optional(),
  /** `startedAt` of the operation last seen running or finished. */
  startedAt: instant.optional(),
  /** When the push that asked for this hold was received. */
  pushedAt: instant.optional(),
  /** Commit the push brought (`after`). */
  revision: z.string().optional(),
  /** Commits that the Application stood on, or was to be synced to, when the push came: a sync of these does not answer it. */
  from: z.array(z.string()).optional(),
  /** What is expected of the push, and by which rule, in words for people. */
  because: z.string().optional(),
  /** The push concerns another Application that writes this one's spec: that one's sync of `revision` is waited for first. */
  via: z
    .object({
      argocd: z.string(),
      namespace: z.string(),
      name: z.string(),
      revision: z.string().optional(),
      /** The commit that stood there before: a sync of it does not answer the push. */
      before: z.string().optional(),
      /** It is an ApplicationSet: by this time it has looked at what was pushed. */
      until: instant.optional(),
    })
    .optional(),
});
export type Hold = z.infer<typeof Hold>;

/** What the syncs that let go of a pool leave behind for its gates: which MachineConfigs one rollout must cover. */
export const Release = z.object({
  since: instant,
  /** When the newest of the operations ended, never later than it was seen. The render settles after this. */
  finishedAt: instant,
  /** MachineConfigs that the operations applied; the pool's rendered config must list those it selects. */
  machineConfigs: z.array(z.string()),
  why: z.string(),
});
export type Release = z.infer<typeof Release>;

/** What is written in the annotation. There is no second copy: losing every table loses no hold. */
export const PoolRecord = z.object({
  v: z.literal(1),
  /** Whose pause it is. `ours`: Poolkeeper set it and may clear it. `foreign`: found in place, never cleared by us.
   *  `overridden`: a person resumed a pool that we had paused. Absent: nothing is claimed. */
  pause: z.enum(['ours', 'foreign', 'overridden']).optional(),
  /** Since when Poolkeeper has paused the pool. */
  pausedSince: instant.optional(),
  /** When Poolkeeper resumed it last, if the pool was still degraded by that rollout when it was paused again. */
  resumedAt: instant.optional(),
  holds: z.array(Hold),
  release: Release.optional(),
  /** Last thing done to the pool, so that `oc describe mcp` and the teller of events know it without a table. */
  last: z
    .object({
      did: z.enum(['paused', 'resumed', 'overridden', 'left']),
      at: instant,
      why: z.string(),
      by: z.string().optional(),
    })
    .optional(),
});
export type PoolRecord = z.infer<typeof PoolRecord>;

export const emptyRecord: PoolRecord = { v: 1, holds: [] };

/** What the annotation says: nothing, a record, or something that a newer or foreign writer left. */
export type RecordRead =
  | { readonly kind: 'none' }
  | { readonly kind: 'record'; readonly record: PoolRecord }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Reads the annotation. An unreadable one is never overwritten: the pool is then left alone and told. */
export function readRecord(text: string | undefined): RecordRead {
  if (text === undefined || text === '') return { kind: 'none' };
  const parsed = PoolRecord.safeParse(parseJson(text));
  if (parsed.success) return { kind: 'record', record: parsed.data };
  return { kind: 'unreadable', why: `annotation ${holdsAnnotation}: ${z.prettifyError(parsed.error)}` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The id of the hold that an Application keeps on each pool it touches. */
export function syncHoldId(application: {
  readonly argocd: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return `sync/${application.argocd}/${application.namespace}/${application.name}`;
}

/** The Application a sync hold belongs to, from the hold's id; undefined for other kinds. */
export function applicationOfHold(
  id: string,
): { readonly argocd: string; readonly namespace: string; readonly name: string } | undefined {
  const [kind, argocd, namespace, name] = id.split('/');
  if (kind !== 'sync' || argocd === undefined || namespace === undefined || name === undefined) return undefined;
  return { argocd, namespace, name };
}

/** The record's last deed, when there is a readable record. */
export function readRecordLast(read: RecordRead): PoolRecord['last'] {
  return read.kind === 'record' ? read.record.last : undefined;
}
