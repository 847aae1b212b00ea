import type { Incident } from '../core/alerts/incident.ts';
import type { JointMessages } from '../core/alerts/joint.ts';
import type { Pace } from '../core/alerts/pace.ts';
import type { IgnoredAnnotation } from '../core/argocd/ignored-annotations.ts';
import type { KeptPlaces } from '../core/budget/kept-places.ts';
import type { Places } from '../core/budget/place.ts';
import type { TroubleKey } from '../core/findings/trouble.ts';
import type { Locks } from '../core/fleet-lock/locks.ts';
import type { Approval } from '../core/gates/approvals.ts';
import type { OwnPace } from '../core/impact/node-pace.ts';
import type { UnreadableObject } from '../core/judge/unreadable-objects.ts';
import type { PendingChange } from '../core/machine-config/pending-change.ts';
import type { ClusterRollouts } from '../core/node-rollouts/follow.ts';
import type { PoolMark } from '../core/node-rollouts/pool-mark.ts';
import type { FoundRollouts, RolloutQuery } from '../core/node-rollouts/rollout-query.ts';
import type { RuleCallback } from '../core/node-turns/rule-callback.ts';
import type { ShownRun } from '../core/node-turns/shown-run.ts';
import type { NodeRollout } from '../core/openshift/node-rollout.ts';
import type { OperatorParts } from '../core/openshift/operator-parts.ts';
import type { PausedPool } from '../core/openshift/paused-pool.ts';
import type { PoolRecord } from '../core/openshift/pool-record.ts';
import type { UnpausedSync } from '../core/openshift/unpaused-sync.ts';
import type { Race, RaceKey } from '../core/races/race.ts';
import type { Endpoint } from '../core/relay/endpoints.ts';
import type { PushOutcome } from '../core/relay/push-outcome.ts';
import type { AskedRequest } from '../core/requests/asked-request.ts';
import type { Route, SetRoute } from '../core/routing/route.ts';
import type { HeldApplication } from '../core/sequences/record.ts';
import type { ShownSequence } from '../core/sequences/shown-sequence.ts';
import type { AskedOfSequence } from '../core/sequences/steering.ts';
import type { ClusterView, TimelineEntry } from '../core/timeline/view.ts';
import type { KeptCalendar } from '../core/windows/kept-calendars.ts';

/** Accepted requests, so that a replayed one does nothing. */
export interface Replays {
  /** True once for each id within `keepSeconds`. Throws Transient. */
  isFirst(id: string, keepSeconds: number): Promise<boolean>;
}

/** What people have said about rendered configs. Losing one closes a gate, which is safe. */
export interface Approvals {
  /** Everything that is stored about the pool, for any rendered config. Throws Transient. */
  list(cluster: string, pool: string): Promise<readonly Approval[]>;
  /** One approval for each identity and rendered config; an older one never replaces a newer one. False: a newer one is
   *  stored. Throws Transient. */
  save(approval: Approval): Promise<boolean>;
}

/** The outcome of pushes in keep-pools, for the relay. */
export interface PushOutcomes {
  /** Undefined: no pass for this reception of the push has ended, or it is long ago. */
  load(reception: Pick<PushOutcome, 'delivery' | 'receivedAt'>): Promise<PushOutcome | undefined>;
  /** A complete one is never replaced by an incomplete one: passes for one push may overlap. */
  save(outcome: PushOutcome): Promise<void>;
}

/** Which pushes Argo CD has got from the relay. */
export interface RelayedPushes {
  /** When the delivery was received that this server of Argo CD has accepted; undefined: it has accepted none; empty:
   *  one, and an earlier version has not noted when. Throws Transient. */
  acceptedAsOf(to: {
    readonly delivery: string;
    readonly argocd: string;
    readonly endpoint: Endpoint;
  }): Promise<string | undefined>;
}

export interface Timeline {
  /** An entry with an existing id is ignored. */
  append(entries: readonly TimelineEntry[]): Promise<void>;
  /** Newest first. */
  latest(limit: number): Promise<readonly TimelineEntry[]>;
}

/** How fast each channel is written to, over all senders. Losing it costs an answer that asks to wait. */
export interface Paces {
  load(channel: string): Promise<Pace>;
  /** False if another sender was faster: load again. Throws Transient. */
  save(channel: string, pace: Pace): Promise<boolean>;
}

/** What each target was told together. Losing it splits a joint message: its incidents go on alone, in its thread. */
export interface JointMessageLists {
  load(target: string): Promise<JointMessages>;
  /** False if another sender was faster: load again. Throws Transient. */
  save(target: string, told: JointMessages): Promise<boolean>;
}

/** The budget's places, over all clusters. */
export interface BudgetPlaces {
  load(): Promise<Places>;
  /** False if another pass was faster: load again. */
  save(places: Places): Promise<boolean>;
}

/** The slots that machines outside OpenShift have taken. Losing them lets as many machines go once more. */
export interface FleetLocks {
  /** Throws Transient. */
  load(): Promise<Locks>;
  /** False if another machine was faster: load again. Throws Transient. */
  save(locks: Locks): Promise<boolean>;
}

/** Copies of calendars that are read by their addresses. Losing one closes a gate, which is safe. */
export interface KeptCalendars {
  /** Undefined: nothing is kept. Throws Transient. */
  load(id: string): Promise<KeptCalendar | undefined>;
  /** An older attempt never replaces a newer one. Throws Transient, also for a text that is too long to keep. */
  save(kept: KeptCalendar): Promise<void>;
}

export interface Races {
  /** The newest of the cluster and, however old, those that are named; newest first. */
  load(cluster: string, named?: readonly RaceKey[]): Promise<readonly Race[]>;
  /** Those that are named, and no others. */
  find(cluster: string, named: readonly RaceKey[]): Promise<readonly Race[]>;
  save(race: Race): Promise<void>;
}

export interface Views {
  save(view: ClusterView): Promise<void>;
  /** That of one cluster; undefined: none is stored. */
  load(cluster: string): Promise<ClusterView | undefined>;
  list(): Promise<readonly ClusterView[]>;
}

/** Sequences as the status page shows them. Losing one costs its sight until the next sweep. */
export interface SequenceViews {
  save(view: ShownSequence): Promise<void>;
  list(): Promise<readonly ShownSequence[]>;
}

/** Runs as the status page shows them. Losing one costs its sight until the next look. */
export interface RunViews {
  save(view: ShownRun): Promise<void>;
  list(): Promise<readonly ShownRun[]>;
}

/** Events of rules that are answered by a callback. Losing one costs its answer: the event is posted again. */
export interface RuleCallbacks {
  /** Nobody can guess it. */
  newToken(): string;
  /** Throws Transient. */
  load(id: string): Promise<RuleCallback | undefined>;
  /** False if another writer was faster. Throws Transient. */
  save(callback: RuleCallback): Promise<boolean>;
}

/** What people ask of sequences where no cluster is reached. Losing one costs the request. */
export interface SequenceRequests {
  /** The same request again changes nothing. Throws Transient. */
  save(asked: AskedOfSequence): Promise<void>;
  /** Those of the last day, in no order. Throws Transient. */
  list(sequence: string): Promise<readonly AskedOfSequence[]>;
}

/** What people ask by commands in Slack. Losing one costs the request. */
export interface AskedRequests {
  /** Undefined: there is none, or it is long ago. */
  load(id: string): Promise<AskedRequest | undefined>;
  /** Writes `version` + 1 if the stored version is still `version`, of which 0 means that none is stored; false
   *  otherwise. Throws Transient. */
  save(asked: AskedRequest): Promise<boolean>;
}

/** State of a cluster kept between passes. Losing it costs one sweep and may repeat published events. */
export interface Checkpoint {
  readonly cluster: string;
  /** Optimistic lock; 0: never stored. */
  readonly version: number;
  readonly sweptAt: string | undefined;
  readonly lastGoodReadAt: string | undefined;
  readonly misses: number;
  /** Since when each current condition has been observed, by `pool|kind|subject`: our own clock for what the cluster
   *  does not record. */
  readonly firstSeen: Readonly<Record<string, string>>;
  /** Record of each pool as last published: a pass that dies before publishing is made up for by the next. */
  readonly told: Readonly<Record<string, PoolRecord>>;
  /** Of holds for which `told` has no room, what was published, in short, by pool; absent: there was room for all. */
  readonly toldSteps?: Readonly<Record<string, string>> | undefined;
  /** Last published state of each incident, by key: `<number>/<seq of its last note>`. */
  readonly toldIncidents: Readonly<Record<string, string>>;
  /** MachineHealthChecks are paused by us; absent: unknown. */
  readonly healthChecksPaused?: boolean | undefined;
  /** AppProjects have guards of Applications of this cluster; absent: none, or unknown. */
  readonly guards?: boolean | undefined;
  /** What its guards carry, so that those of another cluster of its name are told from them; absent: no pass has looked
   *  at all of them. */
  readonly clusterId?: string | undefined;
  /** Every id that its guards may carry, the newest first, until a pass has found none of before; absent: `clusterId`
   *  alone. */
  readonly guardIds?: readonly string[] | undefined;
  /** When each delivery of a push was first received, newest last, at most 50: a redelivery is no new push, but the
   *  same commit pushed again is (a roll-back, or another branch). */
  readonly pushes: readonly {
    readonly revision: string;
    readonly at: string;
    /** The same for a redelivery. */
    readonly delivery?: string | undefined;
  }[];
  /** Syncs that may run without a pause; absent: none. */
  readonly spared?: readonly UnpausedSync[] | undefined;
  /** The change that is pending or rolling out, by pool; absent: none. */
  readonly pending?: Readonly<Record<string, PendingChange>> | undefined;
  /** Pools with updates in progress: their nodes are read once more when the pool is at rest again, to see how it
   *  ended. */
  readonly following?: readonly string[] | undefined;
  /** Objects that cannot be parsed; absent: none. */
  readonly unreadable?: readonly UnreadableObject[] | undefined;
  /** The last tick of the clock that could read the cluster. */
  readonly tickedAt?: string | undefined;
  /** Applications whose annotations name pools without effect, by the last complete list; absent: none. */
  readonly ignoredAnnotations?: readonly IgnoredAnnotation[] | undefined;
  /** The parts of the Machine Config Operator, as the last sweep found them; absent: never read, or there are none. */
  readonly operatorParts?: OperatorParts | undefined;
  /** Since when a sweep has been due, before the first complete one. */
  readonly sweepDueSince?: string | undefined;
  /** How each pool stood when everything known of its nodes was stored; absent: unknown. */
  readonly marks?: Readonly<Record<string, PoolMark>> | undefined;
  /** `lastGoodReadAt` of the pass that wrote the marks. Another one: an earlier version of Poolkeeper has passed since,
   *  which leaves them as they were. */
  readonly marksAt?: string | undefined;
  /** What this cluster has of the budget; absent: there is no budget, or it is not known. */
  readonly places?: KeptPlaces | undefined;
  /** The pace of each pool's own nodes, as of the last pass that read it; absent: not known of any. */
  readonly paces?: Readonly<Record<string, OwnPace>> | undefined;
  /** Sequences that are done, by name, with a fingerprint of their configuration; absent: none. */
  readonly sequencesDone?: Readonly<Record<string, string>> | undefined;
  /** Since when sequences could not be looked at, by name, and steps not be applied or held back, as
   *  `sequence/step`, of a bounded number; also records that were left when they were last looked at, as
   *  `left namespace/sequence`, and until when looks went by them, as `last namespace/sequence`. Absent: there are
   *  none. */
  readonly sequencesUnseen?: Readonly<Record<string, string>> | undefined;
  /** Since when runs could not be looked at, or a step of theirs not be done, by name; absent: there are none. */
  readonly runsUnseen?: Readonly<Record<string, string>> | undefined;
  /** Records of sequences that this installation keeps on the cluster, as `namespace/sequence`; absent: none. */
  readonly sequenceRecords?: readonly string[] | undefined;
  /** What those sequences hold back: if the cluster is lost, their records are, and the windows stand elsewhere.
   *  Absent: nothing. */
  readonly sequenceWindows?: readonly SequenceWindow[] | undefined;
  /** Races without a hold that are not judged yet, or were lost lately; absent: none. */
  readonly races?: readonly RaceKey[] | undefined;
  /** Races that are stored as they are, and of which that could not be published; absent: none. */
  readonly untoldRaces?: readonly RaceKey[] | undefined;
  /** Paused pools, by name. */
  readonly pauses?: Readonly<Record<string, PausedPool>> | undefined;
}

/** A window by which a sequence holds back an Application. */
export interface SequenceWindow extends HeldApplication {
  /** The record of the sequence, as `namespace/sequence`. */
  readonly of: string;
}

export interface Checkpoints {
  load(cluster: string): Promise<Checkpoint | undefined>;
  /** False if another pass was faster; the caller's state is then dropped. */
  save(memory: Checkpoint): Promise<boolean>;
}

/** Node rollouts. Losing them loses their history and the usual pace, never a decision. */
export interface NodeRollouts {
  load(cluster: string): Promise<ClusterRollouts | undefined>;
  /** Writes `version` + 1 if the stored version is still `version`; false if another pass was faster. */
  save(rollouts: ClusterRollouts): Promise<boolean>;
  /** Keeps ended rollouts for 90 days. An existing one is ignored. */
  keep(ended: readonly NodeRollout[]): Promise<void>;
  ended(query: RolloutQuery): Promise<FoundRollouts>;
}

/** What is stored of one Argo CD instance's Applications, so that a push is routed without listing them. Losing it
 *  costs one list. */
export interface StoredRoutes {
  readonly argocd: string;
  /** Optimistic lock; 0: never stored. */
  readonly version: number;
  /** ISO instant, not after the last list of all Applications began; empty: what is stored cannot be parsed. */
  readonly listedAt: string;
  /** The same arrays as long as nothing in them changed, so that an index of them can be reused. */
  readonly routes: readonly Route[];
  /** ApplicationSets that pushes may concern. */
  readonly sets: readonly SetRoute[];
  /** What the repositories that are followed are called now; absent: it was never asked. */
  readonly names?: readonly KnownName[] | undefined;
}

/** A repository that Applications follow, as `repositoryOf` has it. */
export interface KnownName {
  readonly name: string;
  /** What its Git host calls it; absent: the same, or unknown. */
  readonly now?: string | undefined;
  /** ISO instant. */
  readonly askedAt: string;
  /** Nobody answered the last question. Absent: it was answered. */
  readonly isUnanswered?: true | undefined;
  /** The Git host refused it, as names of strangers to a GitHub App. Absent: it did not, or nobody knows. */
  readonly isRefused?: true | undefined;
}

/** The routing table. A cache of the clusters' answers: if it has none, the Applications are listed. */
export interface Routes {
  /** Undefined if nothing is stored. */
  load(argocd: string): Promise<StoredRoutes | undefined>;
  /** What this process last loaded or saved, however old: good for prefetching, never for deciding. */
  last(argocd: string): StoredRoutes | undefined;
  /** Writes `version` + 1 if the stored version is still `version`; false if another pass was faster. */
  save(routes: StoredRoutes): Promise<boolean>;
}

export interface Incidents {
  load(cluster: string): Promise<readonly Incident[]>;
  loadOne(key: TroubleKey): Promise<Incident | undefined>;
  /** Writes `incident` with version + 1 if the stored version is still `incident.version`; false otherwise. */
  save(incident: Incident): Promise<boolean>;
  /** Next incident number, from an atomic counter. */
  nextNumber(): Promise<number>;
  /** Every stored incident except those closed without an alert, newest first. */
  list(): Promise<readonly Incident[]>;
}
