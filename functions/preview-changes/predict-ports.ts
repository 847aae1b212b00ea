import type { Configuration } from '../core/configuration/configuration.ts';
import type { PreviewSettings } from '../core/configuration/github.ts';
import type { ReadManifests } from '../core/routing/manifest-file.ts';
import type { ArgoCd } from '../ports/argocd.ts';
import type { Pools, Renderings } from '../ports/cluster.ts';
import type { Repositories, RepositoryNames, RepositoryPaths } from '../ports/repositories.ts';
import type { KeptCalendars, NodeRollouts, Routes } from '../ports/tables.ts';
import type { Logger } from '../ports/telemetry.ts';
import type { Clock, YieldToEventLoop } from '../ports/time.ts';

/** What a prediction reads. */
export interface PredictPorts {
  readonly configuration: Configuration;
  readonly settings: PreviewSettings;
  readonly repositories: Repositories & RepositoryPaths;
  /** What the repositories that are followed are called now; undefined: nobody is asked. */
  readonly repositoryNames?: RepositoryNames | undefined;
  readonly manifestReader: () => ReadManifests;
  readonly argocd: (name: string) => Promise<Pick<ArgoCd, 'listApplications' | 'listApplicationSets'>>;
  readonly cluster: (
    name: string,
  ) => Promise<{ readonly pools: Pools; readonly renderings: Pick<Renderings, 'readRenderSources'> }>;
  /** The history of the pools, and copies of calendars. */
  readonly nodeRollouts: Pick<NodeRollouts, 'load'>;
  readonly keptCalendars: Pick<KeptCalendars, 'load'>;
  /** With what keep-pools has learnt of the names of repositories. */
  readonly routes: Pick<Routes, 'load'>;
  readonly clock: Clock;
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly logger: Logger;
}
