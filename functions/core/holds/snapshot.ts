import type { ObservedApplication } from '../argocd/application.ts';
import type { ClusterSettings } from '../configuration/cluster.ts';
import type { Evidence } from '../gates/evidence.ts';
import type { CanaryInUse } from '../node-turns/canary-in-use.ts';
import type { NodesLetGo } from '../node-turns/nodes-let-go.ts';
import type { PoolRollout } from '../node-turns/pool-rollouts.ts';
import type { Pool } from '../openshift/pool.ts';
import type { LabelledMachineConfig, PoolChooser, UnreadMachineConfigs } from '../openshift/pool-chooser.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import type { PoolStep } from '../sequences/pool-steps.ts';
import type { Observed } from '../text/observed.ts';
import type { ExpectedApplication } from './new-applications/expected-application.ts';
import type { PushNews } from './push-news.ts';
import type { DisruptionForecast } from './skip-harmless/disruption-forecast.ts';

/** What one pass has observed of one cluster. Applications that were not read keep their holds. */
export interface Snapshot {
  readonly settings: ClusterSettings;
  readonly pools: readonly Pool[];
  /** Names of pools that are there and cannot be parsed; absent: none. */
  readonly unreadablePools?: readonly string[] | undefined;
  readonly applications: readonly ObservedApplication[];
  /** The push that this pass handles, and what it changes, by sync hold id of the Applications it concerns. */
  readonly pushes: PushNews['pushes'];
  readonly changes: PushNews['changes'];
  /** Who pushed it, by the login at GitHub; absent: this pass handles no push. */
  readonly pusher?: string | undefined;
  /** Applications that the push will create here. */
  readonly expected: readonly ExpectedApplication[];
  /** Parent Applications that holds are due to, on any cluster. */
  readonly parents: readonly ObservedApplication[];
  /** A freeze that a person asks for with this pass; absent: none. */
  readonly freeze?: AskedFreeze | undefined;
  readonly machineConfigs: readonly LabelledMachineConfig[];
  /** Absent: all were read that were asked for. */
  readonly unreadMachineConfigs?: UnreadMachineConfigs | undefined;
  /** How objects that Applications manage select pools. */
  readonly choosers: Observed<readonly PoolChooser[]>;
  /** For pools with `pauseFor: disruptive`. */
  readonly disruption: DisruptionForecast;
  /** Records of the pools as last published: what Poolkeeper did, whatever the pools say now. */
  readonly published: Readonly<Record<string, PoolRecord>>;
  /** How pools stood at the last pass that read them, those that cannot be parsed now, too; absent: not known. */
  readonly marks?: Readonly<Record<string, { readonly isAtRest: boolean; readonly at: string }>> | undefined;
  /** They could not be read, and `published` is empty for that. Absent: they were. */
  readonly isPublishedUnread?: boolean;
  /** Ids that the guards of the cluster may carry, as earlier passes have stored them; absent: none. */
  readonly guardIds?: readonly string[] | undefined;
  /** The steps of sequences that pools are, by pool; absent: none. */
  readonly sequenceSteps?: ReadonlyMap<string, PoolStep> | undefined;
  /** Ids of the holds of Applications that are steps; absent: there are none. */
  readonly applicationSteps?: ReadonlySet<string> | undefined;
  /** What runs want of their pools, by pool; absent: the cluster has no run. */
  readonly rollouts?: ReadonlyMap<string, PoolRollout> | undefined;
  /** Pools by which nodes of runs in mode canary go now; absent: none. */
  readonly canaries?: ReadonlyMap<string, CanaryInUse> | undefined;
  /** Pools of which runs have let nodes go to what is rolled out there now; absent: none. */
  readonly nodesLetGo?: ReadonlyMap<string, NodesLetGo> | undefined;
  /** What gates need, for the pools that it was read for. */
  readonly evidence: ReadonlyMap<string, Evidence>;
  /** ISO instants by pool and gate: since when a closed gate has been closed. */
  readonly gatesClosedSince: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The same: since when it has been read as closed at every look; absent: that is not known. */
  readonly gatesReadSince?: Snapshot['gatesClosedSince'] | undefined;
  /** By pool: the rendered config that waited behind its gates in the last pass; absent: none is known. */
  readonly configsGatedSince?: Readonly<Record<string, GatedConfig>> | undefined;
}

/** A rendered config, and since when it waits behind the gates of its pool. */
export interface GatedConfig {
  readonly config: string;
  /** ISO instant. */
  readonly since: string;
}

/** Of one pool, or with `pool` `*` of all. Times are ISO instants. */
export interface AskedFreeze {
  readonly pool: string;
  readonly who: string;
  readonly why: string;
  readonly askedAt: string;
  readonly until: string;
}
