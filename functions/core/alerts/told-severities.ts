import type { Severity } from '../findings/trouble.ts';
import { isMoreSevere, severityRank } from '../findings/trouble-words.ts';
import { secondsSince } from '../text/instant.ts';
import { knownForSeconds } from './earlier-causes.ts';
import type { Incident, ToldSeverity } from './incident.ts';
import { hasJoined, isBeginning, isWorthRepeating } from './notes.ts';

const all: readonly Severity[] = ['critical', 'high', 'warning', 'info'];

/** Whether people were told of a severity above the present one that it fell below within the hour: whoever may make
 *  it rise and fall has nobody told each time. */
export function isToldSeverity({ severities = [] }: Incident, severity: Severity, now: Date): boolean {
  return severities.some((each) => each.severity === severity && isFresh(each, now));
}

/** The same of one that it had risen to: whoever has taken it since knows that it goes up and down. */
export function isKnownToRise({ severities = [] }: Incident, severity: Severity, now: Date): boolean {
  return severities.some((each) => each.severity === severity && each.rose === true && isFresh(each, now));
}

/** By a clock that was set back it is not known for longer. */
function isFresh({ fellAt }: ToldSeverity, now: Date): boolean {
  return fellAt !== undefined && Math.abs(secondsSince(fellAt, now)) <= knownForSeconds;
}

/** The incident with the severities that people were told of after this step. Its beginning, and one more target, begin
 *  anew: what that one has not seen is news. */
export function withToldSeverities(stored: Incident | undefined, incident: Incident, now: Date): Incident {
  const fresh = incident.notes.filter(({ seq }) => seq > (stored?.seq ?? 0));
  if (stored?.trouble === undefined || incident.trouble === undefined) return incident;
  if (stored.number !== incident.number || fresh.some(isBeginning) || hasJoined(stored, incident))
    return incident.severities === undefined ? incident : { ...incident, severities: undefined };
  const [last, { severity }] = [stored.trouble.severity, incident.trouble];
  const before = stored.severities ?? upTo(last);
  const told = fresh.some(({ kind }) => isWorthRepeating(kind)) ? toldNow(before, { last, severity }) : before;
  const next = told.map((each) =>
    each.fellAt === undefined && isMoreSevere(each.severity, severity) ? { ...each, fellAt: now.toISOString() } : each,
  );
  // Absent they stand for that of the trouble, which has not been told where somebody has taken one as severe.
  const isUnsaid = stored.severities === undefined && isMoreSevere(severity, last);
  const isSame = next.every((each, at) => each === before[at]);
  return isSame && !isUnsaid ? incident : { ...incident, severities: next };
}

function upTo(severity: Severity): readonly ToldSeverity[] {
  return all.slice(severityRank(severity)).map((each) => ({ severity: each }));
}

/** Of one people are told of all below it, too. */
function toldNow(
  before: readonly ToldSeverity[],
  { last, severity }: { readonly last: Severity; readonly severity: Severity },
): readonly ToldSeverity[] {
  const rose = new Set(before.filter((each) => each.rose === true).map((each) => each.severity));
  return [
    ...before.filter((each) => isMoreSevere(each.severity, severity)),
    ...upTo(severity).map((each): ToldSeverity => {
      const isRise = isMoreSevere(each.severity, last) || rose.has(each.severity);
      return isRise ? { ...each, rose: true } : each;
    }),
  ];
}
