import { keyText, type Severity } from '../../findings/trouble.ts';
import { given } from '../../text/given.ts';
import { middle } from '../../text/safe-text.ts';
import type { Incident, Rings } from '../incident.ts';
import { rings } from '../rings.ts';
import { composeMessage } from './compose-message.ts';
import { causeOf, firstRemedy, type KeyFormContext, linkOf, newsText, otherCausesOf } from './key-form.ts';
import { type Message, summaryLine } from './message.ts';

/** An event of PagerDuty's Events API v2, without the routing key. */
export interface PagerDutyForm {
  readonly event_action: 'trigger' | 'acknowledge' | 'resolve';
  readonly dedup_key: string;
  readonly client: string;
  readonly client_url?: string;
  readonly payload: {
    readonly summary: string;
    readonly source: string;
    readonly severity: 'critical' | 'error' | 'warning' | 'info';
    readonly timestamp?: string;
    readonly component: string;
    readonly group: string;
    readonly class: string;
    readonly custom_details: Readonly<Record<string, string>>;
  };
}

/** Characters of a `dedup_key`. Source: Events API v2. */
const dedupKeyLimit = 255;
/** Characters of a summary. Source: Events API v2. */
const summaryLimit = 1024;

const pagerDutySeverity: Readonly<Record<Severity, PagerDutyForm['payload']['severity']>> = {
  critical: 'critical',
  high: 'error',
  warning: 'warning',
  info: 'info',
};

/** The events that bring PagerDuty up to date, in any order but for those of one key. */
export function pagerDutyForms(incident: Incident, alerts: Rings, context: KeyFormContext): readonly PagerDutyForm[] {
  const ended = alerts.former.map((ring) => formOf('resolve', ring, incident, context));
  const current = actionsOf(incident, alerts, context).map((action) =>
    formOf(action, alerts.current, incident, context),
  );
  // One that fails leaves the rest for later: people are called first, and what ends that comes last.
  return rings(incident, context.occasion, context.now) ? [...current, ...ended] : [...ended, ...current];
}

function formOf(
  event_action: PagerDutyForm['event_action'],
  ring: number,
  incident: Incident,
  context: KeyFormContext,
): PagerDutyForm {
  const { key, trouble, openedAt } = incident;
  const message = composeMessage(incident, context);
  const link = linkOf(message);
  return {
    event_action,
    dedup_key: dedupKey(incident, ring),
    client: message.product,
    ...given({ client_url: link }),
    payload: {
      summary: middle(summaryLine(message), summaryLimit),
      source: message.cluster,
      severity: pagerDutySeverity[trouble?.severity ?? 'info'],
      ...given({ timestamp: openedAt }),
      component: message.subject,
      group: message.cluster,
      class: key.kind,
      custom_details: {
        incident: message.name,
        ...newsText(incident, context),
        why: message.why,
        ...otherCausesOf(message),
        ...firstRemedy(message),
        ...causeOf(message),
        ...detailsOf(message.facts),
        delivery: context.deliveryId,
      },
    },
  };
}

/** Facts of one label share a key: it has one value. */
function detailsOf(facts: Message['facts']): Readonly<Record<string, string>> {
  const byLabel = Map.groupBy(facts, ({ label }) => label);
  return Object.fromEntries([...byLabel].map(([label, each]) => [label, each.map(({ value }) => value).join('; ')]));
}

/** An incident that somebody has acknowledged or snoozed is acknowledged; if it may be new to PagerDuty it is triggered
 *  first, because PagerDuty ignores the acknowledgement of an alert it does not know, and triggering an open one is
 *  harmless. */
function actionsOf(
  incident: Incident,
  { former }: Rings,
  { occasion, now, notes }: KeyFormContext,
): readonly PagerDutyForm['event_action'][] {
  if (incident.state === 'ok') return ['resolve'];
  if (rings(incident, occasion, now)) return ['trigger'];
  const mayBeNew =
    former.length > 0 || notes.some(({ kind }) => kind === 'opened' || kind === 'reopened' || kind === 'escalated');
  return mayBeNew ? ['trigger', 'acknowledge'] : ['acknowledge'];
}

function dedupKey({ key }: Incident, ring: number): string {
  return middle(`poolkeeper|${keyText(key)}${ring === 0 ? '' : `|${ring}`}`, dedupKeyLimit);
}
