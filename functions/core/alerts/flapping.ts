import type { AlertingPolicy } from '../configuration/policy.ts';
import { duration, secondsBetween } from '../text/durations.ts';
import type { Incident } from './incident.ts';

/** Transitions kept. Source: Naemon keeps 21 results. */
const ringSize = 20;

/** Records one more transition. */
export function withTransition(incident: Incident, now: Date): Incident {
  return { ...incident, transitions: [...incident.transitions, now.toISOString()].slice(-ringSize) };
}

/** Too many recent transitions to send a message for each. */
export function isFlapping(transitions: readonly string[], policy: AlertingPolicy, now: Date): boolean {
  const recent = transitions.filter((at) => secondsBetween(at, now) <= policy.flapWindowSeconds);
  return recent.length >= policy.flapChanges;
}

/** No transition for long enough. */
export function isCalm(incident: Incident, policy: AlertingPolicy, now: Date): boolean {
  const last = incident.transitions.at(-1);
  return last === undefined || secondsBetween(last, now) >= policy.flapCalmSeconds;
}

export function flappingWords(incident: Incident, policy: AlertingPolicy): string {
  const changes = `${incident.transitions.length} changes`;
  return `Flapping (${changes}). Only reminders from now on, until it is stable for ${duration(policy.flapCalmSeconds)}.`;
}

/** Summary of the flapping period: number of transitions and the longest stable period. */
export function calmWords(incident: Incident): string {
  const gaps = incident.transitions.slice(1).map((at, index) => secondsBetween(incident.transitions[index] ?? at, at));
  const longest = duration(Math.max(0, ...gaps));
  return `changed state ${incident.transitions.length} times, longest stable period ${longest}`;
}
