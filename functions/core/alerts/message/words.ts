import type { Confidence, Remedy, Severity, TroubleKind } from '../../trouble.ts';
import type { Incident } from '../incident.ts';

/** How long, for people: the two largest units, never a bare number. Below a minute it says seconds. */
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

/** Seconds from one ISO instant to another moment; 0 when clocks disagree. */
export function secondsBetween(from: string, to: Date | string): number {
  const end = typeof to === 'string' ? Date.parse(to) : to.getTime();
  const seconds = (end - Date.parse(from)) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

/** `14:02:11 UTC`; with the date when it is not the day of `now`. */
export function clockTime(instant: string, now: Date): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  const iso = at.toISOString();
  const time = `${iso.slice(11, 19)} UTC`;
  return iso.slice(0, 10) === now.toISOString().slice(0, 10) ? time : `${iso.slice(0, 10)} ${time}`;
}

/** Absolute and relative: `2026-03-02 14:02 UTC, 12 min ago`. */
export function when(instant: string, now: Date): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  const iso = at.toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC, ${duration(secondsBetween(instant, now))} ago`;
}

/** `PK-7`. */
export function incidentName(number: number): string {
  return `PK-${number}`;
}

const kinds: Readonly<Record<TroubleKind, string>> = {
  'drain-blocked': 'drain blocked',
  'node-degraded': 'node degraded',
  'node-lost': 'node lost',
  'no-progress': 'no progress',
  'render-failed': 'render failed',
  'build-failed': 'image build failed',
  'paused-too-long': 'paused too long',
  'sync-stuck': 'sync stuck',
  'run-failed': 'sync failed',
  'late-pause': 'pause came late',
  'break-glass': 'break-glass in use',
  'watcher-blind': 'cluster out of sight',
  'notify-failing': 'alerts not delivered',
};

/** Whether an event's kind is one that this version knows. */
export function isTroubleKind(kind: string): kind is TroubleKind {
  return Object.hasOwn(kinds, kind);
}

export function kindWords(kind: TroubleKind): string {
  return kinds[kind];
}

export type StateWord = 'FIRING' | 'RECOVERING' | 'RESOLVED';

/** State as a word: colour and emoji only come in addition. */
export function stateWord(state: Incident['state']): StateWord {
  switch (state) {
    case 'pending':
    case 'firing':
      return 'FIRING';
    case 'resolving':
      return 'RECOVERING';
    case 'ok':
      return 'RESOLVED';
    default:
      return state satisfies never;
  }
}

const outcomes: Readonly<Record<NonNullable<Incident['outcome']>, string>> = {
  fixed: 'fixed',
  superseded: 'superseded by another incident',
  'subject-removed': 'its subject was removed',
  'closed-by-person': 'closed by a person',
};

export function outcomeWords(outcome: Incident['outcome']): string {
  return outcome === undefined ? 'over' : outcomes[outcome];
}

const risks: Readonly<Record<Remedy['risk'], string>> = {
  none: 'no risk',
  low: 'low risk',
  outage: 'short outage',
  'data-loss': 'may lose data',
};

export function riskWords(risk: Remedy['risk']): string {
  return risks[risk];
}

export function confidenceWords(confidence: Confidence | undefined): string {
  return confidence === undefined ? 'cause not known yet' : `confidence ${confidence}`;
}

/** Worst first. */
const severities: readonly Severity[] = ['critical', 'high', 'warning', 'info'];

/** 0 is the worst. */
export function severityRank(severity: Severity): number {
  return severities.indexOf(severity);
}

/** `prod/worker`, or `prod` for what concerns the whole cluster. */
export function placeWords(key: { readonly cluster: string; readonly pool: string }): string {
  return key.pool === '*' ? key.cluster : `${key.cluster}/${key.pool}`;
}
