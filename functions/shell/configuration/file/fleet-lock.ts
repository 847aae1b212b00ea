import { FleetLock } from '../../../core/configuration/fleet-lock.ts';
import { fileForm } from './file-form.ts';

export const FleetLockFile = fileForm(FleetLock.optional()).meta({
  description: 'Slots for machines outside OpenShift that ask by the FleetLock protocol before they reboot.',
});
