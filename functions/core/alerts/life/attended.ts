import type { Trouble } from '../../findings/trouble.ts';
import { clockTime, duration, secondsBetween } from '../../text/durations.ts';
import { endedWords, isAttended, isEndNear } from '../attention.ts';
import type { Attention, Incident } from '../incident.ts';
import { withNote } from '../notes.ts';
import { freshReminders } from '../reminders.ts';
import { type EvolveContext, type Evolved, updated } from './step.ts';

/** What was said by a person and does not hold any more, in words; undefined: nothing was said, or it still holds. */
export function overWords(incident: Incident, trouble: Trouble, now: Date): string | undefined {
  const { attention } = incident;
  if (attention === undefined || isAttended({ ...incident, trouble }, now)) return undefined;
  return endedWords(attention, now);
}

/** Nobody looks after it any more: reminders begin anew. */
export function unattended(incident: Incident, trouble: Trouble, { policy, now }: EvolveContext): Incident {
  return { ...incident, trouble, attention: undefined, ...freshReminders(trouble.severity, policy, now) };
}

/** The time is over, or will be soon: both are said. That it is over also in the quiet mode: a page that was kept
 *  back for it is due now. */
export function endAttention(incident: Incident, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  const { attention } = incident;
  if (attention === undefined) return undefined;
  const over = overWords(incident, trouble, context.now);
  if (over === undefined) return warn(incident, attention, trouble, context);
  const free = unattended(incident, trouble, context);
  return updated(withNote(free, 'unattended', `${over}, and it is still there: ${trouble.headline}`, context));
}

function warn(incident: Incident, attention: Attention, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  if (incident.flapping || !isEndNear(attention, context.now)) return undefined;
  const until = clockTime(attention.until, context.now);
  const text = `Still there, and ${attention.kind} by ${attention.by} until ${until} only: ${trouble.headline}`;
  const warned: Incident = { ...incident, trouble, attention: { ...attention, warned: true } };
  return updated(withNote(warned, 'reminder', text, context));
}

/** The next rung of the ladder: nobody has taken it, so others hear of it too. */
export function climb(incident: Incident, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  if (incident.flapping) return undefined;
  const { now, targets } = context;
  const joining = (targets.escalatedTo ?? []).filter((name) => incident.deliveries[name] === undefined);
  if (joining.length === 0) return undefined;
  const open = duration(secondsBetween(incident.openedAt ?? trouble.since, now));
  const text = `Nobody has taken it for ${open}: ${joining.join(', ')} ${joining.length === 1 ? 'hears' : 'hear'} of it too.`;
  return updated(withNote({ ...incident, trouble }, 'escalated', text, context));
}
