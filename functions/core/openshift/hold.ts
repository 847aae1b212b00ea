import * as z from 'zod';

/** The pool annotation that carries the record, in the same patch as `spec.paused`. */
export const holdsAnnotation = 'poolkeeper.dev/holds';
/** The field manager under which every write of ours is made. */
export const fieldManager = 'poolkeeper';

/** ISO 8601 with an offset. */
export const instant = z.iso.datetime({ offset: true });

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
  /** Commits that the Application stood on, or was to be synced to, when the push came: a sync of these does not
   *  answer it. */
  from: z.array(z.string()).optional(),
  /** What is expected of the push, and by which rule, in words for people. */
  because: z.string().optional(),
  /** The push concerns another Application that writes this one's spec: that one's sync of `revision` is waited for
   *  first. */
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
