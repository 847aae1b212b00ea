import type { Severity } from '../findings/trouble.ts';
import { isMoreSevere, severities, severityRank } from '../findings/trouble-words.ts';
import { given } from '../text/given.ts';
import { secondsSince } from '../text/instant.ts';
import { joinEverySeconds, knownForSeconds } from './earlier-causes.ts';
import type { Incident, ToldSeverity } from './incident.ts';
import { hasJoined, isBeginning, isWorthRepeating } from './notes.ts';

/** Seconds that one or two looks without it last, which make its return no news. */
const dipSeconds = 120;

/** Whether people were told of a severity above the present one that it fell below within the hour: whoever may make
 *  it rise and fall has nobody told each time. */
export function isToldSeverity(incident: Incident, severity: Severity, now: Date): boolean {
  const told = toldOf(incident, severity);
  return told !== undefined && isFresh(told, now);
}

/** The same of one that it had risen to: whoever has taken it since knows that it goes up and down. */
export function isKnownToRise(incident: Incident, severity: Severity, now: Date): boolean {
  return toldOf(incident, severity)?.rose === true && isToldSeverity(incident, severity, now);
}

/** It is as severe again as people were told, and stays so: it may be for somebody else, whom a short rise hides.
 *  Whoever gets there only now and then is not told of again. */
export function isBackToStay(incident: Incident, severity: Severity, now: Date): boolean {
  const told = toldOf(incident, severity);
  return told !== undefined && isBack(told, now);
}

function toldOf({ severities: told = [] }: Incident, severity: Severity): ToldSeverity | undefined {
  return told.find((each) => each.severity === severity);
}

function isBack({ backSince }: ToldSeverity, now: Date): boolean {
  return backSince !== undefined && secondsSince(backSince, now) >= joinEverySeconds;
}

/** By a clock that was set back it is not known for longer. */
function isFresh(told: ToldSeverity, now: Date): boolean {
  const { fellAt } = told;
  return fellAt !== undefined && !isBack(told, now) && Math.abs(secondsSince(fellAt, now)) <= knownForSeconds;
}

/** The incident with the severities that people were told of after this step. Its beginning begins anew, and with one
 *  more target what is above the present one: that target has not seen it. */
export function withToldSeverities(stored: Incident | undefined, incident: Incident, now: Date): Incident {
  const fresh = incident.notes.filter(({ seq }) => seq > (stored?.seq ?? 0));
  if (stored?.trouble === undefined || incident.trouble === undefined) return incident;
  if (stored.number !== incident.number || fresh.some(isBeginning))
    return incident.severities === undefined ? incident : { ...incident, severities: undefined };
  const [last, { severity }] = [stored.trouble.severity, incident.trouble];
  const before = stored.severities ?? upTo(last, stored.openedAt);
  const told = fresh.some(({ kind }) => isWorthRepeating(kind)) ? toldNow(before, { last, severity }, now) : before;
  const all = told.map((each) => seenNow(each, { last, severity }, now));
  const next = hasJoined(stored, incident) ? all.filter((each) => !isMoreSevere(each.severity, severity)) : all;
  // Absent they stand for that of the trouble, which has not been told where somebody has taken one as severe.
  const isUnsaid = stored.severities === undefined && isMoreSevere(severity, last);
  const isSame = next.length === before.length && next.every((each, at) => each === before[at]);
  return isSame && !isUnsaid ? incident : { ...incident, severities: next };
}

interface Seen {
  /** At the look before, and now. */
  readonly last: Severity;
  readonly severity: Severity;
}

/** Not after one or two looks without it, unless these came right after people were told: not all may have been sent
 *  to by then, and those who were saw it as it was then. */
function isNewsLater({ toldAt, fellAt }: ToldSeverity, now: Date): boolean {
  if (fellAt === undefined) return false;
  const isRightAfter = toldAt !== undefined && secondsSince(toldAt, new Date(fellAt)) < joinEverySeconds;
  return isRightAfter || secondsSince(fellAt, now) >= dipSeconds;
}

function seenNow(told: ToldSeverity, { last, severity }: Seen, now: Date): ToldSeverity {
  const { backSince, ...before } = told;
  if (isMoreSevere(told.severity, severity)) {
    if (before.fellAt === undefined) return { ...before, fellAt: now.toISOString() };
    return backSince === undefined ? told : before;
  }
  const isBackNow = isMoreSevere(told.severity, last) && isNewsLater(before, now);
  return isBackNow ? { ...before, backSince: now.toISOString() } : told;
}

function upTo(severity: Severity, toldAt: string | undefined): readonly ToldSeverity[] {
  return severities.slice(severityRank(severity)).map((each) => ({ severity: each, ...given({ toldAt }) }));
}

/** Of one people are told of all below it, too. */
function toldNow(before: readonly ToldSeverity[], { last, severity }: Seen, now: Date): readonly ToldSeverity[] {
  const hadRisen = (severity: Severity) => before.some((each) => each.severity === severity && each.rose === true);
  return [
    ...before.filter((each) => isMoreSevere(each.severity, severity)),
    ...upTo(severity, now.toISOString()).map((each): ToldSeverity => {
      const isRise = isMoreSevere(each.severity, last) || hadRisen(each.severity);
      return isRise ? { ...each, rose: true } : each;
    }),
  ];
}
