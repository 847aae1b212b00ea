import type { AlertTarget } from '../../configuration/alerts.ts';
import type { Incident, IncidentNote, Occasion, Rings } from '../incident.ts';
import { escalationsOf } from '../notes.ts';
import type { OutgoingMessage } from '../outgoing.ts';
import { hasNoReply } from '../plan-delivery.ts';
import { firstRing } from '../rings.ts';
import { styleOf } from '../targets.ts';
import { alertmanagerForm } from './alertmanager-form.ts';
import { type MailContext, mailMessage } from './mail.ts';
import { notifiedEvent } from './notified-event.ts';
import { pagerDutyForms } from './pager-duty-form.ts';
import { type MessageForm, messageForms, type SlackForm, slackMessage, slackReply } from './slack.ts';
import { type JointContent, slackJoint } from './slack-joint.ts';

export interface Rendering {
  readonly incident: Incident;
  readonly target: AlertTarget;
  readonly part: 'post' | 'edit' | 'reply';
  readonly occasion: Occasion;
  /** The notes that a reply or mail is sent for. */
  readonly notes: readonly IncidentNote[];
  readonly form: MessageForm;
  readonly deliveryId: string;
  readonly now: Date;
  readonly statusUrl: string | undefined;
  readonly places?: MailContext['places'];
  readonly product: string;
  /** Buttons are configured. */
  readonly buttons?: boolean | undefined;
  /** Somebody may freeze from Slack. */
  readonly mayFreeze?: boolean | undefined;
  /** Somebody may steer sequences from Slack. */
  readonly maySteer?: boolean | undefined;
  readonly continued: boolean;
  readonly mayRepeat: boolean;
  /** The message tells of these incidents, of which `incident` is one; absent: of that one alone. */
  readonly joint?: JointContent | undefined;
}

/** The incident in the form of this target; undefined: nothing to send. */
export function render(rendering: Rendering): OutgoingMessage | undefined {
  const { target, deliveryId, occasion } = rendering;
  const hasButtons = rendering.buttons === true && (target.kind === 'slack' || target.kind === 'outbox');
  const context: MailContext = {
    ...rendering,
    buttons: hasButtons,
    domain: domainOf(target),
    owedSince: owedSince(rendering),
  };
  const keyed = { ...context, notes: rendering.notes };
  const base = { deliveryId, occasion };
  switch (target.kind) {
    case 'slack':
    case 'slack-webhook': {
      const slack = slackForm(rendering, context);
      return slack && { ...base, slack };
    }
    case 'email':
      return { ...base, mail: mailMessage(rendering.incident, rendering.notes, context, rendering.form) };
    case 'outbox': {
      const slack = slackForm(rendering, context);
      return slack && { ...base, slack, mail: mailMessage(rendering.incident, rendering.notes, context) };
    }
    case 'pagerduty':
      return { ...base, pagerDuty: pagerDutyForms(rendering.incident, ringsOf(rendering), keyed) };
    case 'alertmanager':
      return { ...base, alertmanager: alertmanagerForm(rendering.incident, keyed) };
    case 'webhook':
      return { ...base, event: notifiedEvent(rendering.incident, keyed) };
    default:
      return target satisfies never;
  }
}

function ringsOf({ incident, target }: Rendering): Rings {
  return incident.deliveries[target.name]?.rings ?? firstRing;
}

/** When it began to be told, by the first of what it is told of. Undefined: when it opened. */
function owedSince({ incident, notes }: Rendering): string | undefined {
  const [first] = notes;
  if (first === undefined) return incident.lastEditAt;
  return first.kind === 'opened' ? undefined : first.at;
}

function slackForm(rendering: Rendering, context: MailContext): SlackForm | undefined {
  const { incident, target, part, form, joint } = rendering;
  if (part === 'reply' && styleOf(target) === 'chat') {
    const inThread = { ...context, isFirstReply: isFirstReply(rendering), inThreadOf: threadOf(rendering) };
    return slackReply(incident, repliedWith(rendering), inThread, form);
  }
  if (joint !== undefined && joint.members.length > 1) return slackJoint(joint, context, form);
  return slackMessage(incident, context, form, toldWith(rendering));
}

/** The notes that a message lists. The first one to who is told from now on tells of who joined before, too: nobody is
 *  told of them again. What it listed when it was posted stays in it; threads tell of what follows. */
function toldWith({ incident, target, part, notes }: Rendering): readonly IncidentNote[] {
  if (part === 'post') return incident.notes;
  if (styleOf(target) !== 'chat') return notes;
  const { postedSeq = 0 } = incident.deliveries[target.name] ?? {};
  return escalationsOf(incident.notes).filter(({ seq }) => seq <= postedSeq);
}

/** The first reply to who is told later than others begins with what they were told before: a list has no room for
 *  it. */
function repliedWith({ incident, target, notes }: Rendering): readonly IncidentNote[] {
  const delivery = incident.deliveries[target.name];
  if (delivery === undefined || !hasNoReply(delivery)) return notes;
  return [...escalationsOf(incident.notes).filter(({ seq }) => seq <= delivery.threadSeq), ...notes];
}

/** Below a message that was posted anew, too, unless it is a list. */
function isFirstReply({ incident, target, joint }: Rendering): boolean {
  const delivery = incident.deliveries[target.name];
  if (delivery === undefined) return false;
  const { threadSeq, postedSeq = 0 } = delivery;
  return hasNoReply(delivery) || (joint === undefined && threadSeq < postedSeq);
}

/** The thread of several incidents: replies name theirs, and some are told aloud. */
function threadOf({ joint }: Rendering): MailContext['inThreadOf'] {
  if (joint === undefined || joint.members.length < 2) return undefined;
  return { isToldAloud: joint.isToldAloud, newMentions: joint.newMentions };
}

function domainOf(target: AlertTarget): string {
  const domain = target.kind === 'email' ? target.from.split('@').at(-1) : undefined;
  return domain?.replace(/[^A-Za-z0-9.-]/g, '') || 'poolkeeper.invalid';
}

/** The next simpler form after a refused one; undefined: none. A mail has one, Slack's forms have several. */
export function nextForm({ kind }: AlertTarget, form: MessageForm): MessageForm | undefined {
  if (kind === 'email') return form === 'full' ? 'text' : undefined;
  const hasSimplerForms = kind === 'slack' || kind === 'slack-webhook' || kind === 'outbox';
  return hasSimplerForms ? messageForms[messageForms.indexOf(form) + 1] : undefined;
}
