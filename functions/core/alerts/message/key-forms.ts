import { cloudEvent, type IncidentNotified } from '../../../../events/index.ts';
import { plusSeconds } from '../../instant.ts';
import { keyText, type Severity, type TroubleKey } from '../../trouble.ts';
import { attentionWords, isAttended } from '../attention.ts';
import type { Incident, Occasion } from '../incident.ts';
import { composeMessage, type Message, type MessageContext, summaryLine } from './message.ts';
import { middle, safeLine } from './safe-text.ts';

/** Forms for machines that know an incident by its key. Texts are cleaned and bounded as in every message. */

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

/** Source: Alertmanager API v2, postableAlert. */
export interface AlertmanagerForm {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

export interface KeyFormContext extends MessageContext {
  readonly deliveryId: string;
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

/** Seconds after which Alertmanager forgets an alert that it is not told again; and how often it is told. Three tellings may get lost
 *  before an incident that is open would look resolved. */
export const alertmanagerTimes = { forgetsAfter: 900, toldEvery: 240 } as const;

/** The alert as it stands. Labels are its identity: what changes stands in annotations, but for the severity, by which people route. */
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
      incident: message.name,
      ...firstRemedy(message),
      ...causeOf(message),
      ...(attention !== undefined && isAttended(incident, now)
        ? { attention: safeLine(attentionWords(attention, now), 400) }
        : {}),
    },
    startsAt: openedAt ?? now.toISOString(),
    endsAt: state === 'ok' ? (resolvedAt ?? now.toISOString()) : plusSeconds(now, alertmanagerTimes.forgetsAfter),
    ...(link === undefined ? {} : { generatorURL: link }),
  };
}

function alertmanagerKey({ cluster, pool, kind }: TroubleKey): Readonly<Record<string, string>> {
  const name = kind.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return { alertname: `Poolkeeper${name}`, cluster, kind, ...(pool === '*' ? {} : { pool }) };
}

/** One piece of news as a CloudEvent. Told again it has the same id. */
export function notifiedEvent(incident: Incident, context: KeyFormContext): IncidentNotified {
  const { key, number, openedAt, resolvedAt, state, trouble } = incident;
  const { now, occasion, deliveryId } = context;
  const message = composeMessage(incident, context);
  const link = linkOf(message);
  const attention = incident.attention;
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
      why: message.why,
      chain: [...message.chain],
      ...(message.cause === undefined ? {} : { cause: message.cause.code }),
      remedies: message.remedies.map(({ title, risk, who, command }) => ({
        title,
        risk,
        who,
        ...(command === undefined ? {} : { command }),
      })),
      facts: message.facts.map(({ label, value }) => ({ label, value })),
      ...(openedAt === undefined ? {} : { openedAt }),
      ...(state === 'ok' && resolvedAt !== undefined ? { resolvedAt } : {}),
      ...(isTaken
        ? { attention: { kind: attention.kind, by: safeLine(attention.by, 100), until: attention.until } }
        : {}),
      ...(link === undefined ? {} : { link }),
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

/** Durations alone are never sent to a feed. */
function occasionOf(occasion: Occasion): IncidentNotified['data']['occasion'] {
  return occasion === 'refreshed' ? 'changed' : occasion;
}

function firstRemedy({ remedies }: Message): Readonly<Record<string, string>> {
  const [remedy] = remedies;
  return remedy === undefined ? {} : { remedy: `${remedy.title} (${remedy.risk})` };
}

function causeOf({ cause }: Message): Readonly<Record<string, string>> {
  return cause === undefined ? {} : { cause: `${cause.code}: ${cause.title}` };
}

/** Undefined where there is no page. */
function linkOf({ link }: Message): string | undefined {
  return link === undefined || !/^https?:\/\//.test(link) ? undefined : encodeURI(link);
}
