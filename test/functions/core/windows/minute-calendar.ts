import type { Window } from '../../../../functions/core/configuration/window.ts';

/** An independent calendar: it knows no schedule library, and compares the face of the clock in the window's zone with
 *  each field, for every minute in which an opening that still lasts could have begun. */
export function isOpenAtMinute(windows: readonly Window[], now: Date): boolean {
  const allows = windows.filter(({ kind }) => kind === 'allow');
  if (windows.some((window) => window.kind === 'deny' && isIn(window, now))) return false;
  return allows.length === 0 || allows.some((window) => isIn(window, now));
}

function isIn({ schedule, durationSeconds = 0, from, to, timeZone }: Window, now: Date): boolean {
  if (schedule === undefined) {
    const face = faceText(now, timeZone);
    return face >= fullTime(from ?? '') && face < fullTime(to ?? '');
  }
  for (let back = 0; back < durationSeconds / 60; back += 1) {
    if (matches(schedule, new Date(now.getTime() - back * 60_000), timeZone)) return true;
  }
  return false;
}

interface Face {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly weekday: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const faces = new Map<string, Face>();

function faceOf(at: Date, timeZone: string): Face {
  const key = `${timeZone} ${at.getTime()}`;
  const face = faces.get(key) ?? readFace(at, timeZone);
  faces.set(key, face);
  return face;
}

function readFace(at: Date, timeZone: string): Face {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' });
  formats.set(timeZone, format);
  const [date = '', time = ''] = format.format(at).split(' ');
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return { year, month, day, hour, minute, weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay() };
}

function faceText(at: Date, timeZone: string): string {
  const { year, month, day, hour, minute } = faceOf(at, timeZone);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
}

function fullTime(local: string): string {
  return local.includes('T') ? local : `${local}T00:00`;
}

function matches(schedule: string, at: Date, timeZone: string): boolean {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = schedule.split(' ');
  const face = faceOf(at, timeZone);
  if (!isOf(minutes, face.minute) || !isOf(hours, face.hour) || !isOf(months, face.month)) return false;
  const byDay = isOf(days, face.day);
  const byWeekday = isOf(weekdays, face.weekday) || (face.weekday === 0 && isOf(weekdays, 7));
  // As in cron: two restricted days are alternatives.
  return days !== '*' && weekdays !== '*' ? byDay || byWeekday : byDay && byWeekday;
}

function isOf(field: string, value: number): boolean {
  return field.split(',').some((part) => {
    if (part === '*') return true;
    if (part.startsWith('*/')) return value % Number(part.slice(2)) === 0;
    const [first = '', last = first] = part.split('-');
    return value >= Number(first) && value <= Number(last);
  });
}
