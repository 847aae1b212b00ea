import type { Incident } from '../core/alerts/incident.ts';
import type { TroubleKey } from '../core/findings/trouble.ts';
import type { PendingChange } from '../core/machine-config/pending-change.ts';
import type { ClusterRollouts } from '../core/node-rollouts/follow.ts';
import type { RolloutQuery } from '../core/node-rollouts/rollout-query.ts';
import type { NodeRollout } from '../core/openshift/node-rollout.ts';
import type { PausedPool } from '../core/openshift/paused-pool.ts';
import type { PoolRecord } from '../core/openshift/pool-record.ts';
import type { UnpausedSync } from '../core/openshift/unpaused-sync.ts';
import type { Race } from '../core/races/race.ts';
import type { PushOutcome } from '../core/relay/push-outcome.ts';
import type { Route, SetRoute } from '../core/routing/route.ts';
import type { ClusterView, TimelineEntry } from '../core/timeline/view.ts';

/** Requests that were taken, so that one which is sent again by somebody else does nothing. */
export interface Replays {
  /** True once for each id within `keepSeconds`. Throws Transient. */
  isFirst(id: string, keepSeconds: number): Promise<boolean>;
}

/** What pushes came to in keep-pools, for whoever waits for it. */
export interface PushOutcomes {
  /** Undefined: no pass over the push has ended, or it is long ago. */
  load(delivery: string): Promise<PushOutcome | undefined>;
  /** A complete one is never replaced by an incomplete one: passes over one push may overlap. */
  save(outcome: PushOutcome): Promise<void>;
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
export interface Checkpoint {
  readonly cluster: string;
  /** Optimistic lock; 0 = never stored. */
  readonly version: number;
  readonly sweptAt: string | undefined;
  readonly lastGoodReadAt: string | undefined;
  readonly misses: number;
  /** First evidence of what is wrong now, by `pool|kind|subject`: our own clock for causes the cluster keeps none
   *  for. */
  readonly firstSeen: Readonly<Record<string, string>>;
  /** Record of each pool as it was last told: a pass that dies before telling is made good by the next. */
  readonly told: Readonly<Record<string, PoolRecord>>;
  /** What was told of each incident: `<number>/<seq of its last note>` by key. */
  readonly toldIncidents: Readonly<Record<string, string>>;
  /** MachineHealthChecks are paused by us; absent: not known. */
  readonly healthChecksPaused?: boolean | undefined;
  /** When each delivery of a push was first heard of, newest last, at most 50: a redelivery is no new push, but the
   *  same commit pushed again is (a roll-back, or another branch that takes it over). */
  readonly pushes: readonly {
    readonly revision: string;
    readonly at: string;
    /** The same when it is delivered again. */
    readonly delivery?: string | undefined;
  }[];
  /** Syncs that may go ahead without a pause; absent: none. */
  readonly spared?: readonly UnpausedSync[] | undefined;
  /** What waits or rolls, by pool; absent: nothing does. */
  readonly pending?: Readonly<Record<string, PendingChange>> | undefined;
  /** Pools with updates under way: their nodes are read once more when the pool is at rest again, to see how it
   *  ended. */
  readonly following?: readonly string[] | undefined;
  /** Paused pools, by name. */
  readonly pauses?: Readonly<Record<string, PausedPool>> | undefined;
}

export interface Checkpoints {
  load(cluster: string): Promise<Checkpoint | undefined>;
  /** False when another pass was faster; the caller's figures are then dropped. */
  save(memory: Checkpoint): Promise<boolean>;
}

/** What the MCO did with the nodes. Losing it loses the story so far and what the usual pace is, never a decision. */
export interface NodeRollouts {
  load(cluster: string): Promise<ClusterRollouts | undefined>;
  /** Writes `version` + 1 if the stored version is still `version`; false when another pass was faster. */
  save(rollouts: ClusterRollouts): Promise<boolean>;
  /** Keeps ended stories for 90 days. One that is kept already is left as it is. */
  keep(ended: readonly NodeRollout[]): Promise<void>;
  /** Ended stories that fit, the last begun first. */
  ended(query: RolloutQuery): Promise<readonly NodeRollout[]>;
}

/** What is kept of one Argo CD instance's Applications, so that a push is routed without listing them. Losing it
 *  costs one list. */
export interface StoredRoutes {
  readonly argocd: string;
  /** Optimistic lock; 0 = never stored. */
  readonly version: number;
  /** ISO instant, not after the last list of all Applications began; empty: what is stored is not understood and
   *  tells nothing. */
  readonly listedAt: string;
  /** The same arrays as long as nothing in them changed: whoever builds an index of them may keep that. */
  readonly routes: readonly Route[];
  /** ApplicationSets that pushes may concern. */
  readonly sets: readonly SetRoute[];
}

/** The routing table. It is a memory of what the cluster said: wherever it cannot answer, the Applications are
 *  listed. */
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
