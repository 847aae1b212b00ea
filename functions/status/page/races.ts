import { duration } from '../../core/text/durations.ts';
import { type Html, type HtmlPart, html } from '../html.ts';
import type { PoolStatus, RaceStatus } from '../status.ts';
import { type Column, column, table } from './table.ts';
import { listed, moment, pill, type Tone } from './words.ts';

/** Whether each pause was in time, with its times. */
export function racesTable(cluster: string, pools: readonly PoolStatus[], now: Date): Html | undefined {
  const races = pools.flatMap(({ name, races: own }) => own.map((race) => ({ pool: name, race })));
  if (races.length === 0) return undefined;
  const columns = [
    column('Pause'),
    column('Pool'),
    column('Push'),
    marked('Paused', 'paused'),
    marked('Confirmed', 'confirmed'),
    marked('Applied', 'applied'),
    marked('First node', 'targeted'),
    { head: html`<span class="aside">Chart</span>`, label: '' },
  ];
  const rows = races
    .toSorted((a, b) => b.race.since.localeCompare(a.race.since))
    .map(({ pool, race }) => ({
      cells: [
        verdict(race),
        html`<span class="name">${pool}</span><small>${holder(race)}</small>`,
        pushed(race, now),
        after(race, race.pausedAt),
        after(race, race.confirmedAt),
        after(race, race.appliedAt),
        after(race, race.firstTargetedAt),
        course(race),
      ],
      note: note(race),
    }));
  return html`<h4>Was the pause in time?</h4>${table({ caption: `Pauses of ${cluster}: in time or late`, kind: 'races', columns, rows })}`;
}

function note({ missedNodes, rollingBefore = [] }: RaceStatus): Html | false {
  if (missedNodes.length === 0 && rollingBefore.length === 0) return false;
  const missed = missedNodes.length > 0 && html`Targeted before the pause was confirmed: ${listed(missedNodes)}. `;
  const before =
    rollingBefore.length > 0 &&
    html`Nodes of the rollout before that had not arrived, which the pause does not stop: ${listed(rollingBefore)}.`;
  return html`<p class="remark">${missed}${before}</p>`;
}

/** The dot is the one used in the chart at the end of the row. */
function marked(label: string, mark: string): Column {
  return { head: html`<span class="mark ${mark}" aria-hidden="true"></span>${label}`, label };
}

const verdicts: Readonly<Record<NonNullable<RaceStatus['verdict']>, readonly [Tone, string]>> = {
  early: ['good', 'Early'],
  'in time': ['good', 'In time'],
  late: ['bad', 'Late'],
  unprotected: ['bad', 'Unprotected'],
};

function verdict(race: RaceStatus): Html {
  const open = race.endedAt === undefined ? (['info', 'Running'] as const) : (['info', 'Not judged'] as const);
  const [tone, word] = race.verdict === undefined ? open : verdicts[race.verdict];
  return html`${pill(tone, word)}<small>${margin(race)}</small>`;
}

/** The margin, in words. */
function margin({ verdict: word, confirmedAt, appliedAt, missedNodes, endedAt }: RaceStatus): string {
  if (endedAt !== undefined) return 'nothing was synced, the pool was resumed before, or nodes could not be read';
  if (word === 'unprotected') return confirmedAt === undefined ? 'never confirmed' : 'confirmed too late';
  if (word === 'late') return `${missedNodes.length} ${missedNodes.length === 1 ? 'node' : 'nodes'} missed`;
  if (confirmedAt === undefined) return 'not confirmed yet';
  if (appliedAt === undefined) return word === 'early' ? 'before anything was applied' : 'no node targeted';
  const seconds = (Date.parse(appliedAt) - Date.parse(confirmedAt)) / 1000;
  if (seconds < 0) return `${span(-seconds)} after it, no node targeted`;
  // Something else was applied at a time that is not known.
  return word === 'in time' ? 'no node targeted' : `${span(seconds)} before the change`;
}

function holder({ hold }: RaceStatus): string {
  return hold.replace(/^sync\//, '');
}

function start({ pushedAt, since }: RaceStatus): string {
  return pushedAt ?? since;
}

function pushed(race: RaceStatus, now: Date): HtmlPart {
  return race.pushedAt === undefined
    ? html`<span class="mute">no push, held</span> ${moment(race.since, now)}`
    : moment(race.pushedAt, now);
}

function after(race: RaceStatus, at: string | undefined): Html {
  if (at === undefined) return html`<span class="mute" role="img" aria-label="did not happen">–</span>`;
  const seconds = (Date.parse(at) - Date.parse(start(race))) / 1000;
  return html`<time datetime="${at}" title="${at}">${seconds < 0 ? '−' : '+'}${span(Math.abs(seconds))}</time>`;
}

function span(seconds: number): string {
  return seconds < 60 ? `${seconds.toFixed(1)} s` : duration(seconds);
}

/** The times on a line; the numbers beside it say the same. */
function course(race: RaceStatus): Html {
  const marks = [
    { at: race.pausedAt, mark: 'paused' },
    { at: race.confirmedAt, mark: 'confirmed' },
    { at: race.appliedAt, mark: 'applied' },
    { at: race.firstTargetedAt, mark: 'targeted' },
  ].flatMap(({ at, mark }) =>
    at === undefined ? [] : [{ seconds: (Date.parse(at) - Date.parse(start(race))) / 1000, mark }],
  );
  const longest = Math.max(1, ...marks.map(({ seconds }) => seconds));
  const x = (seconds: number) => Math.round((6 + (Math.max(0, seconds) / longest) * 108) * 10) / 10;
  return html`<svg class="course" viewBox="0 0 120 16" aria-hidden="true"><path class="course-line" d="M6 8H114"/><path class="course-line" d="M6 4V12"/>${marks.map(
    ({ seconds, mark }) => html`<circle class="dot ${mark}" cx="${x(seconds)}" cy="8" r="4"/>`,
  )}</svg>`;
}
