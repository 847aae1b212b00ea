import type { MailFeedback } from '../../events/index.ts';
import { dueEvent } from '../core/alerts/due-event.ts';
import type { ReturnedMail } from '../core/alerts/incident.ts';
import { incidentName } from '../core/alerts/incident-words.ts';
import { afterReturn, inItsRow, isTold, targetsTo } from '../core/alerts/returned-mail.ts';
import { metricNames } from '../shell/metric-names.ts';
import { changeDelivery, noteArrival } from './note-arrival.ts';
import type { SendPorts } from './send-ports.ts';
import { tellFailure } from './tell-failure.ts';

const source = '/poolkeeper/send-alerts';

/** Mail that SES took and that came back, that was reported as spam, or that arrived: noted with the delivery of its
 *  incident, and told the other targets at once, unless it came back only once and not for good. Repeated, it does
 *  nothing. Throws Transient. */
export async function takeFeedback({ detail, correlation }: MailFeedback, ports: SendPorts): Promise<void> {
  if (detail.eventType === 'Delivery') {
    const { recipients, timestamp: at } = detail.delivery;
    for (const address of recipients) {
      const targets = targetsTo(address, ports.configuration.alerts).map(({ name }) => name);
      if (targets.length > 0) await noteArrival([{ address, at, mail: detail.mail.messageId }], targets, ports);
    }
    return;
  }
  for (const mail of returnedIn(detail)) await noteReturn(mail, correlation, ports);
}

function returnedIn(detail: Exclude<MailFeedback['detail'], { eventType: 'Delivery' }>): readonly ReturnedMail[] {
  const { messageId: mail } = detail.mail;
  if (detail.eventType === 'Complaint') {
    const { complainedRecipients, complaintFeedbackType = 'no reason given', timestamp: at } = detail.complaint;
    return complainedRecipients.map(({ emailAddress: address }) => {
      return { address, kind: 'complaint', why: complaintFeedbackType, at, mail };
    });
  }
  const { bouncedRecipients, bounceType, bounceSubType, timestamp: at } = detail.bounce;
  return bouncedRecipients.map(({ emailAddress: address, diagnosticCode }) => {
    const type = `${bounceType.toLowerCase()}, ${bounceSubType}`;
    const why = diagnosticCode === undefined ? type : `${diagnosticCode} (${type})`;
    return { address, kind: 'bounce', why, at, mail, inARow: bounceType === 'Permanent' ? undefined : 1 };
  });
}

async function noteReturn(came: ReturnedMail, name: string | undefined, ports: SendPorts): Promise<void> {
  const { configuration, incidents, logger, metrics, alerts, clock } = ports;
  const targets = targetsTo(came.address, configuration.alerts);
  if (targets.length === 0) {
    logger.warn('mail came back from an address that is no target', { incident: name, kind: came.kind });
    return;
  }
  const all = await incidents.list();
  for (const target of targets) {
    const sent = all.filter(({ deliveries }) => deliveries[target.name] !== undefined);
    const incident = sent.find(({ number }) => incidentName(number) === name) ?? sent[0];
    const mail = inItsRow(
      came,
      sent.flatMap(({ deliveries }) => deliveries[target.name] ?? []),
    );
    const fields = { target: target.name, incident: name, kind: mail.kind, why: mail.why, inARow: mail.inARow };
    if (incident === undefined) {
      logger.error('mail came back, and no incident is known that it was about', fields);
      continue;
    }
    if (!isTold(mail)) {
      logger.info('mail came back once, perhaps as an automatic reply', fields);
      await changeDelivery(incident, target.name, (delivery) => afterReturn(delivery, mail), ports);
      continue;
    }
    logger.warn('mail came back', fields);
    // The alarm on it needs no target that could be told.
    metrics.count(metricNames.alertsRefused);
    await changeDelivery(incident, target.name, (delivery) => afterReturn(delivery, mail), ports);
    const failing = await tellFailure(incident.key.cluster, ports);
    if (failing !== undefined) await alerts.send(dueEvent(failing, { source, about: 'returned' }, clock()));
  }
}
