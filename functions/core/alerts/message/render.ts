import type { AlertTarget } from '../../configuration.ts';
import type { Incident, IncidentNote, Occasion } from '../incident.ts';
import { styleOf } from '../targets.ts';
import { type MailContext, mailMessage } from './mail.ts';
import type { OutgoingMessage } from './outgoing.ts';
import { type Rung, rungs, type SlackForm, slackMessage, slackReply } from './slack.ts';

export interface Rendering {
  readonly incident: Incident;
  readonly target: AlertTarget;
  readonly part: 'post' | 'edit' | 'reply';
  readonly occasion: Occasion;
  /** What a reply or a letter is written for. */
  readonly notes: readonly IncidentNote[];
  readonly rung: Rung;
  readonly deliveryId: string;
  readonly now: Date;
  readonly statusUrl: string | undefined;
  readonly product: string;
  readonly continued: boolean;
  readonly mayRepeat: boolean;
}

/** The incident as this target takes it; undefined = there is nothing to say. */
export function render(rendering: Rendering): OutgoingMessage | undefined {
  const { target, deliveryId, occasion } = rendering;
  const context: MailContext = { ...rendering, domain: domainOf(target) };
  const slack = target.kind === 'email' ? undefined : slackForm(rendering, context);
  const mail =
    target.kind === 'email' || target.kind === 'outbox'
      ? mailMessage(rendering.incident, rendering.notes, context)
      : undefined;
  if (slack === undefined && target.kind !== 'email') return undefined;
  return { deliveryId, occasion, slack, mail };
}

function slackForm(rendering: Rendering, context: MailContext): SlackForm | undefined {
  const { incident, target, part, notes, rung } = rendering;
  if (part === 'reply' && styleOf(target) === 'chat') return slackReply(incident, notes, context, rung);
  return slackMessage(incident, context, rung);
}

function domainOf(target: AlertTarget): string {
  const domain = target.kind === 'email' ? target.from.split('@').at(-1) : undefined;
  return domain?.replace(/[^A-Za-z0-9.-]/g, '') || 'poolkeeper.invalid';
}

/** The next simpler form after a refused one; undefined = there is none. Mail has one form only. */
export function nextRung(target: AlertTarget, rung: Rung): Rung | undefined {
  return target.kind === 'email' ? undefined : rungs[rungs.indexOf(rung) + 1];
}
