import type { AlertingPolicy } from '../configuration/policy.ts';
import { duration, secondsBetween } from '../text/durations.ts';
import type { Incident } from './incident.ts';

/** How many comings and goings are remembered. Source: Naemon keeps 21 results. */
const ringSize = 20;

/** The ring with one more coming or going. */
export function withTransition(incident: Incident, now: Date): Incident {
  return { ...incident, transitions: [...incident.transitions, now.toISOString()].slice(-ringSize) };
}

/** Too many comings and goings lately to tell each of them. */
export function isFlapping(transitions: readonly string[], policy: AlertingPolicy, now: Date): boolean {
  const recent = transitions.filter((at) => secondsBetween(at, now) <= policy.flapWindowSeconds);
  return recent.length >= policy.flapChanges;
}

/** Nothing came or went for long enough. */
export function isCalm(incident: Incident, policy: AlertingPolicy, now: Date): boolean {
  const last = incident.transitions.at(-1);
  return last === undefined || secondsBetween(last, now) >= policy.flapCalmSeconds;
}

export function flappingWords(incident: Incident, policy: AlertingPolicy): string {
  const changes = `${incident.transitions.length} changes`;
  return `Comes and goes (${changes} lately). Quiet from now on: reminders only, until nothing changed for ${duration(policy.flapCalmSeconds)}.`;
}

/** What the quiet time was like: how often, and the longest pause between two changes. */
export function calmWords(incident: Incident): string {
  const gaps = incident.transitions.slice(1).map((at, index) => secondsBetween(incident.transitions[index] ?? at, at));
  const longest = duration(Math.max(0, ...gaps));
  return `came and went ${incident.transitions.length} times, longest quiet span ${longest}`;
}
