import { type OpenShiftOptions, startOpenShift } from '../../../local/openshift/index.ts';
import { buildReferenceWorld, type ReferenceWorld } from '../../../local/openshift/reference-world.ts';

/** A simulated cluster of its own with the reference world in it. */
export async function startReferenceWorld(options: OpenShiftOptions = {}): Promise<ReferenceWorld> {
  return buildReferenceWorld(await startOpenShift(options));
}
