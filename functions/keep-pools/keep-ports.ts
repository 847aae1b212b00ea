import type { Configuration } from '../core/configuration.ts';
import type { ReadManifests } from '../core/impact/manifest-file.ts';
import type {
  AlertQueue,
  ArgoCd,
  Bus,
  Clock,
  HealthChecks,
  Incidents,
  Logger,
  Looker,
  Memories,
  Metrics,
  Pools,
  PushOutcomes,
  Races,
  Renderings,
  Repositories,
  Routes,
  Sleep,
  Stories,
  Timeline,
  Views,
  WorkQueue,
} from '../ports.ts';

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
