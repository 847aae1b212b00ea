import type { AlertWork } from '../../events/index.ts';
import { type AttendPorts, attendIncident } from './attend-incident.ts';
import { sendAlerts } from './send.ts';

/** Handles everything that comes by the alert queue. */
export async function workOff(event: AlertWork, ports: AttendPorts): Promise<void> {
  switch (event.type) {
    case 'poolkeeper.incident.due.v1':
      return sendAlerts(event, ports);
    case 'poolkeeper.attention.asked.v1':
      return attendIncident(event, ports);
    default:
      return event satisfies never;
  }
}
