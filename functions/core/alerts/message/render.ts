import type { AlertTarget } from '../../configuration/alerts.ts';
import type { Incident, IncidentNote, Occasion, Rings } from '../incident.ts';
import type { OutgoingMessage } from '../outgoing.ts';
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
  const context: MailContext = { ...rendering, buttons: hasButtons, domain: domainOf(target) };
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

function slackForm(rendering: Rendering, context: MailContext): SlackForm | undefined {
  const { incident, target, part, notes, form } = rendering;
  if (part === 'reply' && styleOf(target) === 'chat') {
    return slackReply(incident, notes, { ...context, inThreadOf: threadOf(rendering) }, form);
  }
  const { joint } = rendering;
  if (joint !== undefined && joint.members.length > 1) return slackJoint(joint, context, form);
  return slackMessage(incident, context, form, toldWith(rendering));
}

/** The notes that a message lists. The first one to who is told from now on tells of who joined before, too: nobody is
 *  told of them again. Threads tell of what follows. */
function toldWith({ incident, target, part, notes }: Rendering): readonly IncidentNote[] {
  if (part === 'post') return incident.notes;
  return styleOf(target) === 'chat' ? [] : notes;
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
