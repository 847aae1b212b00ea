import type { TroubleKey } from '../../findings/trouble.ts';
import { given } from '../../text/given.ts';
import { plusSeconds } from '../../text/instant.ts';
import { safeLine } from '../../text/safe-text.ts';
import { attentionWords, isAttended } from '../attention.ts';
import type { Incident } from '../incident.ts';
import { composeMessage } from './compose-message.ts';
import { causeOf, firstRemedy, type KeyFormContext, linkOf, newsText, otherCausesOf } from './key-form.ts';
import { summaryLine } from './message.ts';

/** Source: Alertmanager API v2, postableAlert. */
export interface AlertmanagerForm {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

/** `forgetsAfter`: seconds after which Alertmanager drops an alert that is not resent. `toldEvery`: seconds between
 *  resends; three may get lost before an open incident would look resolved. */
export const alertmanagerTimes = { forgetsAfter: 900, toldEvery: 240 } as const;

/** The alert as it is now. Labels are its identity, so what changes goes into annotations, except the severity, which
 *  people route by. */
export function alertmanagerForm(incident: Incident, context: KeyFormContext): AlertmanagerForm {
  const { key, openedAt, resolvedAt, state, trouble } = incident;
  const { now } = context;
  const message = composeMessage(incident, context);
  const link = linkOf(message);
  const attention = incident.attention;
  return {
    labels: { ...alertmanagerKey(key), severity: trouble?.severity ?? 'info' },
    annotations: {
      summary: summaryLine(message),
      description: message.why,
      ...otherCausesOf(message),
      incident: message.name,
      ...newsText(incident, context),
      ...firstRemedy(message),
      ...causeOf(message),
      ...(attention !== undefined && isAttended(incident, now)
        ? { attention: safeLine(attentionWords(attention, now), 400) }
        : {}),
    },
    startsAt: openedAt ?? now.toISOString(),
    endsAt: state === 'ok' ? (resolvedAt ?? now.toISOString()) : plusSeconds(now, alertmanagerTimes.forgetsAfter),
    ...given({ generatorURL: link }),
  };
}

function alertmanagerKey({ cluster, pool, kind }: TroubleKey): Readonly<Record<string, string>> {
  const name = kind.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return { alertname: `Poolkeeper${name}`, cluster, kind, ...(pool === '*' ? {} : { pool }) };
}
