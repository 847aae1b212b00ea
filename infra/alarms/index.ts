import type { AlarmSpec } from '../constructs/alarms.ts';
import type { Resources } from '../resources.ts';
import { alertDeliveryAlarms } from './alert-delivery.ts';
import { functionErrorAlarms } from './function-errors.ts';
import { incidentAlarms } from './incidents.ts';
import { intakeAlarms } from './intake.ts';
import { limitAlarms } from './limits.ts';
import { poolAlarms } from './pools.ts';
import { previewAlarms } from './previews.ts';
import { queueAlarms } from './queues.ts';
import { relayAlarms } from './relay.ts';
import { tickAlarms } from './ticks.ts';

/** Every alarm of the stack. Each name is a section of docs/runbook.md. */
export function alarmsOf(resources: Resources): readonly AlarmSpec[] {
  return [
    ...functionErrorAlarms(resources),
    ...intakeAlarms(resources),
    ...queueAlarms(resources),
    ...tickAlarms(resources),
    ...poolAlarms(resources),
    ...alertDeliveryAlarms(resources),
    ...relayAlarms(resources),
    ...previewAlarms(resources),
    ...limitAlarms(resources),
    ...incidentAlarms,
  ];
}
