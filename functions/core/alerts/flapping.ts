import type { AlertingPolicy } from '../configuration/policy.ts';
import { plainName } from '../findings/cause-key.ts';
import { rootsOf } from '../findings/chain.ts';
import { ownerOf, ownerOfPart } from '../findings/owner.ts';
import { type ObjectRef, refText, type Severity, type Trouble } from '../findings/trouble.ts';
import { severityRank } from '../findings/trouble-words.ts';
import { duration, secondsBetween } from '../text/durations.ts';
import type { Incident } from './incident.ts';
import { hasJoined } from './notes.ts';
import { actsOf } from './owned-causes.ts';

/** Transitions kept. Source: Naemon keeps 21 results. */
const ringSize = 20;

/** UTF-16 units of the Applications that are kept: some four hundred, and fifty of the longest names. */
const applicationsAtMost = 16 * 1024;

/** What people are told of once while it flaps: Applications whose syncs the trouble is about, and namespaces in which
 *  other causes lie, such as budgets. By its findings and by its digest: `name:code:Application namespace/name;...`. Of
 *  a stored one the findings may be cut, and of hundreds the digest. */
function causesOf({ digest, findings }: Pick<Trouble, 'digest' | 'findings'>): readonly string[] {
  const roots = findings.flatMap(rootsOf).map(({ subject }) => nameOf(subject));
  const all = new Set([...roots, ...digest.split(';').map(nameOfPart)]);
  return [...all].filter((each) => each !== undefined);
}

function nameOf(subject: ObjectRef): string | undefined {
  return subject.kind === 'Application' ? refText(subject) : namespaceName(ownerOf(subject));
}

function nameOfPart(part: string): string | undefined {
  const application = /:(Application [^:]+)$/.exec(part)?.[1];
  return application === undefined ? namespaceName(ownerOfPart(part)) : plainName(application);
}

function namespaceName(owner: string): string | undefined {
  return owner === '' ? undefined : `Namespace ${owner}`;
}

/** What an incident remembers when it begins to flap. */
export function toldWhileFlapping({ trouble }: Incident): Pick<Incident, 'flappingFor' | 'flappingAt'> {
  if (trouble === undefined) return {};
  return { flappingFor: kept(causesOf(trouble)), flappingAt: trouble.severity };
}

/** The incident with what nobody was told of since it began to flap, Applications, causes in other namespaces and a
 *  higher severity; undefined: there is none. Whoever may let one thing fail again and again must not silence what is
 *  worse, nor the failures of others on the same pool. */
export function withUntold(incident: Incident, trouble: Trouble): Incident | undefined {
  const known = toldWhileFlapping(incident);
  const told = incident.flappingFor ?? known.flappingFor ?? [];
  const flappingAt = incident.flappingAt ?? known.flappingAt;
  const others = causesOf(trouble).filter(isNotAmong(told));
  const isWorse = isHigher(trouble.severity, flappingAt);
  if (others.length === 0 && !isWorse) return undefined;
  return {
    ...incident,
    flappingFor: kept([...told, ...others]),
    flappingAt: isWorse ? trouble.severity : flappingAt,
  };
}

/** Who is told from now on knows what stands alone: what was worse, or of others, is news when it comes back. */
export function withJoined(stored: Incident | undefined, incident: Incident): Incident {
  const isAmongOld = stored === undefined || stored.number !== incident.number || !hasJoined(stored, incident);
  return isAmongOld || !incident.flapping ? incident : { ...incident, ...toldWhileFlapping(incident) };
}

/** Nobody was told of this Application, or of causes in this namespace, since the incident began to flap. */
export function isUntold({ flapping, flappingFor = [] }: Incident, subject: ObjectRef): boolean {
  const name = nameOf(subject);
  return flapping && name !== undefined && isNotAmong(flappingFor)(name);
}

function isNotAmong(told: readonly string[]): (application: string) => boolean {
  const known = new Set(told);
  return (application) => !known.has(application) && !known.has(allBeside(application));
}

/** No Application can have this name: it stands for all of its namespace. */
function allBeside(application: string): string {
  return `${application.split('/', 1).join('')}/*`;
}

/** As many as there is room for. Of the namespace that needs most of it, one entry stands for all: whoever has hundreds
 *  of Applications has people told of no change of each for that, nor takes the place of others. */
function kept(applications: readonly string[]): readonly string[] {
  let left = applications;
  while (sizeOf(left) > applicationsAtMost) {
    const namespaces = [...Map.groupBy(left, allBeside)].filter(([, each]) => each.length > 1);
    const [largest] = namespaces.toSorted(([, a], [, b]) => sizeOf(b) - sizeOf(a));
    left =
      largest === undefined ? left.slice(1) : [...left.filter((each) => allBeside(each) !== largest[0]), largest[0]];
  }
  return left;
}

function sizeOf(names: readonly string[]): number {
  return names.reduce((sum, { length }) => sum + length, 0);
}

function isHigher(severity: Severity, than: Severity | undefined): boolean {
  return than !== undefined && severityRank(severity) < severityRank(than);
}

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
  const other = incident.trouble === undefined ? 'other causes' : otherWords(incident.trouble);
  return `Flapping (${changes}). Only reminders, a higher severity and ${other} from now on, until it is stable for ${duration(policy.flapCalmSeconds)}.`;
}

function otherWords(trouble: Trouble): string {
  if (actsOf(trouble).length > 0) return 'what people do or ask anew';
  const causes = causesOf(trouble);
  if (causes.length === 0) return 'other causes';
  return `what comes of other ${causes.some((each) => each.startsWith('Application ')) ? 'Applications' : 'namespaces'}`;
}

/** Summary of the flapping period: number of transitions and the longest stable period. */
export function calmWords(incident: Incident): string {
  const gaps = incident.transitions.slice(1).map((at, index) => secondsBetween(incident.transitions[index] ?? at, at));
  const longest = duration(Math.max(0, ...gaps));
  return `changed state ${incident.transitions.length} times, longest stable period ${longest}`;
}
