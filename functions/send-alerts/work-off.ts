import type { AlertWork, MailFeedback } from '../../events/index.ts';
import type { ReceivedMessage } from '../shell/queue.ts';
import { answerRequest } from './answer-request.ts';
import { approveConfig } from './approve-config.ts';
import { type AttendPorts, attendIncident } from './attend-incident.ts';
import { sendAlerts } from './send.ts';
import { takeFeedback } from './take-feedback.ts';

/** Handles everything that comes by the alert queue.
 *  @param received what the queue says of the message; undefined: nothing */
export async function workOff(
  event: AlertWork | MailFeedback,
  ports: AttendPorts,
  received?: ReceivedMessage,
): Promise<void> {
  switch (event.type) {
    case 'poolkeeper.incident.due.v1':
      return sendAlerts(event, ports);
    case 'poolkeeper.attention.asked.v1':
      return attendIncident(event, ports);
    case 'poolkeeper.approval.asked.v1':
      return approveConfig(event, received, ports);
    case 'poolkeeper.request.asked.v1':
      return answerRequest(event, ports);
    case 'aws.ses':
      return takeFeedback(event, ports);
    default:
      return event satisfies never;
  }
}
