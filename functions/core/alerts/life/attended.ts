import type { Trouble } from '../../findings/trouble.ts';
import { clockTime, duration, secondsBetween } from '../../text/durations.ts';
import { endedWords, isAttended, isEndNear } from '../attention.ts';
import { type Attention, type Incident, openSince } from '../incident.ts';
import { withNote } from '../notes.ts';
import { freshReminders } from '../reminders.ts';
import { type EvolveContext, type Evolved, updated } from './step.ts';

/** How the acknowledgement or snooze ended; undefined: there was none, or it still applies. */
export function overWords(incident: Incident, trouble: Trouble, now: Date): string | undefined {
  const { attention } = incident;
  if (attention === undefined || isAttended({ ...incident, trouble }, now)) return undefined;
  return endedWords(attention, now);
}

/** Without acknowledgement or snooze: reminders start again. */
export function unattended(incident: Incident, trouble: Trouble, { policy, now }: EvolveContext): Incident {
  return { ...incident, trouble, attention: undefined, ...freshReminders(trouble.severity, policy, now) };
}

/** Announces that the acknowledgement or snooze ended or soon will. Its end is announced even while flapping: a page
 *  withheld because of it is due now. */
export function endAttention(incident: Incident, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  const { attention } = incident;
  if (attention === undefined) return undefined;
  const over = overWords(incident, trouble, context.now);
  if (over === undefined) return warn(incident, attention, trouble, context);
  const free = unattended(incident, trouble, context);
  return updated(withNote(free, 'unattended', `${over}, still firing: ${trouble.headline}`, context));
}

function warn(incident: Incident, attention: Attention, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  if (incident.flapping || !isEndNear(attention, context.now)) return undefined;
  const until = clockTime(attention.until, context.now);
  const text = `Still firing, ${attention.kind} by ${attention.by} only until ${until}: ${trouble.headline}`;
  const warned: Incident = { ...incident, trouble, attention: { ...attention, warned: true } };
  return updated(withNote(warned, 'reminder', text, context));
}

/** Escalation: not acknowledged for so long that more targets are alerted. */
export function climb(incident: Incident, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  if (incident.flapping) return undefined;
  const { now, targets } = context;
  const joining = (targets.escalatedTo ?? []).filter((name) => incident.deliveries[name] === undefined);
  if (joining.length === 0) return undefined;
  const open = duration(secondsBetween(openSince(incident) ?? trouble.since, now));
  const text = `Not acknowledged for ${open}: escalated to ${joining.join(', ')}.`;
  return updated(withNote({ ...incident, trouble }, 'escalated', text, context));
}
