import type { MachineConfigContent } from '../../../../functions/core/machine-config/machine-config.ts';
import type { MergedFacet } from '../../../../functions/core/machine-config/merge-facets.ts';
import { merge, type RenderingPool, sourcesOf } from '../../../../functions/core/machine-config/render-pool.ts';

/** The config that the MCO is expected to render for a pool, with who brings what. */
export interface RenderedPool {
  readonly pool: string;
  /** Names of the MachineConfigs merged into it, in the order in which they override each other. */
  readonly sources: readonly string[];
  /** By key, in the order in which the merge meets them: what a later source overlays keeps its place. */
  readonly facets: ReadonlyMap<string, MergedFacet>;
}

/** Predicts the rendered config of a pool. */
export function renderPool(pool: RenderingPool, machineConfigs: readonly MachineConfigContent[]): RenderedPool {
  const sources = sourcesOf(pool, machineConfigs);
  return { pool: pool.name, sources: sources.map(({ name }) => name), facets: merge(sources) };
}
