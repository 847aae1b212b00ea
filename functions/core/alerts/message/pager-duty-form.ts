import { keyText, type Severity } from '../../findings/trouble.ts';
import { middle } from '../../text/safe-text.ts';
import { isAttended } from '../attention.ts';
import type { Incident, IncidentNote } from '../incident.ts';
import { isWorthAPage } from '../notes.ts';
import { composeMessage } from './compose-message.ts';
import { causeOf, firstRemedy, type KeyFormContext, linkOf } from './key-form.ts';
import { summaryLine } from './message.ts';

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

/** The events that bring PagerDuty up to date, in order. `notes`: those it has not received. */
export function pagerDutyForms(
  incident: Incident,
  notes: readonly IncidentNote[],
  context: KeyFormContext,
): readonly PagerDutyForm[] {
  return actionsOf(incident, context, notes).map((action) => formOf(action, incident, context));
}

function formOf(
  event_action: PagerDutyForm['event_action'],
  incident: Incident,
  context: KeyFormContext,
): PagerDutyForm {
  const { key, trouble, openedAt } = incident;
  const message = composeMessage(incident, context);
  const link = linkOf(message);
  return {
    event_action,
    dedup_key: middle(`poolkeeper|${keyText(key)}`, dedupKeyLimit),
    client: message.product,
    ...(link === undefined ? {} : { client_url: link }),
    payload: {
      summary: middle(summaryLine(message), summaryLimit),
      source: message.cluster,
      severity: pagerDutySeverity[trouble?.severity ?? 'info'],
      ...(openedAt === undefined ? {} : { timestamp: openedAt }),
      component: message.subject,
      group: message.cluster,
      class: key.kind,
      custom_details: {
        incident: message.name,
        why: message.why,
        ...firstRemedy(message),
        ...causeOf(message),
        ...Object.fromEntries(message.facts.map(({ label, value }) => [label, value])),
        delivery: context.deliveryId,
      },
    },
  };
}

/** An incident that somebody has acknowledged or snoozed is acknowledged; if it may be new to PagerDuty it is triggered
 *  first, because PagerDuty ignores the acknowledgement of an alert it does not know, and triggering an open one is
 *  harmless. It also rings nobody: once the acknowledgement that we passed on is over, by time or because it got worse,
 *  the alert is resolved and triggered anew. Source: PagerDuty, "Incidents" (acknowledged) and "Event Management"
 *  (deduplicate alerts). */
function actionsOf(
  incident: Incident,
  { occasion, now }: KeyFormContext,
  notes: readonly IncidentNote[],
): readonly PagerDutyForm['event_action'][] {
  if (incident.state === 'ok') return ['resolve'];
  if (occasion === 'opened' || occasion === 'reopened' || !isAttended(incident, now))
    return wasAcknowledged(incident, notes) ? ['resolve', 'trigger'] : ['trigger'];
  const mayBeNew = notes.some(({ kind }) => kind === 'opened' || kind === 'reopened' || kind === 'escalated');
  return mayBeNew ? ['trigger', 'acknowledge'] : ['acknowledge'];
}

/** The last that PagerDuty was told is that somebody takes it. One who acknowledged it there keeps it. */
function wasAcknowledged({ notes: all }: Incident, untold: readonly IncidentNote[]): boolean {
  const from = untold[0]?.seq ?? Number.POSITIVE_INFINITY;
  return all.findLast(({ seq, kind }) => seq < from && isWorthAPage(kind))?.kind === 'attended';
}
