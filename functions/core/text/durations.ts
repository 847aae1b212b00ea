/** A duration for people: its two largest units. Seconds only below a minute. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return joined(`${hours} h`, minutes % 60, 'min');
  const days = Math.floor(hours / 24);
  return joined(days === 1 ? '1 day' : `${days} days`, hours % 24, 'h');
}

function joined(large: string, small: number, unit: string): string {
  return small === 0 ? large : `${large} ${small} ${unit}`;
}

/** Seconds from one ISO instant to another; 0 if clocks disagree. */
export function secondsBetween(from: string, to: Date | string): number {
  const end = typeof to === 'string' ? Date.parse(to) : to.getTime();
  const seconds = (end - Date.parse(from)) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

/** `14:02:11 UTC`; with the date if it is not the day of `now`. */
export function clockTime(instant: string, now: Date): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  const iso = at.toISOString();
  const time = `${iso.slice(11, 19)} UTC`;
  return iso.slice(0, 10) === now.toISOString().slice(0, 10) ? time : `${iso.slice(0, 10)} ${time}`;
}

/** ISO instants inside a text, to split it at them. */
export const instantInText = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)/;

/** A text with the instants in it in the reader's form. */
export function withClockTimes(text: string, now: Date): string {
  const parts = text.split(instantInText);
  return parts.map((part, index) => (index % 2 === 1 ? clockTime(part, now) : part)).join('');
}

/** Absolute and relative: `2026-03-02 14:02 UTC, 12 min ago`. */
export function when(instant: string, now: Date): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  const iso = at.toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC, ${duration(secondsBetween(instant, now))} ago`;
}
