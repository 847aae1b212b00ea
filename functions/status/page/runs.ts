import { duration } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { RunStatus, RunTileStatus } from '../status.ts';
import { icon, type Look } from './sequence-looks.ts';
import { configName, lasting, moment, pill, type Tone, withMoments } from './words.ts';

/** A card for each run: its nodes as a row of tiles, what is under way, and what comes next. Those that are over are
 *  folded beside others. */
export function runSections(runs: readonly RunStatus[], now: Date): readonly Html[] {
  return runs.map((run) =>
    isOver(run) && runs.length > 1
      ? html`
<details class="card sequence" id="${anchorOf(run)}">
<summary>${head(run, now)}</summary>
${body(run, now)}
</details>`
      : html`
<article class="card sequence" id="${anchorOf(run)}">
<header>${head(run, now)}</header>
${body(run, now)}
</article>`,
  );
}

/** Of the page: `#run-upgrade`. */
function anchorOf({ name }: RunStatus): string {
  return `run-${name}`;
}

function isOver({ state }: RunStatus): boolean {
  return state === 'idle' || state === 'aborted';
}

const states: Readonly<Record<RunStatus['state'], readonly [Tone, string]>> = {
  idle: ['good', 'Done'],
  running: ['info', 'Under way'],
  blocked: ['bad', 'Blocked'],
  paused: ['warn', 'Paused'],
  aborting: ['warn', 'Being aborted'],
  aborted: ['bad', 'Aborted'],
};

function head(run: RunStatus, now: Date): Html {
  const { name, state, done, total, cluster, readAt, readAgeSeconds, stale, minutesLeft } = run;
  const [tone, word] = states[state];
  const left = minutesLeft !== undefined && !isOver(run) && `, about ${duration(minutesLeft * 60)} left`;
  return html`<h3><a href="#${anchorOf(run)}">${name}</a></h3> ${pill(tone, word)} <span><b>${done} of ${total}</b> nodes done${left}${left !== false && state !== 'running' && ' once it goes on'}</span> <p class="sight">${stale && html`${pill('warn', 'Stale')} `}last look ${moment(readAt, now)}, ${duration(readAgeSeconds)} ago, kept on ${cluster}</p>`;
}

function body(run: RunStatus, now: Date): Html {
  const { name, said, state, next, pools, tiles, log } = run;
  const active = tiles.filter(isUnderWay);
  return html`${said !== undefined && html`<p class="alarm">${state === 'paused' ? 'Paused' : 'Aborted'} by <b>${said.who}</b> at ${moment(said.at, now)}: ${said.why}</p>`}
${blocked(run, now)}
${pools.map((pool) => poolTiles(pool, run, now))}
${active.length > 0 && html`<ul class="turns">${active.map((tile) => turn(tile, now))}</ul>`}
${next !== undefined && html`<p class="next"><b>Next: ${next.node}</b>, ${withMoments(next.why, now)}</p>`}
${log.length > 0 && html`<details><summary>What happened</summary><ol class="log">${log.toReversed().map(({ at, node, what }) => html`<li>${moment(at, now)} <b>${node}</b> ${withMoments(what, now)}</li>`)}</ol></details>`}
${!isOver(run) && html`<p class="steer">To steer it: <code>poolkeeper run status|pause|go-on|retry|skip|abort ${name}</code></p>`}`;
}

/** Why it does not go on, and the one thing to do about it. */
function blocked({ block, blockedSince, blockedSeconds, total }: RunStatus, now: Date): Html | undefined {
  if (block === undefined) return undefined;
  const { node, place, cause, action } = block;
  const where =
    node === '' ? 'the whole run' : html`<b>${node}</b>${place !== undefined && `, node ${place} of ${total}`}`;
  return html`<div class="blocked"><p>${pill('bad', 'Blocked')} ${where} <span class="mute">${lasting(blockedSince, blockedSeconds, now)}</span></p>
<p>${withMoments(cause, now)}</p>
<p class="mute">When that is mended:</p>
<pre tabindex="0">${action}</pre></div>`;
}

function isUnderWay({ state }: RunTileStatus): boolean {
  return state === 'before' || state === 'updating' || state === 'after' || state === 'blocked';
}

type PoolOfRun = RunStatus['pools'][number];

/** Nobody looks at a run that is over, whose pool has been let go since. */
function poolTiles({ name, target, paused, unread }: PoolOfRun, run: RunStatus, now: Date): Html {
  const { tiles, tilesOmitted, pools } = run;
  const own = tiles.filter(({ pool }) => pool === name);
  const { done, waiting } = pools.length === 1 ? tilesOmitted : { done: 0, waiting: 0 };
  const pause = isOver(run) ? '' : paused ? ', paused' : ', not paused';
  return html`<h4>Pool ${name} <span class="mute">${unread === true ? 'cannot be read' : target === '' ? 'is not there' : html`to ${configName(target)}${pause}`}</span></h4>
${own.length > 0 && html`<ol class="tiles" aria-label="Nodes of ${name}, in the order of their turns">${done > 0 && html`<li class="tile good">${done} more are done</li>`}${own.map((tile) => tileItem(tile, now))}${waiting > 0 && html`<li class="tile">${waiting} more wait</li>`}</ol>`}`;
}

const looks: Readonly<Record<RunTileStatus['state'], Look>> = {
  done: { tone: 'good', word: 'Done', sign: 'check' },
  waiting: { tone: 'mute', word: 'Waits', sign: 'circle' },
  held: { tone: 'warn', word: 'Held', sign: 'question' },
  before: { tone: 'info', word: 'Jobs before', sign: 'clock' },
  updating: { tone: 'info', word: 'Updates', sign: 'clock' },
  after: { tone: 'info', word: 'Clean-up', sign: 'clock' },
  blocked: { tone: 'bad', word: 'Blocked', sign: 'cross' },
  skipped: { tone: 'warn', word: 'Skipped', sign: 'skip' },
};

/** What waits for nothing but its turn says only when that is. */
const noReason = 'waits for its turn';

function tileItem(tile: RunTileStatus, now: Date): Html {
  const { node, state, doing, place } = tile;
  const look = looks[state];
  const isReasoned = state === 'held' || state === 'skipped' || (state === 'waiting' && doing !== noReason);
  const word = state === 'waiting' && place !== undefined ? placeWord(place) : look.word;
  return html`<li class="tile ${look.tone}"${isUnderWay(tile) && html` aria-current="step"`}>${icon(look)}<b>${node}</b><span class="word ${look.tone}">${word}</span>${isReasoned && html`<small>${withMoments(doing, now)}</small>`}</li>`;
}

const ordinals: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinal = new Intl.PluralRules('en', { type: 'ordinal' });

function placeWord(place: number): string {
  return place === 0 ? 'Next' : `${place + 1}${ordinals[ordinal.select(place + 1)] ?? 'th'} in line`;
}

const steps = [
  ['before', 'Jobs before'],
  ['updating', 'Update'],
  ['after', 'Clean-up'],
] as const;

/** A turn that is under way: where it is, what it does, and what its Job has printed. */
function turn({ node, state, step, doing, tail, since, ageSeconds }: RunTileStatus, now: Date): Html {
  const at = steps.findIndex(([name]) => name === step);
  return html`<li class="turn-card ${looks[state].tone}"><p class="turn-head"><b>${node}</b> <span class="mute">${lasting(since, ageSeconds, now)}</span></p>
<ol class="steps-bar">${steps.map(([, word], index) => html`<li${index < at && html` class="past"`}${index === at && html` class="now" aria-current="step"`}>${word}</li>`)}</ol>
${state !== 'blocked' && html`<p>${withMoments(doing, now)}</p>`}
${tail.length > 0 && state !== 'blocked' && html`<p class="tail">${tail.map((line) => html`<code>${line}</code>`)}</p>`}</li>`;
}
