import { type Json, minutesAgo } from '../../functions/core/diagnose/world.ts';

/** The entry of managedFields by which it is known since when a node is on its way. */
export function targeted(minutes: number): Json {
  return {
    manager: 'machine-config-controller',
    operation: 'Update',
    time: minutesAgo(minutes),
    fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:machineconfiguration.openshift.io/desiredConfig': {} } } },
  };
}
