import type { Listed } from '../core/findings/listed.ts';
import type { Answer, Question } from '../core/findings/question.ts';
import type { MachineConfigContent } from '../core/machine-config/machine-config.ts';
import type { ClusterCircumstances, RenderSources } from '../core/machine-config/render-sources.ts';
import type { HealthCheck, HealthCheckAction, MachineLabels } from '../core/openshift/health-checks.ts';
import type { PoolImages } from '../core/openshift/image-build.ts';
import type { Node } from '../core/openshift/node.ts';
import type { Pool } from '../core/openshift/pool.ts';
import type { PoolChooser } from '../core/openshift/pool-chooser.ts';
import type { PoolRecord } from '../core/openshift/pool-record.ts';
import type { LabelSelector } from '../core/openshift/selector.ts';

/** The pools of one cluster. Every read throws Transient if it fails: cannot see is not fine. */
export interface Pools {
  /** An invalid pool is listed as unreadable. */
  listPools(): Promise<Listed<Pool>>;
  /** Undefined only if the API server says that it does not exist. */
  readPool(name: string): Promise<Pool | undefined>;
  /** One merge patch of `spec.paused` and the record, guarded by resourceVersion, as field manager `poolkeeper`.
   *  Returns the pool as the API server stored it. Throws Transient `conflict` on a lost race. */
  patchPool(pool: Pick<Pool, 'name' | 'resourceVersion'>, change: PoolChange): Promise<Pool>;
  /** Nodes that the selector matches, from their metadata. */
  listNodes(selector: LabelSelector): Promise<Listed<Node>>;
  /** Metadata of MachineConfigs by name; names that do not exist are absent from the answer, and an invalid one is
   *  listed as unreadable. Never their content. */
  readMachineConfigs(names: readonly string[]): Promise<Listed<MachineConfigHead>>;
  /** A Kubernetes event on the pool, so that the console shows the action. Best effort: a failure is dropped. */
  recordEvent(pool: Pick<Pool, 'name' | 'uid'>, event: PoolEvent): Promise<void>;
}

/** Undefined leaves the field as it is; a null record removes the annotation. */
export interface PoolChange {
  readonly paused?: boolean | undefined;
  readonly record?: PoolRecord | null | undefined;
}

export interface MachineConfigHead {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** ISO instant of the newest write to its spec in managedFields; undefined if they were stripped. */
  readonly changedAt: string | undefined;
}

export interface PoolEvent {
  /** CamelCase reason, e.g. `Paused`. */
  readonly reason: string;
  readonly message: string;
  readonly type: 'Normal' | 'Warning';
  readonly at: Date;
}

/** The MachineHealthChecks of one cluster. Every call throws Transient, `forbidden` if the account has no
 *  permission. */
export interface HealthChecks {
  listHealthChecks(): Promise<Listed<HealthCheck>>;
  /** Machines with their labels, from their metadata. */
  listMachines(): Promise<Listed<MachineLabels>>;
  /** One merge patch of our record and the pause, guarded by resourceVersion. Throws Transient `conflict` on a lost
   *  race. */
  patchHealthCheck(check: Pick<HealthCheck, 'name' | 'resourceVersion'>, action: HealthCheckAction): Promise<void>;
}

/** On-demand reads of a diagnosis: one bounded question, one answer. */
export interface ObjectReader {
  /** GET of the Kubernetes API, at most 10 MiB. `absent`: 404, also for an API that is not served; `failed`: not
   *  read. */
  read(question: Question): Promise<Answer>;
}

/** The sources of a cluster's renders, with their content, which may be secret and stays in memory. Every read throws
 *  Transient. */
export interface Renderings {
  /** MachineConfigs of these names, rendered ones as well; names that do not exist are absent from the answer. */
  readContents(names: readonly string[]): Promise<readonly MachineConfigContent[]>;
  /** The properties of the cluster that affect the disruption of a change. */
  readCircumstances(): Promise<ClusterCircumstances>;
  /** The images that are built for pools, all of the cluster; none where the cluster does not serve their kinds. */
  readImages(): Promise<PoolImages>;
  /** How the objects of these kinds choose their pools. One that is not listed may choose any pool. */
  readChoosers(kinds: readonly string[]): Promise<readonly PoolChooser[]>;
  /** Throws Transient if the MachineConfigs cannot be read. */
  readRenderSources(pools: readonly Pick<Pool, 'name' | 'machineConfigSelector'>[]): Promise<RenderSources>;
}
