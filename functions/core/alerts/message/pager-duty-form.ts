import { keyText, type Severity } from '../../trouble.ts';
import { isAttended } from '../attention.ts';
import type { Incident } from '../incident.ts';
import { causeOf, firstRemedy, type KeyFormContext, linkOf } from './key-form.ts';
import { composeMessage, type MessageContext, summaryLine } from './message.ts';
import { middle } from './safe-text.ts';

/** Source: PagerDuty Events API v2. */
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

/** What PagerDuty takes as a key at most, characters. Source: Events API v2. */
const dedupKeyLimit = 255;
/** Of a summary, characters. */
const summaryLimit = 1024;

const pagerDutySeverity: Readonly<Record<Severity, PagerDutyForm['payload']['severity']>> = {
  critical: 'critical',
  high: 'error',
  warning: 'warning',
  info: 'info',
};

/** The event that brings PagerDuty from what it was told to what is. */
export function pagerDutyForm(incident: Incident, context: KeyFormContext): PagerDutyForm {
  const { key, state, trouble, openedAt } = incident;
  const message = composeMessage(incident, context);
  const link = linkOf(message);
  return {
    event_action: state === 'ok' ? 'resolve' : actionOf(incident, context),
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

/** What somebody has taken is acknowledged, unless it is new there; everything else triggers, which an open one takes without harm. */
function actionOf(incident: Incident, { occasion, now }: MessageContext): 'trigger' | 'acknowledge' {
  const isNew = occasion === 'opened' || occasion === 'reopened';
  return !isNew && isAttended(incident, now) ? 'acknowledge' : 'trigger';
}
