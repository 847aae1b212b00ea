import type { Ticket } from '../configuration/ticket.ts';
import { ifGiven } from '../text/if-given.ts';
import { safeLine } from '../text/safe-text.ts';
import type { TicketAnswer } from './evidence.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unread, unseen } from './gate.ts';
import { rolloutOf } from './rollout.ts';

/** Characters of a foreign value that are shown. */
const shownCharacters = 60;

/** A ticket system says that the pool may roll out its change. What cannot be read keeps the gate closed. */
export const ticket: Gate = { name: 'ticket', inEmergency: 'passed', ask, timeout: pausedAtMost };

function ask(question: GateQuestion): GateAnswer {
  const { evidence } = question;
  const { ticket: wanted } = question.settings;
  if (wanted === undefined) return open;
  const rollout = rolloutOf(question);
  if (rollout.kind === 'none') return open;
  if (rollout.kind === 'unread') return rollout.answer;
  const threshold = wantedText(wanted);
  const { ticket: answer } = evidence;
  if (answer.kind === 'not-asked') return unread('its ticket', threshold, 'ticket');
  const who = `whoever may change the ticket at ${hostOf(wanted)}`;
  if (answer.kind === 'unreadable')
    return unseen({
      why: `its ticket could not be read: ${answer.why}`,
      value: 'unreadable',
      threshold,
      opens: 'the next answer that can be read, if it is the right one',
      who,
    });
  if (isRightAnswer(answer.value, wanted)) return open;
  const value = answerText(answer.value, wanted);
  return closed({
    why: `its ticket at ${hostOf(wanted)} says ${value}, not ${threshold}`,
    value,
    threshold,
    opens: `its ticket says ${threshold}`,
    who,
  });
}

/** Whether a ticket system says what it should. */
export function isRightAnswer({ status, value }: TicketAnswer, wanted: Ticket): boolean {
  if (status !== wanted.status) return false;
  return wanted.path === undefined || (value !== undefined && valuesOf(wanted).includes(value));
}

function valuesOf({ equals, oneOf }: Ticket): readonly string[] {
  return [...ifGiven(equals), ...oneOf];
}

/** What it should answer, in words. */
export function wantedText(wanted: Ticket): string {
  if (wanted.path === undefined) return `status ${wanted.status}`;
  return `${wanted.path} = ${valuesOf(wanted).join(' or ')}`;
}

/** What it answered, as far as it differs. */
export function answerText({ status, value }: TicketAnswer, wanted: Ticket): string {
  if (status !== wanted.status || wanted.path === undefined) return `status ${status}`;
  return value === undefined ? `nothing at ${wanted.path}` : `${wanted.path} = ${safeLine(value, shownCharacters)}`;
}

function hostOf({ url }: Ticket): string {
  return URL.parse(url)?.host ?? 'an unknown host';
}
