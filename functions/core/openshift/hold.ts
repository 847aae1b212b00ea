import * as z from 'zod';

/** The pool annotation with the record, written in the same patch as `spec.paused`. */
export const holdsAnnotation = 'poolkeeper.dev/holds';
/** The field manager of all our writes. */
export const fieldManager = 'poolkeeper';

/** ISO 8601 with an offset. */
export const instant = z.iso.datetime({ offset: true });

/** An object that a selective sync names; an empty namespace means any. */
const ObjectInApplication = z.object({
  group: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
});

/** One named reason why a pool must stay paused. */
export const Hold = z.object({
  /** `sync/<argocd>/<namespace>/<application>`, `manual/<who>`, `freeze/<scope>/<who>`, `rollout/<run>`: one hold per
   *  holder and pool. */
  id: z.string().min(1),
  kind: z.enum(['sync', 'manual', 'freeze', 'rollout']),
  /** The holder: `<namespace>/<application>`, or a person. */
  who: z.string(),
  /** Sync holds of Applications in Argo CD's own namespace only: their AppProject. Absent: they are of another
   *  namespace, it is not known, or a version placed the hold that did not note it. */
  project: z.string().optional(),
  /** The reason, for people. */
  why: z.string(),
  since: instant,
  /** Of people only: when they last asked for it, which may be before it was carried out. Absent: `since`, or a version
   *  placed it that did not note it. */
  askedAt: instant.optional(),
  /** When it expires: a hold that is older is released by policy or has an open incident. */
  until: instant,
  /** Sync holds only. `expected`: a sync is awaited; `syncing`: it runs; `failed`: it failed, and another is
   *  awaited. */
  phase: z.enum(['expected', 'syncing', 'failed']).optional(),
  /** Rollout holds only: the namespace of the run's record. Absent: a version placed it that kept the record in the
   *  namespace of the run. */
  recordIn: z.string().optional(),
  /** Rollout holds only: the pool that the nodes of a run in mode canary move to. Absent: it has none, or a version
   *  placed it that did not name it. */
  canary: z.string().optional(),
  /** With `canary`: the rendered config whose content all nodes of the pool have, while none has its turn. Absent: that
   *  is not so yet, or a version placed it that did not note it. */
  reached: z.string().optional(),
  /** UID of the Application. With `startedAt` it is the identity of the operation. */
  uid: z.string().optional(),
  /** `startedAt` of the operation last seen running or finished. */
  startedAt: instant.optional(),
  /** `startedAt` of a sync that was seen running while the Application deployed to another cluster: where it has
   *  written what, nobody knows. Absent: none was, or a version wrote it that did not note it. */
  ranElsewhere: instant.optional(),
  /** Its sync had failed before what it waits for now: one of a part alone that had not failed does not end that. */
  afterFailure: z.literal(true).optional(),
  /** Of a sync that failed, or had failed: the objects that such syncs were to write, and that none has written since.
   *  Absent: everything, or more objects than are kept, or a version noted the failure that kept none. */
  leftFailed: z.array(ObjectInApplication).optional(),
  /** When the push that caused this hold was received. */
  pushedAt: instant.optional(),
  /** When a hook Job of its sync resumed the pool: whoever resumes it again during this hold is a person. */
  resumedAt: instant.optional(),
  /** Somebody resumed the pool in spite of it: it does not pause the pool again. Gone as soon as it is held for
   *  something that this person did not decide about. */
  overruled: z
    .object({
      at: instant,
      by: z.string(),
      /** Of a run: the rendered config that the pool was resumed for. */
      target: z.string().optional(),
      /** It was no person, as far as its field manager tells. Absent: it was, or a version wrote it that did not
       *  ask. */
      byProgram: z.literal(true).optional(),
    })
    .optional(),
  /** Commit of the push (`after`). */
  revision: z.string().optional(),
  /** Commits that the Application was at, or was to be synced to, when the push came: a sync of these is not the
   *  awaited one. If `revision` is among them, it was there before, and only what happens after the push counts. */
  from: z.array(z.string()).optional(),
  /** Who pushed what it waits for, by their GitHub logins. Noted only where the pool excludes them from its
   *  approvals, or its approvers have logins there. */
  pushers: z.array(z.string()).optional(),
  /** What else it may be synced to and is of these pushers: the commit of an annotated tag; where its writer was pushed
   *  to, what it was at when that came, and the versions that its spec named. `*`: more than are kept. Noted with
   *  `pushers`, where there is any. */
  beside: z.array(z.string()).optional(),
  /** Commits that were synced meanwhile and that no push has brought so far: that of a push may be delivered after its
   *  sync has begun. Noted with `pushers`, where there are any. */
  unpushed: z.array(z.string()).optional(),
  /** No push caused it: Argo CD would sync the Application by itself, and its guard holds that back. */
  behindGuard: z.literal(true).optional(),
  /** A sync follows the push by itself though automated sync is off, or not on yet; absent: that is not known. */
  isFollowed: z.literal(true).optional(),
  /** What the push is expected to change, and by which rule, for people. */
  because: z.string().optional(),
  /** The push concerns another Application that writes this one's spec: its sync of `revision` is awaited first. */
  via: z
    .object({
      argocd: z.string(),
      namespace: z.string(),
      name: z.string(),
      revision: z.string().optional(),
      /** The commit before the push: a sync of it is not the awaited one. */
      before: z.string().optional(),
      /** Further commits of it that are not the awaited one, as those in `from` of the hold. */
      from: z.array(z.string()).optional(),
      /** It is an ApplicationSet: by this time it has processed the push. Or others claim to be the writer too: until
       *  then none of them is believed to be the last. */
      until: instant.optional(),
      /** Others claim to be the writer too, and Argo CD's own mark on the Application names this one: beyond `until`
       *  its sync is awaited. */
      marked: z.literal(true).optional(),
    })
    .optional(),
});
export type Hold = z.infer<typeof Hold>;

/** Instead of the commits in `from`: not all of them are remembered, so any commit but the awaited one may be one. */
export const everyCommit = '*';

/** Id of the hold that an Application has on each pool it affects. */
export function syncHoldId(application: {
  readonly argocd: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return namedSyncHoldId(application.argocd, `${application.namespace}/${application.name}`);
}

/** The same, of an Application as people are told of it: `<namespace>/<name>`. */
export function namedSyncHoldId(argocd: string, application: string): string {
  return `sync/${argocd}/${application}`;
}

/** The Application of a sync hold, from the hold's id; undefined for other kinds. */
export function applicationOfHold(
  id: string,
): { readonly argocd: string; readonly namespace: string; readonly name: string } | undefined {
  const [kind, argocd, namespace, name] = id.split('/');
  if (kind !== 'sync' || argocd === undefined || namespace === undefined || name === undefined) return undefined;
  return { argocd, namespace, name };
}

/** Whose a sync hold is: all of one namespace of one Argo CD are of one owner, and in Argo CD's own all of one
 *  AppProject, as far as that is known. */
export function ownerOfHold({ id, project = '' }: Pick<Hold, 'id' | 'project'>): string {
  return `${id.split('/').slice(0, 3).join('/')}/${project}`;
}

/** Id of the hold that a run has on its pools. */
export function rolloutHoldId(run: string): string {
  return `rollout/${run}`;
}

/** The run of a hold; undefined for other kinds. */
export function runOfHold(id: string): string | undefined {
  return id.startsWith('rollout/') ? id.slice('rollout/'.length) : undefined;
}
