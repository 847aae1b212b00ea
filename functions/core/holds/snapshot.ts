import type { ObservedApplication } from '../argocd/application.ts';
import type { ClusterSettings } from '../configuration/configuration.ts';
import type { DrainForecasts, ObservedControllers } from '../gates/gate.ts';
import type { LabelledMachineConfig } from '../impact/affected-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolChooser } from '../openshift/pool-chooser.ts';
import type { ExpectedApplication } from './new-applications/expected-application.ts';
import type { PushNews } from './push-news.ts';
import type { DisruptionForecast } from './skip-harmless/disruption-forecast.ts';

/** What one pass has seen of one cluster. Applications that were not looked at keep their holds. */
export interface Snapshot {
  readonly settings: ClusterSettings;
  readonly pools: readonly Pool[];
  readonly applications: readonly ObservedApplication[];
  /** The push that this pass is about, and what it changes, by sync hold id of the Applications it concerns. */
  readonly pushes: PushNews['pushes'];
  readonly changes: PushNews['changes'];
  /** What it brings into being here and nobody has seen yet; absent: nothing. */
  readonly expected?: readonly ExpectedApplication[] | undefined;
  /** Applications that others are held by way of, of whatever cluster. */
  readonly parents: readonly ObservedApplication[];
  readonly machineConfigs: readonly LabelledMachineConfig[];
  /** What objects that Applications manage choose pools by; absent: not asked, or not read. */
  readonly choosers?: readonly PoolChooser[] | undefined;
  /** Of pools that are to be paused for disruptive changes only; absent: there are none. */
  readonly disruption?: DisruptionForecast | undefined;
  readonly controllers: ObservedControllers;
  /** Of the pools that were about to resume. */
  readonly drains?: DrainForecasts | undefined;
}
