import { type Circumstances, classify, type Disruption } from './classify.ts';
import type { UpdateKind } from './disruption.ts';
import { changedFacets } from './facet-change.ts';
import type { MachineConfigContent } from './machine-config.ts';
import { merge } from './render-pool.ts';
import { updateKind } from './update-kind.ts';

/** The difference between two rendered configs. */
export interface Between extends Disruption {
  /** Whether nodes get another OS image, other files and settings, or both. */
  readonly update: UpdateKind;
}

/** Compares two rendered configs of the cluster: the one that nodes run and the target. */
export function compareRendered(
  current: MachineConfigContent,
  target: MachineConfigContent,
  circumstances: Circumstances = {},
): Between {
  const differences = changedFacets(merge([current]), merge([target]));
  return {
    ...classify(differences, circumstances),
    update: updateKind(differences),
  };
}
