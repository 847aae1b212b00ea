import type { AttentionAsked, IncidentDue, PullSeen, TellEvent, WebhookDue, WorkEvent } from '../events/index.ts';
import type { Incident, RemoteRef } from './core/alerts/incident.ts';
import type { OutgoingMessage } from './core/alerts/message/outgoing.ts';
import type { Application, ApplicationRef } from './core/application.ts';
import type { Answer, Question } from './core/diagnose/question.ts';
import type { SparedSync } from './core/harm/harm.ts';
import type { HealthCheck, HealthCheckAction, MachineLabels } from './core/health-checks.ts';
import type { PoolRecord } from './core/hold.ts';
import type { FilesRead } from './core/impact/changed-file.ts';
import type { PoolChooser } from './core/impact/pools-of-managed.ts';
import type { Node } from './core/node.ts';
import type { Pool } from './core/pool.ts';
import type { Race } from './core/race.ts';
import type { PushOutcome } from './core/relay/push-outcome.ts';
import type { MachineConfigContent } from './core/rendering/machine-config.ts';
import type { PendingChange } from './core/rendering/pending-change.ts';
import type { ClusterCircumstances, RenderSources } from './core/rendering/render-sources.ts';
import type { Route, SetRoute } from './core/routing/route.ts';
import type { LabelSelector } from './core/selector.ts';
import type { ClusterStories } from './core/story/follow.ts';
import type { NodeStory } from './core/story/node-story.ts';
import type { PausedPool } from './core/story/pauses.ts';
import type { StoryQuery } from './core/story/story-query.ts';
import type { TroubleKey } from './core/trouble.ts';
import type { ClusterView, TimelineEntry } from './core/view.ts';

export type { Answer, OutgoingMessage, Question };

/** The time, read once per record or pass. */
export type Clock = () => Date;
/** Waiting, injected so that tests never wait. Milliseconds. */
export type Sleep = (ms: number) => Promise<void>;

/** JSON log lines: static message, facts as fields, never bodies or secrets. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Figures for the dashboard and the alarms. Names stand in functions/shell/metric-names.ts. */
export interface Metrics {
  /** Adds 1, or `value`. */
  count(name: string, value?: number): void;
  milliseconds(name: string, value: number): void;
}

/** Live values of a secret, newest first: two during a rotation, else one. */
export interface Secrets {
  /** `fresh`: past the cache, because a value that it gave was just refused. */
  read(name: string, options?: { readonly fresh?: boolean }): Promise<readonly string[]>;
}

/** Keeps a new value of a secret that exists; the one before stays live for those who still have it. */
export interface SecretWriter {
  /** Throws Transient, whose words never hold the value. */
  write(name: string, value: string): Promise<void>;
}

/** The pools of one cluster. Every read throws Transient when it cannot be answered: cannot see is not fine. */
export interface Pools {
  listPools(): Promise<readonly Pool[]>;
  /** Undefined only when the API server says that it does not exist. */
  readPool(name: string): Promise<Pool | undefined>;
  /** One merge patch of `spec.paused` and the record, guarded by resourceVersion, as field manager `poolkeeper`.
   *  Returns the pool as the API server stored it. Throws Transient `conflict` on a lost race. */
  patchPool(pool: Pick<Pool, 'name' | 'resourceVersion'>, change: PoolChange): Promise<Pool>;
  /** Nodes the selector matches, from their metadata. */
  listNodes(selector: LabelSelector): Promise<readonly Node[]>;
  /** Metadata of MachineConfigs by name; names that do not exist are absent from the answer. Never their content. */
  readMachineConfigs(names: readonly string[]): Promise<readonly MachineConfigHead[]>;
  /** A Kubernetes event on the pool, so that the console shows what was done. Best effort: a failure is dropped. */
  announce(pool: Pick<Pool, 'name' | 'uid'>, happening: Happening): Promise<void>;
}

/** Undefined leaves the field as it is; a null record removes the annotation. */
export interface PoolChange {
  readonly paused?: boolean | undefined;
  readonly record?: PoolRecord | null | undefined;
}

export interface MachineConfigHead {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** ISO instant of the newest write to its spec that managedFields know; undefined when they were stripped. */
  readonly changedAt: string | undefined;
}

export interface Happening {
  /** CamelCase reason, e.g. `Paused`. */
  readonly reason: string;
  readonly message: string;
  readonly type: 'Normal' | 'Warning';
  readonly at: Date;
}

/** One Argo CD instance, read through the API server of the cluster it runs in. */
export interface ArgoCd {
  readonly name: string;
  listApplications(): Promise<readonly Application[]>;
  /** How many Applications a list would have, for next to nothing; undefined when it is not said. */
  countApplications(): Promise<number | undefined>;
  readApplication(ref: Pick<ApplicationRef, 'namespace' | 'name'>): Promise<Application | undefined>;
  /** Those that read Git, or ask a plugin. None where the kind is not served. Throws Transient, `forbidden` without the right to. */
  listApplicationSets(): Promise<readonly SetRoute[]>;
  /** Has Argo CD do again what the operation that began at `startedAt`, and has failed, was asked to do. `changed`: it is not the
   *  newest any more, or one is queued; nothing was written. Throws Transient, `forbidden` without the right to. */
  startAgain(ref: Pick<ApplicationRef, 'namespace' | 'name'>, startedAt: string): Promise<'started' | 'changed'>;
  /** Names of the nodes on which its application controller runs. */
  controllerNodes(): Promise<readonly string[]>;
}

/** The MachineHealthChecks of one cluster. Every call throws Transient, `forbidden` where the account has no right to it. */
export interface HealthChecks {
  listHealthChecks(): Promise<readonly HealthCheck[]>;
  /** Machines with their labels, from their metadata. */
  listMachines(): Promise<readonly MachineLabels[]>;
  /** One merge patch of our record and the pause, guarded by resourceVersion. Throws Transient `conflict` on a lost race. */
  patchHealthCheck(check: Pick<HealthCheck, 'name' | 'resourceVersion'>, action: HealthCheckAction): Promise<void>;
}

/** Demand-driven reads of a diagnosis: one bounded question, one answer. */
export interface Looker {
  /** GET of the Kubernetes API, at most 10 MiB. `absent` = 404, also of an API that is not served here; `failed` = not read. */
  look(question: Question): Promise<Answer>;
}

/** Work for keep-pools. At least once, in no order. */
export interface WorkQueue {
  send(event: WorkEvent, delaySeconds?: number): Promise<void>;
}

/** Work for send-alerts. At least once, in no order. */
export interface AlertQueue {
  send(event: IncidentDue, delaySeconds?: number): Promise<void>;
}

/** What people ask of incidents, for send-alerts. At least once, in no order. */
export interface AttentionQueue {
  send(event: AttentionAsked, delaySeconds?: number): Promise<void>;
}

/** Requests that were taken, so that one which is sent again by somebody else does nothing. */
export interface Replays {
  /** True once for each id within `keepSeconds`. Throws Transient. */
  isFirst(id: string, keepSeconds: number): Promise<boolean>;
}

/** Work for preview-changes. At least once, in no order. */
export interface PreviewQueue {
  send(event: PullSeen, delaySeconds?: number): Promise<void>;
}

/** Work for relay-pushes. At least once, in no order. */
export interface RelayQueue {
  send(event: WebhookDue, delaySeconds?: number): Promise<void>;
}

/** What pushes came to in keep-pools, for whoever waits for it. */
export interface PushOutcomes {
  /** Undefined: no pass over the push has ended, or it is long ago. */
  load(delivery: string): Promise<PushOutcome | undefined>;
  /** A complete one is never replaced by an incomplete one: passes over one push may overlap. */
  save(outcome: PushOutcome): Promise<void>;
}

/** What one cluster renders from, with its content, which may be secret and stays in memory. Every read throws Transient. */
export interface Renderings {
  /** MachineConfigs of these names, rendered ones as well; names that do not exist are absent from the answer. */
  readContents(names: readonly string[]): Promise<readonly MachineConfigContent[]>;
  /** What decides how much a difference hurts. */
  readCircumstances(): Promise<ClusterCircumstances>;
  /** What the objects of these kinds choose pools by. One that is not listed may choose any pool. */
  readChoosers(kinds: readonly string[]): Promise<readonly PoolChooser[]>;
  /** Throws Transient when the MachineConfigs cannot be read. */
  readRenderSources(pools: readonly Pick<Pool, 'name' | 'machineConfigSelector'>[]): Promise<RenderSources>;
}

/** What happened, for everybody who subscribes. */
export interface Bus {
  publish(events: readonly TellEvent[]): Promise<void>;
}

export interface Timeline {
  /** An entry whose id is already there is left as it is. */
  append(entries: readonly TimelineEntry[]): Promise<void>;
  /** Newest first. */
  latest(limit: number): Promise<readonly TimelineEntry[]>;
}

export interface Races {
  load(cluster: string): Promise<readonly Race[]>;
  save(race: Race): Promise<void>;
}

export interface Views {
  save(view: ClusterView): Promise<void>;
  list(): Promise<readonly ClusterView[]>;
}

/** What a pass remembers of its cluster between ticks. Losing it costs one sweep and may repeat told events. */
export interface ClusterMemory {
  readonly cluster: string;
  /** Optimistic lock; 0 = never stored. */
  readonly version: number;
  readonly sweptAt: string | undefined;
  readonly lastGoodReadAt: string | undefined;
  readonly misses: number;
  /** First evidence of what is wrong now, by `pool|kind|subject`: our own clock for causes the cluster keeps none for. */
  readonly firstSeen: Readonly<Record<string, string>>;
  /** Record of each pool as it was last told: a pass that dies before telling is made good by the next. */
  readonly told: Readonly<Record<string, PoolRecord>>;
  /** What was told of each incident: `<number>/<seq of its last note>` by key. */
  readonly toldIncidents: Readonly<Record<string, string>>;
  /** MachineHealthChecks are paused by us; absent: not known. */
  readonly healthChecksPaused?: boolean | undefined;
  /** When each delivery of a push was first heard of, newest last, at most 50: a redelivery is no new push, but the same commit
   *  pushed again is (a roll-back, or another branch that takes it over). */
  readonly pushes: readonly {
    readonly revision: string;
    readonly at: string;
    /** The same when it is delivered again. */
    readonly delivery?: string | undefined;
  }[];
  /** Syncs that may go ahead without a pause; absent: none. */
  readonly spared?: readonly SparedSync[] | undefined;
  /** What waits or rolls, by pool; absent: nothing does. */
  readonly pending?: Readonly<Record<string, PendingChange>> | undefined;
  /** Pools with updates under way: their nodes are read once more when the pool is at rest again, to see how it ended. */
  readonly following?: readonly string[] | undefined;
  /** Paused pools, by name. */
  readonly pauses?: Readonly<Record<string, PausedPool>> | undefined;
}

export interface Memories {
  load(cluster: string): Promise<ClusterMemory | undefined>;
  /** False when another pass was faster; the caller's figures are then dropped. */
  save(memory: ClusterMemory): Promise<boolean>;
}

/** What the MCO did with the nodes. Losing it loses the story so far and what the usual pace is, never a decision. */
export interface Stories {
  load(cluster: string): Promise<ClusterStories | undefined>;
  /** Writes `version` + 1 if the stored version is still `version`; false when another pass was faster. */
  save(stories: ClusterStories): Promise<boolean>;
  /** Keeps ended stories for 90 days. One that is kept already is left as it is. */
  keep(ended: readonly NodeStory[]): Promise<void>;
  /** Ended stories that fit, the last begun first. */
  ended(query: StoryQuery): Promise<readonly NodeStory[]>;
}

/** What is kept of one Argo CD instance's Applications, so that a push is routed without listing them. Losing it costs one list. */
export interface StoredRoutes {
  readonly argocd: string;
  /** Optimistic lock; 0 = never stored. */
  readonly version: number;
  /** ISO instant, not after the last list of all Applications began; empty: what is stored is not understood and tells nothing. */
  readonly listedAt: string;
  /** The same arrays as long as nothing in them changed: whoever builds an index of them may keep that. */
  readonly routes: readonly Route[];
  /** ApplicationSets that pushes may concern. */
  readonly sets: readonly SetRoute[];
}

/** The routing table. It is a memory of what the cluster said: wherever it cannot answer, the Applications are listed. */
export interface Routes {
  /** Undefined when nothing is stored. */
  load(argocd: string): Promise<StoredRoutes | undefined>;
  /** What this process loaded or saved last, however old it is: good for asking ahead of time, never for deciding. */
  last(argocd: string): StoredRoutes | undefined;
  /** Writes `version` + 1 if the stored version is still `version`; false when another pass was faster. */
  save(routes: StoredRoutes): Promise<boolean>;
}

export interface Incidents {
  load(cluster: string): Promise<readonly Incident[]>;
  loadOne(key: TroubleKey): Promise<Incident | undefined>;
  /** Writes `incident` with version + 1 if the stored version is still `incident.version`; false otherwise. */
  save(incident: Incident): Promise<boolean>;
  /** Next human number, from an atomic counter. */
  nextNumber(): Promise<number>;
  /** Every stored incident that is not quietly closed, newest first. */
  list(): Promise<readonly Incident[]>;
}

/** One way to reach people. Sending never throws for what the other side answers: the outcome says it. */
export interface Messenger {
  /** `sent` carries where the message stands. */
  post(message: OutgoingMessage): Promise<SendOutcome>;
  /** Brings the standing message up to date, silently. Repeating it is harmless. Targets that cannot edit answer `sent`. */
  edit(remote: RemoteRef, message: OutgoingMessage): Promise<SendOutcome>;
  /** Tells what happened: a reply in the thread of `remote`; mail answers under the same subject. */
  reply(remote: RemoteRef, message: OutgoingMessage): Promise<SendOutcome>;
  /** Looks for a message of ours whose outcome was unknown, in the thread of `thread` if it was a reply. `unable` = this
   *  target can never be read. Throws Transient when it cannot be read now: then nothing may be posted either. */
  find(deliveryId: string, since: Date, thread: RemoteRef | undefined): Promise<RemoteRef | 'absent' | 'unable'>;
  /** Tells one person in a channel something that nobody else sees. Best effort; absent: this target cannot. */
  whisper?(to: { readonly channel: string; readonly user: string }, text: string): Promise<void>;
}

export type SendOutcome =
  /** `repeatAfterSeconds`: the other side forgets it unless it is told again by then. */
  | { readonly kind: 'sent'; readonly remote: RemoteRef; readonly repeatAfterSeconds?: number | undefined }
  /** Nothing was sent; try again later. */
  | { readonly kind: 'not-sent'; readonly why: string; readonly retryAfterSeconds: number | undefined }
  /** The form was refused: try a simpler one. */
  | { readonly kind: 'invalid'; readonly why: string }
  /** The target refuses for good. */
  | { readonly kind: 'dead'; readonly why: string }
  /** The message to edit is gone: post anew. */
  | { readonly kind: 'gone'; readonly why: string }
  /** It may have been sent: read back before posting again. */
  | { readonly kind: 'unknown'; readonly why: string };

/** Files of the repositories that pushes and pull requests are about. Nothing of them is kept beyond the answer. */
export interface Repositories {
  /** The files that differ between two commits, at both. Never throws for what the host does not answer, refuses or takes too long over:
   *  what is missing is `unread`, and `incomplete` says why, so that unknown counts as a match. */
  readChange(question: ChangeQuestion): Promise<FilesRead>;
}

export interface ChangeQuestion {
  /** `owner/name`. */
  readonly fullName: string;
  /** Commit; forty zeros for a branch that is new. */
  readonly before: string;
  /** Commit; forty zeros for a branch that is deleted. */
  readonly after: string;
  /** What the push lists as changed, where it can be trusted to be whole; undefined: the two trees are compared. */
  readonly paths: readonly string[] | undefined;
  /** Source paths of the Applications in question: which tool is at work there is told even in a repository that is too large for one
   *  listing. Absent: such an answer is incomplete. */
  readonly folders?: readonly string[] | undefined;
}
