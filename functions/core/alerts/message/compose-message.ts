import { anchorOf, titleOf } from '../../diagnose/cause-titles.ts';
import { remediesInOrder } from '../../findings/remedy-order.ts';
import type { Evidence, Finding, Remedy, Trouble } from '../../findings/trouble.ts';
import { confidenceWords, isProgress, kindWords, placeWords, riskWords } from '../../findings/trouble-words.ts';
import { clockTime, duration, secondsBetween, withClockTimes } from '../../text/durations.ts';
import { safeHeadline, safeLine, safeText } from '../../text/safe-text.ts';
import { attentionWords, isAttended } from '../attention.ts';
import { type Incident, lastsSince } from '../incident.ts';
import { incidentName, outcomeWords, stateWord, troubleToName } from '../incident-words.ts';
import { staleAfterSeconds } from '../life/blind.ts';
import { rootCause } from '../root-cause.ts';
import { episodeOf } from '../slack-buttons.ts';
import type { Message, MessageContext, MessageFact, MessageNote, MessageRemedy } from './message.ts';
import { linksOf } from './message-links.ts';

const line = {
  headline: 200,
  sentence: 700,
  fact: 240,
  label: 40,
  title: 240,
  note: 600,
  evidence: 400,
} as const;

/** Seconds after which a first message says how late it is. */
const lateSeconds = 120;

/** Everything that a message about an incident says at `now`. */
export function composeMessage(incident: Incident, context: MessageContext): Message {
  const { key } = incident;
  const state = stateWord(incident.state);
  const trouble = state === 'RESOLVED' ? troubleToName(incident) : incident.trouble;
  const findings = state === 'RESOLVED' ? [] : (trouble?.findings ?? []);
  const headline = safeHeadline(troubleToName(incident)?.headline ?? '', line.headline) || kindWords(key.kind);
  const root = findings[0] === undefined ? undefined : rootCause(findings[0]);
  return {
    state,
    severity: trouble?.severity ?? 'info',
    place: safeHeadline(placeWords(key), 120),
    cluster: safeLine(key.cluster, 80),
    subject: safeLine(key.pool === '*' ? key.cluster : key.pool, 80),
    kind: kindWords(key.kind),
    name: incidentName(incident.number),
    headline,
    firstHeadline: safeHeadline(openingOf(incident) ?? '', line.headline) || headline,
    lasting: lastingWords(incident, context.now),
    why: sentenceOf(state === 'RESOLVED' ? endWords(incident) : (root?.sentence ?? unknownCause(trouble)), context.now),
    chain: findings
      .slice(0, 1)
      .flatMap((found) => chainOf(found, context.now))
      .filter(isSaid)
      .slice(0, 8),
    also: alsoOf(findings.slice(1)),
    remedies: remediesOf(findings),
    facts: state === 'RESOLVED' ? endFacts(incident, context.now) : factsOf(incident, context.now),
    confidence: confidenceWords(root?.confidence),
    cause: root === undefined ? undefined : causeWords(root.code, context.statusUrl),
    evidenceReadAt: readAt(findings, context.now),
    evidence: evidenceOf(findings).map((each) => evidenceLine(each, context.now)),
    openedAt: incident.openedAt,
    attention: attentionOf(incident, context.now),
    notices: noticesOf(incident, context),
    history: historyOf(incident, context.now),
    link: context.statusUrl,
    links: linksOf(trouble, context.places),
    product: safeLine(context.product, 60),
    buttons: context.buttons === true && state !== 'RESOLVED',
    mayFreeze: context.mayFreeze === true,
    approval: approvalOf(incident, context),
    mentions: mentionsIn(incident),
    steered: steeredIn(incident, context),
    number: incident.number,
    seq: incident.seq,
    episode: episodeOf(incident),
  };
}

function mentionsIn({ trouble, state }: Incident): Message['mentions'] {
  return stateWord(state) === 'RESOLVED' ? [] : (trouble?.mentions ?? []);
}

function approvalOf({ key, trouble, state }: Incident, { buttons }: MessageContext): Message['approval'] {
  const config = trouble?.asksApproval;
  if (config === undefined || buttons !== true || state !== 'firing') return undefined;
  return { cluster: key.cluster, pool: key.pool, config };
}

/** The sequences, steps and gates that the message tells of. */
function steeredIn({ trouble, key, state }: Incident, { buttons, maySteer }: MessageContext): Message['steered'] {
  if (buttons !== true || maySteer !== true || key.kind !== 'sequence-stuck' || state !== 'firing') return [];
  return (trouble?.findings ?? []).flatMap(({ subject: { kind, name } }) => {
    const [sequence = '', ...item] = name.split('/');
    if (kind !== 'Sequence' || sequence === '') return [];
    const pausedBy = trouble?.paused?.find((each) => each.sequence === sequence)?.who;
    return [
      { sequence, ...(item.length > 0 && { item: item.join('/') }), ...(pausedBy !== undefined && { pausedBy }) },
    ];
  });
}

/** Only codes of the catalogue; others in an old row are ignored. */
function causeWords(code: string, statusUrl: string | undefined): Message['cause'] {
  const title = titleOf(code);
  if (title === undefined) return undefined;
  return { code, title, link: statusUrl === undefined ? undefined : besideStatus(statusUrl, code) };
}

/** `/causes` is a sibling of the status page, also behind a gateway path. */
function besideStatus(statusUrl: string, code: string): string | undefined {
  return URL.canParse(statusUrl) ? new URL(`causes#${anchorOf(code)}`, statusUrl).href : undefined;
}

function openingOf({ notes }: Incident): string | undefined {
  return notes.find(({ kind }) => kind === 'opened')?.text;
}

/** Of an incident that is over no shorter than it was said to last while it was open. */
function lastingSeconds(incident: Incident, now: Date): number {
  const { trouble, openedAt, resolvedAt, state, since } = incident;
  if (state === 'ok') return secondsBetween(lastsSince(incident) ?? now.toISOString(), resolvedAt ?? now);
  return secondsBetween(trouble?.since ?? since ?? openedAt ?? now.toISOString(), now);
}

function sentenceOf(text: string, now: Date): string {
  return safeLine(readable(text, now), line.sentence);
}

function unknownCause(trouble: Trouble | undefined): string {
  return trouble === undefined ? 'The cause is unknown.' : 'The cause is not known yet; see the facts below.';
}

/** How it ended, where nothing was seen that explains it. */
const unseenEnds: Readonly<Record<NonNullable<Incident['outcome']>, string>> = {
  fixed: 'It is no longer so; what repaired it was not seen.',
  superseded: 'Another incident tells of it from here on.',
  'subject-removed': 'What it was about was removed.',
  'closed-by-person': 'A person closed it.',
};

function endWords({ endedBy, outcome }: Incident): string {
  return endedBy ?? unseenEnds[outcome ?? 'fixed'];
}

/** The chain of causes from the symptom, without the root cause, which is shown as the reason. */
function chainOf(finding: Finding, now: Date): readonly string[] {
  const [first] = finding.because;
  if (first === undefined) return [];
  return [sentenceOf(finding.sentence, now), ...chainOf(first, now)];
}

function alsoOf(findings: readonly Finding[]): readonly string[] {
  const shown = findings.slice(0, 3).map((finding) => safeLine(rootCause(finding).sentence, 300));
  const more = findings.length - 3;
  return [...shown.filter(isSaid), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** Cleaning may leave an empty text. */
function isSaid(text: string): boolean {
  return text !== '';
}

function remediesOf(findings: readonly Finding[]): readonly MessageRemedy[] {
  return remediesInOrder(findings, 8).map(remedyOf);
}

/** Longest command printed, UTF-16 units. */
const commandLimit = 800;

/** A command is printed in full or not at all: half of one does something else. */
function remedyOf({ title, risk, who, command, undo }: Remedy): MessageRemedy {
  const given = [command, undo].map((each) => (each === undefined ? undefined : safeText(each, 10 * commandLimit)));
  const isLong = given.some((each) => each !== undefined && each.length > commandLimit);
  const [forth, back] = isLong ? [undefined, undefined] : given.map((each) => (each === '' ? undefined : each));
  return {
    title: `${safeLine(title, line.title)}${isLong ? ' (long command: see the status page)' : ''}`,
    risk: riskWords(risk),
    who,
    harmless: risk === 'none' || risk === 'low',
    command: forth,
    undo: back,
  };
}

/** What is reported the moment that it is first seen may have lasted for long: `0 s` would be a claim. */
function lastingWords(incident: Incident, now: Date): string {
  const seconds = lastingSeconds(incident, now);
  return stateWord(incident.state) !== 'RESOLVED' && seconds < 1 ? 'first seen now' : duration(seconds);
}

/** Leaves out the duration if a given fact already has one (`Paused for`). */
function factsOf(incident: Incident, now: Date): readonly MessageFact[] {
  const { key, trouble } = incident;
  const given = trouble?.facts ?? [];
  const says = (pattern: RegExp) => given.some(({ label }) => pattern.test(label));
  const own = [
    ...(says(/^cluster$/i) ? [] : [{ label: 'Cluster', value: key.cluster }]),
    ...(says(/\bfor$/i) ? [] : [{ label: 'For', value: lastingWords(incident, now) }]),
  ];
  return [...own, ...given].slice(0, 6).map((fact) => safeFact(fact, now));
}

function endFacts(incident: Incident, now: Date): readonly MessageFact[] {
  const { key, resolvedAt, outcome, reopened, attention } = incident;
  const began = lastsSince(incident);
  const facts = [
    { label: 'Cluster', value: key.cluster },
    { label: 'Lasted', value: duration(lastingSeconds(incident, now)) },
    ...(isProgress(key.kind) ? [] : [{ label: 'Outcome', value: outcomeWords(outcome) }]),
    { label: 'Began', value: began === undefined ? 'unknown' : clockTime(began, now) },
    { label: 'Ended', value: resolvedAt === undefined ? 'unknown' : clockTime(resolvedAt, now) },
  ];
  return [
    ...facts,
    ...(reopened > 0 ? [{ label: 'Reopened', value: times(reopened) }] : []),
    ...(attention === undefined ? [] : [{ label: capital(attention.kind), value: `by ${attention.by}` }]),
  ].map((fact) => safeFact(fact, now));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** Instants in the reader's form and hashes shortened to what tells them apart. Evidence and commands keep the full
 *  form. */
function readable(text: string, now: Date): string {
  return withClockTimes(text, now).replaceAll(/\b([0-9a-f]{8})[0-9a-f]{24}(?:[0-9a-f]{8})?\b/g, '$1');
}

function safeFact({ label, value }: MessageFact, now: Date): MessageFact {
  return { label: safeLine(label, line.label), value: safeLine(readable(value, now), line.fact) };
}

function evidenceOf(findings: readonly Finding[]): readonly Evidence[] {
  return findings.flatMap((finding) => [...finding.evidence, ...evidenceOf(finding.because)]);
}

function evidenceLine({ ref, path, value, readAt: at }: Evidence, now: Date): string {
  const place = ref.namespace === '' ? `${ref.kind} ${ref.name}` : `${ref.kind} ${ref.namespace}/${ref.name}`;
  return safeLine(`${place} ${path} = ${value} (read ${clockTime(at, now)})`, line.evidence);
}

/** The newest read: a message is as fresh as its evidence. */
function readAt(findings: readonly Finding[], now: Date): string | undefined {
  const newest = evidenceOf(findings)
    .map(({ readAt: at }) => at)
    .filter((at) => !Number.isNaN(Date.parse(at)))
    .toSorted((a, b) => Date.parse(b) - Date.parse(a))[0];
  return newest === undefined ? undefined : clockTime(newest, now);
}

function attentionOf(incident: Incident, now: Date): string | undefined {
  const { attention, state } = incident;
  if (state === 'ok' || attention === undefined || !isAttended(incident, now)) return undefined;
  return safeLine(attentionWords(attention, now), 400);
}

function noticesOf(incident: Incident, context: MessageContext): readonly string[] {
  const { now, continued, mayRepeat } = context;
  const { staleSince, staleWhy, state, inhibitedBy, flapping } = incident;
  const open = state !== 'ok';
  const notices = [
    open && staleSince !== undefined && secondsBetween(staleSince, now) >= staleAfterSeconds
      ? `no fresh data since ${clockTime(staleSince, now)} (${staleWhy ?? 'unreadable'}); state may have changed`
      : undefined,
    open && inhibitedBy !== undefined ? `muted: ${inhibitedBy}` : undefined,
    flapping ? 'flapping: reminders only' : undefined,
    continued === true ? 'replaces an earlier message that can no longer be edited' : undefined,
    mayRepeat === true ? 'may repeat an earlier message' : undefined,
    continued === true ? undefined : latenessOf(incident, context),
  ];
  return notices.filter((notice) => notice !== undefined).map((notice) => safeLine(notice, 240));
}

/** Of a first message. A target that is told later on purpose, as by `escalateAfter`, is not late for that. */
function latenessOf({ openedAt }: Incident, { now, occasion, owedSince }: MessageContext): string | undefined {
  const since = owedSince ?? openedAt;
  const late = occasion === 'opened' && since !== undefined ? secondsBetween(since, now) : 0;
  if (late < lateSeconds) return undefined;
  return `delivered ${duration(late)} ${owedSince === undefined ? 'after it opened' : 'late'}`;
}

/** The newest notes, oldest first. */
function historyOf({ notes }: Incident, now: Date): readonly MessageNote[] {
  return notes.slice(-6).map(({ at, text }) => ({ at: clockTime(at, now), text: safeLine(text, line.note) }));
}
