import type { AlertingPolicy } from '../configuration/policy.ts';
import type { Severity } from '../findings/trouble.ts';
import { plusSeconds } from '../text/instant.ts';
import type { Incident } from './incident.ts';

/** Seconds from the opening to reminder number `index` (0: the first); past the end of the ladder its last step
 *  repeats. */
function reminderOffset(ladder: readonly number[], index: number): number | undefined {
  const last = ladder.at(-1);
  if (last === undefined || last <= 0) return undefined;
  return ladder[index] ?? last * (index - ladder.length + 2);
}

function ladderOf(severity: Severity, policy: AlertingPolicy): readonly number[] {
  return severity === 'critical' ? policy.reminderSeconds.critical : policy.reminderSeconds.other;
}

/** The ladder from its first step, as at an opening or a reopening. */
export function freshReminders(severity: Severity, policy: AlertingPolicy, now: Date) {
  const offset = reminderOffset(ladderOf(severity, policy), 0);
  return { remindersSent: 0, nextReminderAt: offset === undefined ? undefined : plusSeconds(now, offset) };
}

/** The ladder after a reminder was sent now. Steps missed while nothing could be read are skipped. */
export function nextReminders(incident: Incident, severity: Severity, policy: AlertingPolicy, now: Date) {
  const ladder = ladderOf(severity, policy);
  const offset = reminderOffset(ladder, incident.remindersSent);
  if (incident.nextReminderAt === undefined || offset === undefined) return freshReminders(severity, policy, now);
  const base = new Date(Date.parse(incident.nextReminderAt) - offset * 1000);
  let sent = incident.remindersSent + 1;
  let next = plusSeconds(base, reminderOffset(ladder, sent) ?? offset);
  while (Date.parse(next) <= now.getTime()) {
    sent += 1;
    next = plusSeconds(base, reminderOffset(ladder, sent) ?? offset);
  }
  return { remindersSent: sent, nextReminderAt: next };
}

export function isReminderDue(incident: Incident, now: Date): boolean {
  return incident.nextReminderAt !== undefined && Date.parse(incident.nextReminderAt) <= now.getTime();
}
