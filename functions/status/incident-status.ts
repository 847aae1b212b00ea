import { attentionWords, isAttended } from '../core/alerts/attention.ts';
import { byNeed } from '../core/alerts/by-need.ts';
import { type Delivery, type Incident, lastsSince } from '../core/alerts/incident.ts';
import { incidentName, outcomeWords, troubleToName } from '../core/alerts/incident-words.ts';
import { rootCause } from '../core/alerts/root-cause.ts';
import { titleOf } from '../core/diagnose/cause-titles.ts';
import { logPath } from '../core/diagnose/logs.ts';
import { remediesInOrder } from '../core/findings/remedy-order.ts';
import type { Finding, Remedy } from '../core/findings/trouble.ts';
import { confidenceWords, kindWords, riskWords } from '../core/findings/trouble-words.ts';
import { secondsBetween } from '../core/text/durations.ts';
import { safeLine } from '../core/text/safe-text.ts';
import type { IncidentStatus } from './status.ts';

/** Longest sentence shown, characters. */
const sentenceLimit = 600;
/** Causes shown for one incident, worst first. */
const causesShown = 5;
/** Links of a chain of causes shown. */
const linksShown = 8;
/** Resolved incidents shown. */
const resolvedShown = 10;

/** Incidents for the status: worst first, as {@link byNeed} has them, then the most recently resolved. */
export function incidentStatuses(incidents: readonly Incident[], now: Date): readonly IncidentStatus[] {
  const all = byNeed(incidents).flatMap((incident) => incidentStatus(incident, now) ?? []);
  const current = all.filter(({ state }) => state !== 'resolved');
  const over = all.filter(({ state }) => state === 'resolved');
  return [...current, ...over.toSorted(byNewestEnd).slice(0, resolvedShown)];
}

function incidentStatus(incident: Incident, now: Date): IncidentStatus | undefined {
  const state = stateOf(incident);
  if (state === undefined) return undefined;
  const { key, number, trouble } = incident;
  return {
    name: number > 0 && state !== 'pending' ? incidentName(number) : undefined,
    state,
    severity: trouble?.severity ?? 'info',
    ...key,
    headline: safeLine(troubleToName(incident)?.headline ?? kindWords(key.kind), 300),
    ...(state === 'resolved' ? endOf(incident, now) : courseOf(incident, now)),
    flapping: incident.flapping,
    facts: (trouble?.facts ?? []).map(({ label, value }) => ({
      label: safeLine(label, 60),
      value: safeLine(value, 300),
    })),
    causes: (trouble?.findings ?? []).slice(0, causesShown).map(causeStatus),
    told: Object.entries(incident.deliveries).map(([target, delivery]) => ({ target, state: toldState(delivery) })),
  };
}

function courseOf(incident: Incident, now: Date) {
  const since = lastsSince(incident);
  return {
    since,
    ageSeconds: since === undefined ? undefined : Math.floor(secondsBetween(since, now)),
    unseenSince: incident.staleSince,
    behind: incident.inhibitedBy === undefined ? undefined : safeLine(incident.inhibitedBy, 200),
    ...attentionOf(incident, now),
  };
}

/** Left out when nobody has acknowledged or snoozed it. */
function attentionOf(incident: Incident, now: Date): { readonly attention?: string } {
  const { attention } = incident;
  if (attention === undefined || !isAttended(incident, now)) return {};
  return { attention: safeLine(attentionWords(attention, now), 400) };
}

function endOf(incident: Incident, now: Date) {
  const { resolvedAt, outcome } = incident;
  const since = lastsSince(incident);
  return {
    since,
    ageSeconds: since === undefined ? undefined : Math.floor(secondsBetween(since, resolvedAt ?? now)),
    resolvedAt,
    outcome: outcomeWords(outcome),
  };
}

/** Undefined: it never opened, so nobody was alerted. */
function stateOf({ state, resolvedAt, number }: Incident): IncidentStatus['state'] | undefined {
  switch (state) {
    case 'pending':
    case 'firing':
      return state;
    case 'resolving':
      return 'recovering';
    case 'ok':
      return resolvedAt === undefined || number === 0 ? undefined : 'resolved';
    default:
      return state satisfies never;
  }
}

function causeStatus(finding: Finding): IncidentStatus['causes'][number] {
  const chain = chainOf(finding).slice(0, linksShown);
  const root = rootCause(finding);
  return {
    ...(titleOf(root.code) === undefined ? {} : { code: root.code }),
    sentence: safeLine(finding.sentence, sentenceLimit),
    confidence: confidenceWords(finding.confidence),
    chain: chain.map(({ sentence }) => safeLine(sentence, sentenceLimit)),
    log: [finding, ...chain]
      .flatMap(({ evidence }) => evidence)
      .filter(({ path }) => path === logPath)
      .map(({ value }) => safeLine(value, sentenceLimit)),
    remedies: remediesInOrder([finding]).map(remedyStatus),
  };
}

/** The chain of causes down to the root, along the first cause of each. */
function chainOf(finding: Finding): readonly Finding[] {
  const [first] = finding.because;
  return first === undefined ? [] : [first, ...chainOf(first)];
}

function remedyStatus({
  title,
  risk,
  who,
  command,
  undo,
}: Remedy): IncidentStatus['causes'][number]['remedies'][number] {
  return {
    title: safeLine(title, 300),
    risk: riskWords(risk),
    who,
    command: wholeCommand(command),
    undo: wholeCommand(undo),
  };
}

/** Characters of a command. */
const commandLimit = 4_000;

/** In full, or not at all: half a command does something else. */
function wholeCommand(command = ''): string | undefined {
  return command === '' || command.length > commandLimit ? undefined : command;
}

function toldState({ dead, wantedSeq, deliveredSeq }: Delivery): IncidentStatus['told'][number]['state'] {
  if (dead) return 'unreachable';
  return deliveredSeq >= wantedSeq ? 'told' : 'owed';
}

function byNewestEnd(a: IncidentStatus, b: IncidentStatus): number {
  return (b.resolvedAt ?? '').localeCompare(a.resolvedAt ?? '');
}
