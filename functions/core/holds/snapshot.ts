import type { ObservedApplication } from '../argocd/application.ts';
import type { ClusterSettings } from '../configuration/cluster.ts';
import type { Evidence } from '../gates/evidence.ts';
import type { Pool } from '../openshift/pool.ts';
import type { LabelledMachineConfig, PoolChooser } from '../openshift/pool-chooser.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import type { Observed } from '../text/observed.ts';
import type { ExpectedApplication } from './new-applications/expected-application.ts';
import type { PushNews } from './push-news.ts';
import type { DisruptionForecast } from './skip-harmless/disruption-forecast.ts';

/** What one pass has seen of one cluster. Applications that were not read keep their holds. */
export interface Snapshot {
  readonly settings: ClusterSettings;
  readonly pools: readonly Pool[];
  readonly applications: readonly ObservedApplication[];
  /** The push that this pass is about, and what it changes, by sync hold id of the Applications it concerns. */
  readonly pushes: PushNews['pushes'];
  readonly changes: PushNews['changes'];
  /** Applications that the push will create here. */
  readonly expected: readonly ExpectedApplication[];
  /** Applications that others are held by way of, of whatever cluster. */
  readonly parents: readonly ObservedApplication[];
  readonly machineConfigs: readonly LabelledMachineConfig[];
  /** What objects that Applications manage choose pools by. */
  readonly choosers: Observed<readonly PoolChooser[]>;
  /** Of pools that are to be paused for disruptive changes only. */
  readonly disruption: DisruptionForecast;
  /** Records of the pools as they were last published: what Poolkeeper did, whatever the pools say now. */
  readonly published: Readonly<Record<string, PoolRecord>>;
  /** What gates need, of the pools that it was read for. */
  readonly evidence: ReadonlyMap<string, Evidence>;
  /** ISO instants by pool and gate: since when a gate that is closed has been so. */
  readonly gatesClosedSince: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
