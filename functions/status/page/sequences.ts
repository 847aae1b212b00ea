import { duration, secondsBetween } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { SequenceItemStatus, SequenceStatus } from '../status.ts';
import { icon, type Look, lookOf } from './sequence-looks.ts';
import { lasting, listed, moment, pill, type Tone } from './words.ts';

/** A card for each sequence: its waves side by side, as the stages of a pipeline. Those that are done are folded beside
 *  others. */
export function sequenceSections(sequences: readonly SequenceStatus[], now: Date): readonly Html[] {
  return sequences.map((sequence) =>
    sequence.state === 'done' && sequence.problems.length === 0 && sequences.length > 1
      ? html`
<details class="card sequence" id="${anchorOf(sequence)}">
<summary>${head(sequence, now, sequence.name)}</summary>
${body(sequence, now)}
</details>`
      : html`
<article class="card sequence" id="${anchorOf(sequence)}">
<header>${head(sequence, now, html`<a href="#${anchorOf(sequence)}">${sequence.name}</a>`)}</header>
${body(sequence, now)}
</article>`,
  );
}

/** Of the page: `#sequence-virtualization`. */
function anchorOf({ name }: SequenceStatus): string {
  return `sequence-${name}`;
}

const states: Readonly<Record<SequenceStatus['state'], readonly [Tone, string]>> = {
  'not begun': ['mute', 'Not begun'],
  running: ['info', 'Under way'],
  paused: ['warn', 'Paused'],
  aborted: ['bad', 'Aborted'],
  done: ['good', 'Done'],
};

/** @param title a link to the card, but not in a summary: what opens and closes may hold nothing else to press */
function head(sequence: SequenceStatus, now: Date, title: string | Html): Html {
  const { state, wave, description, cluster, readAt, readAgeSeconds, stale } = sequence;
  const [tone, word] = states[state];
  const at = state === 'running' && wave !== undefined ? `${word}, wave ${wave}` : word;
  const read =
    readAt === undefined
      ? 'nobody has looked at it yet'
      : html`last look ${moment(readAt, now)}, ${duration(readAgeSeconds ?? 0)} ago`;
  return html`<h3>${title}</h3> ${pill(tone, at)}${description !== undefined && html` <span class="mute">${description}</span>`} <p class="sight">${stale && html`${pill('warn', 'Stale')} `}${read}, kept on ${cluster}</p>`;
}

function body(sequence: SequenceStatus, now: Date): Html {
  const { name, said, state, problems, waves, wavesOmitted, log } = sequence;
  return html`${said !== undefined && html`<p class="alarm">${state === 'aborted' ? 'Aborted' : 'Paused'} by <b>${said.who}</b> at ${moment(said.at, now)}: ${said.why}</p>`}
${problems.length > 0 && html`<ul class="problems">${problems.map((problem) => problemItem(problem, now))}</ul>`}
${waves.length > 0 && html`<div class="pipeline" role="region" tabindex="0" aria-label="Waves of ${name}"><ol>${waves.map((wave) => stage(wave, sequence, now))}</ol></div>`}
${wavesOmitted > 0 && html`<p class="mute">${wavesOmitted} more waves are not shown here.</p>`}
${log.length > 0 && html`<details><summary>What happened</summary><ol class="log">${log.toReversed().map(({ at, item, what }) => html`<li>${moment(at, now)} <b>${item}</b> ${what}</li>`)}</ol></details>`}
${state !== 'done' && html`<p class="steer">To steer it: <code>poolkeeper sequence status|pause|go-on|skip|abort ${name}</code></p>`}`;
}

const problemWords: Readonly<Record<SequenceStatus['problems'][number]['kind'], readonly [Tone, string]>> = {
  timeout: ['bad', 'Not in time'],
  regression: ['bad', 'No longer healthy'],
  refused: ['bad', 'Cannot be asked'],
  unseen: ['warn', 'Cannot be seen'],
  aborted: ['bad', 'Aborted'],
  drift: ['warn', 'Changed by others'],
};

function problemItem({ kind, item, since, why }: SequenceStatus['problems'][number], now: Date): Html {
  const [tone, word] = problemWords[kind];
  return html`<li>${pill(tone, word)} <b>${item}</b> ${why} <span class="mute">since ${moment(since, now)}</span></li>`;
}

type Wave = SequenceStatus['waves'][number];

/** Cards of one wave that are not folded: what is over, and what is not. */
const unfolded = { over: 4, open: 12 };

function stage(wave: Wave, sequence: SequenceStatus, now: Date): Html {
  const { items, healthy, shown } = wave;
  const isOpen = sequence.wave === wave.wave;
  const tone = stageTone(wave, sequence);
  const held = heldTogether(shown);
  const cards = cardsOf(shown);
  const [over, open] = [cards.filter(isOverCard), cards.filter((card) => !isOverCard(card))];
  const context = { sequence, held, now };
  return html`
<li class="stage ${tone}"${isOpen && html` aria-current="step"`}>
<h4>Wave ${wave.wave} <span class="mute">${healthy} of ${items}</span></h4>
${held !== undefined && html`<p class="held">${held}</p>`}
${cardList(open.slice(0, unfolded.open), context)}${fold(open.slice(unfolded.open), 'more', context)}
${cardList(over.slice(0, unfolded.over), context)}${fold(over.slice(unfolded.over), 'more that are over', context)}
${items > shown.length && html`<p class="mute">${items - shown.length} more are not shown here.</p>`}
</li>`;
}

/** A wave of which people are told, one that is over, the open one, and those to come. */
function stageTone({ wave, items, healthy, shown }: Wave, { wave: open, problems }: SequenceStatus): string {
  if (shown.some(({ id }) => problems.some(({ item }) => item === id))) return 'trouble';
  if (healthy === items) return 'past';
  return wave === open ? 'now' : 'later';
}

/** A step with its gates, or gates whose step is in another wave. */
interface Card {
  readonly item: SequenceItemStatus;
  readonly gates: readonly SequenceItemStatus[];
}

function cardsOf(items: readonly SequenceItemStatus[]): readonly Card[] {
  const steps = new Set(items.filter(({ kind }) => kind === 'step').map(({ id }) => id));
  const gates = Map.groupBy(items, ({ of = '' }) => (steps.has(of) ? of : ''));
  return items.flatMap((item) =>
    item.kind === 'step' || !steps.has(item.of ?? '') ? [{ item, gates: gates.get(item.id) ?? [] }] : [],
  );
}

function isOverCard({ item, gates }: Card): boolean {
  return [item, ...gates].every(({ state }) => state === 'healthy' || state === 'skipped' || state === 'passed');
}

/** What all steps that have not begun wait for, said once. */
function heldTogether(items: readonly SequenceItemStatus[]): string | undefined {
  const reasons = new Set(items.flatMap(({ heldBy, begunAt }) => (begunAt === undefined ? (heldBy ?? []) : [])));
  const [only] = reasons;
  return reasons.size === 1 && only !== undefined ? `Held back: ${only}` : undefined;
}

interface Context {
  readonly sequence: SequenceStatus;
  readonly held: string | undefined;
  readonly now: Date;
}

function fold(cards: readonly Card[], what: string, context: Context): Html | undefined {
  if (cards.length === 0) return undefined;
  return html`<details><summary>${cards.length} ${what}</summary>${cardList(cards, context)}</details>`;
}

function cardList(cards: readonly Card[], context: Context): Html | undefined {
  if (cards.length === 0) return undefined;
  return html`<ul class="jobs">${cards.map(({ item, gates }) => html`<li class="job ${toneOf([item, ...gates], context)}">${itemBlock(item, context)}${gates.length > 0 && html`<ul>${gates.map((gate) => html`<li class="job-gate">${itemBlock(gate, context)}</li>`)}</ul>`}</li>`)}</ul>`;
}

/** The worst first. */
const tones: readonly Tone[] = ['bad', 'warn', 'info', 'good', 'mute'];

function toneOf(items: readonly SequenceItemStatus[], { sequence }: Context): Tone {
  const own = new Set(items.map((item) => lookOf(item, sequence.problems).tone));
  return tones.find((tone) => own.has(tone)) ?? 'mute';
}

function itemBlock(item: SequenceItemStatus, { sequence, held, now }: Context): Html {
  const look = lookOf(item, sequence.problems);
  const { id, kind, what, value, heldBy, waitsFor = [], state } = item;
  const isOwn = heldBy !== undefined && item.begunAt === undefined && held === undefined;
  const found = state === 'unasked' ? undefined : value;
  return html`<p class="job-head">${icon(look)} <b>${kind === 'gate' ? what : nameOf(id)}</b> <span class="word ${look.tone}">${look.word}</span></p>
${kind === 'step' && html`<small>${what}${clustersOf(sequence).size > 1 && ` on ${item.cluster}`}</small>`}
${found !== undefined && found !== '' && html`<p class="found">${found}</p>`}
${isOwn && html`<p class="found">Held back: ${heldBy}${waitsFor.length > 0 && html` (${listed(waitsFor)})`}</p>`}
${waiting(item, look, now)}`;
}

function clustersOf({ waves }: SequenceStatus): ReadonlySet<string> {
  return new Set(waves.flatMap(({ shown }) => shown.map(({ cluster }) => cluster)));
}

/** `storage` of `storage@prod`. */
function nameOf(id: string): string {
  return id.replace(/@[^@]*$/, '');
}

/** Since when, until when, and what happens then. */
function waiting(item: SequenceItemStatus, { tone }: Look, now: Date): Html | undefined {
  const { waitedSince, waitedSeconds, until, overdue, onTimeout, begunAt, state } = item;
  if (waitedSince !== undefined && until !== undefined && tone !== 'good')
    return html`<p class="clock">waited ${lasting(waitedSince, waitedSeconds, now)}; ${overdue ? 'its time ended at' : 'until'} ${moment(until, now)}${onTimeout !== undefined && `, then: ${onTimeoutWords[onTimeout] ?? onTimeout}`}</p>
${waitBar(secondsBetween(waitedSince, now), secondsBetween(waitedSince, until))}`;
  if (begunAt !== undefined && state !== 'healthy') return html`<p class="clock">begun at ${moment(begunAt, now)}</p>`;
  return undefined;
}

const onTimeoutWords: Readonly<Record<string, string>> = {
  wait: 'it is waited on',
  alert: 'an alert',
  proceed: 'it no longer counts',
  abort: 'the sequence is aborted',
};

/** How much of its time has passed; the words beside it say the same. */
function waitBar(passed: number, all: number): Html {
  const width = Math.max(1, Math.min(100, Math.round((100 * passed) / Math.max(1, all))));
  return html`<svg class="wait-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-rest" width="100" height="4"/><rect class="${width >= 100 ? 'bar-bad' : 'bar-wait'}" width="${width}" height="4"/></svg>`;
}
