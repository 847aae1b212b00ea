/** What can be wrong with a pool or a cluster; part of an incident's key, and therefore stored. */
export type TroubleKind =
  | 'drain-blocked'
  | 'node-degraded'
  | 'node-lost'
  | 'no-progress'
  | 'render-failed'
  | 'build-failed'
  | 'paused-too-long'
  | 'sync-stuck'
  | 'run-failed'
  | 'late-pause'
  | 'approval-needed'
  | 'break-glass'
  | 'emergency'
  | 'sequence-stuck'
  | 'guard-stuck'
  | 'lock-overdue'
  | 'run-blocked'
  | 'run-under-way'
  | 'watcher-blind'
  | 'sweep-overdue'
  | 'objects-unreadable'
  | 'notify-failing';

export type Severity = 'critical' | 'high' | 'warning' | 'info';

/** `structural` never heals by waiting: an alert is sent at once. */
export type TroubleClass = 'structural' | 'self-healing' | 'external' | 'unknown';

/** Key of an incident: never derived from message text, counts, node lists or pod hashes. */
export interface TroubleKey {
  readonly cluster: string;
  /** Pool name; `*` for what concerns the whole cluster. */
  readonly pool: string;
  readonly kind: TroubleKind;
}

/** Something that is wrong now, as judged in one pass. */
export interface Trouble {
  readonly key: TroubleKey;
  readonly severity: Severity;
  readonly class: TroubleClass;
  /** The first 60 characters say what and where, without cluster and pool: `drain of worker-2 blocked by PDB
   *  shop/web`. */
  readonly headline: string;
  /** ISO instant of the first evidence. */
  readonly since: string;
  /** Worst first, each with its chain of causes, evidence and remedies. May be empty while nothing is known. */
  readonly findings: readonly Finding[];
  /** Short facts for the message: `Node`, `From`, `To`, `Old config still serving` ... at most six. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** Sorted identity of the causes (node, code, blocker, severity): a thread reply is sent when it changes. */
  readonly digest: string;
  /** Name of the rendered config that people are asked to approve; absent: they are not. */
  readonly asksApproval?: string | undefined;
  /** What people did, of which each is news to everybody: a lane, an exemption. Texts that tell one from another, in
   *  the order of the findings, which may be fewer; absent: it is about no such thing. */
  readonly acts?: readonly string[] | undefined;
  /** People in Slack who pushed what it is about, by the ids that the configuration has for them; absent: nobody is
   *  known. */
  readonly mentions?: readonly string[] | undefined;
  /** Sequences among what it is about that somebody has paused; absent: none. */
  readonly paused?: readonly PausedSequence[] | undefined;
  /** The syncs that it is about, so that their end is known again; absent: none, or too many. */
  readonly syncs?: readonly SyncRef[] | undefined;
}

/** A sequence that somebody has paused: to go on would end that, too. */
export interface PausedSequence {
  readonly sequence: string;
  /** As they call themselves. */
  readonly who: string;
}

/** One operation of one Application. */
export interface SyncRef {
  /** Id of its sync hold, which names the Application and its Argo CD. */
  readonly hold: string;
  readonly uid?: string | undefined;
  readonly startedAt?: string | undefined;
}

export type Confidence = 'certain' | 'strong' | 'likely' | 'possible';

/** One diagnosed fact about a pool or node. */
export interface Finding {
  /** Catalogue code: `P1`, `self-deadlock`, `N1`, `S2`, `R3` ... */
  readonly code: string;
  readonly subject: ObjectRef;
  /** One sentence for people. */
  readonly sentence: string;
  readonly confidence: Confidence;
  readonly class: TroubleClass;
  readonly evidence: readonly Evidence[];
  /** Its causes; the deepest one is the root cause. */
  readonly because: readonly Finding[];
  readonly remedies: readonly Remedy[];
}

export interface ObjectRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Of an object of Argo CD: its instance, where more than one deploys to the cluster. */
  readonly argocd?: string | undefined;
  /** Of an Application in Argo CD's own namespace: its AppProject, by which it is somebody's. Absent: it is of another
   *  namespace, or that is not known. */
  readonly project?: string | undefined;
}

export interface Evidence {
  readonly ref: ObjectRef;
  /** JSON path inside the object, e.g. `status.disruptionsAllowed`. */
  readonly path: string;
  readonly value: string;
  /** ISO instant at which it was read. */
  readonly readAt: string;
}

/** Printed, never performed. */
export interface Remedy {
  readonly title: string;
  readonly command: string | undefined;
  readonly risk: 'none' | 'low' | 'outage' | 'data-loss';
  /** Command that undoes it. */
  readonly undo: string | undefined;
  readonly who: 'platform' | 'application owner' | 'storage' | 'vendor';
}

export function keyText(key: TroubleKey): string {
  return `v1|${key.cluster}|${key.pool}|${key.kind}`;
}

export function refText(ref: ObjectRef): string {
  const name = ref.namespace === '' ? `${ref.kind} ${ref.name}` : `${ref.kind} ${ref.namespace}/${ref.name}`;
  return ref.argocd === undefined ? name : `${name} of Argo CD ${ref.argocd}`;
}

/** Each object once, in the order in which they are first named. */
export function distinctRefs(refs: readonly ObjectRef[]): readonly ObjectRef[] {
  return [...new Map(refs.map((ref) => [refText(ref), ref])).values()];
}
