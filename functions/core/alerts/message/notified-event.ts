import { cloudEvent, type IncidentNotified } from '../../../../events/index.ts';
import { given } from '../../text/given.ts';
import { safeLine } from '../../text/safe-text.ts';
import { isAttended } from '../attention.ts';
import type { Incident, Occasion } from '../incident.ts';
import { composeMessage } from './compose-message.ts';
import { type KeyFormContext, linkOf, newsOf } from './key-form.ts';
import { summaryLine } from './message.ts';

/** One notification as a CloudEvent. Sent again, it has the same id. */
export function notifiedEvent(incident: Incident, context: KeyFormContext): IncidentNotified {
  const { key, number, openedAt, resolvedAt, state, trouble } = incident;
  const { now, occasion, deliveryId } = context;
  const message = composeMessage(incident, context);
  const link = linkOf(message);
  const attention = incident.attention;
  const news = newsOf(incident, context.notes);
  const isTaken = attention !== undefined && isAttended(incident, now);
  return cloudEvent({
    type: 'poolkeeper.incident.notified.v1',
    id: deliveryId,
    source: '/poolkeeper/send-alerts',
    subject: `${key.cluster}/${key.pool}`,
    time: now,
    correlation: message.name,
    data: {
      ...key,
      number,
      name: message.name,
      state: stateOf(state),
      occasion: occasionOf(occasion),
      severity: trouble?.severity ?? 'info',
      summary: summaryLine(message),
      headline: message.headline,
      ...(news.length === 0 ? {} : { news: [...news] }),
      why: message.why,
      ...(message.also.length === 0 ? {} : { also: [...message.also] }),
      chain: [...message.chain],
      ...(message.cause === undefined ? {} : { cause: message.cause.code }),
      remedies: message.remedies.map(({ title, risk, who, command }) => ({
        title,
        risk,
        who,
        ...given({ command }),
      })),
      facts: message.facts.map(({ label, value }) => ({ label, value })),
      ...given({ openedAt }),
      ...(state === 'ok' && resolvedAt !== undefined ? { resolvedAt } : {}),
      ...(isTaken
        ? { attention: { kind: attention.kind, by: safeLine(attention.by, 100), until: attention.until } }
        : {}),
      ...given({ link }),
    },
  });
}

function stateOf(state: Incident['state']): IncidentNotified['data']['state'] {
  switch (state) {
    case 'pending':
    case 'firing':
      return 'firing';
    case 'resolving':
      return 'recovering';
    case 'ok':
      return 'resolved';
    default:
      return state satisfies never;
  }
}

/** A feed never gets messages in which only durations changed. */
function occasionOf(occasion: Occasion): IncidentNotified['data']['occasion'] {
  return occasion === 'refreshed' ? 'changed' : occasion;
}
