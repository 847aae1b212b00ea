import type { Configuration } from '../core/configuration/configuration.ts';
import type { ReadManifests } from '../core/routing/manifest-file.ts';
import type { ArgoCd } from '../ports/argocd.ts';
import type { HealthChecks, Looker, Pools, Renderings } from '../ports/cluster.ts';
import type { Bus } from '../ports/messages.ts';
import type { AlertQueue, WorkQueue } from '../ports/queues.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Incidents, Memories, PushOutcomes, Races, Routes, Stories, Timeline, Views } from '../ports/tables.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { Clock, Sleep } from '../ports/time.ts';

/** One connected cluster. */
export interface ClusterPorts {
  readonly pools: Pools;
  readonly looker: Looker;
  readonly renderings: Renderings;
  /** Undefined: machines are no matter here. */
  readonly healthChecks?: HealthChecks | undefined;
}

/** Everything keep-pools needs. Clusters and Argo CD instances are connected when first asked for. */
export interface KeepPorts {
  readonly configuration: Configuration;
  /** By name in the configuration. Throws Transient when its token cannot be had. */
  readonly cluster: (name: string) => Promise<ClusterPorts>;
  readonly argocd: (name: string) => Promise<ArgoCd>;
  readonly timeline: Timeline;
  readonly races: Races;
  readonly views: Views;
  readonly routes: Routes;
  /** Where changed files are read, and what reads them as manifests; undefined: not configured, so that what an Application manages
   *  decides. */
  readonly changes?: { readonly repositories: Repositories; readonly manifestReader: () => ReadManifests } | undefined;
  readonly memories: Memories;
  readonly incidents: Incidents;
  readonly stories: Stories;
  /** Where it is noted what pushes came to; undefined: no Argo CD has its pushes from us. */
  readonly outcomes?: PushOutcomes | undefined;
  readonly work: WorkQueue;
  readonly alerts: AlertQueue;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
