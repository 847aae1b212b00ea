import { clockTime } from '../../core/text/durations.ts';
import { type Html, html, scriptElement, styleElement, textOf } from '../html.ts';
import type { Status } from '../status.ts';
import { clusterSections } from './clusters.ts';
import { incidentList } from './incidents.ts';
import { liveScript } from './live.ts';
import { locksTable } from './locks.ts';
import { policyDetails } from './policy.ts';
import { rebootsDetails } from './reboots.ts';
import { runSections } from './runs.ts';
import { sequenceSections } from './sequences.ts';
import { style } from './style.ts';
import { timelineTable } from './timeline.ts';
import { pill } from './words.ts';

/** Seconds between two looks of the page: what it shows changes once a minute. */
const refreshSeconds = 15;

/** Where it is told that there may be something new on the page. */
export interface ChangesTold {
  /** Relative to the page's own address. */
  readonly path: string;
  /** What is told while the page is as it is. */
  readonly version: string;
}

export interface Page {
  /** False: it does not look again by itself. */
  readonly refreshing: boolean;
  /** What is to be known before everything else, in a sentence. */
  readonly notice?: string | undefined;
  /** Absent: it looks every so often. */
  readonly changes?: ChangesTold | undefined;
}

/** The status as one page, which is whole without its script. */
export function renderPage(status: Status, { refreshing, notice, changes }: Page): string {
  const now = new Date(status.at);
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refreshing && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
<title>${titleOf(status)}</title>
<link rel="icon" href="${iconOf(status)}">
${styleElement(style)}
</head>
<body>
<a class="skip" href="#main">Skip to the status</a>
${banner(status, now, { refreshing, changes })}
<p class="aside" id="news" role="status"></p>
<main id="main" data-refresh="${refreshing ? refreshSeconds : 0}"${changes !== undefined && html` data-changes="${changes.path}" data-version="${changes.version}"`}>
${notice !== undefined && html`<p class="only">${notice}</p>`}${headline(status)}
<section aria-labelledby="incidents"><h2 id="incidents">Incidents</h2>
${status.unread.includes('incidents') ? unread('incidents') : html`${incidentList(status.incidents, now)}${moreIncidents(status)}`}
</section>
<section aria-labelledby="clusters"><h2 id="clusters">Clusters</h2>
${status.unread.includes('clusters') ? unread('clusters') : clusterSections(status.clusters, now)}
</section>
${runs(status, now)}${sequences(status, now)}${locks(status, now)}<section aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>
${status.unread.includes('timeline') ? unread('timeline') : timelineTable(status, now)}
</section>
${status.unread.includes('reboots') ? unread('reboots') : rebootsDetails(status, now)}
<section aria-labelledby="settings"><h2 id="settings">Settings</h2>
${policyDetails(status.policy)}
</section>
</main>
<footer><p>The same data as JSON: <code>curl -H 'Accept: application/json'</code> with this address.</p></footer>
${scriptElement(liveScript)}
</body>
</html>
`);
}

function runs({ unread: parts, runs: all = [], beyond }: Status, now: Date): Html | undefined {
  if (all.length === 0 && !parts.includes('runs')) return undefined;
  return html`<section aria-labelledby="runs"><h2 id="runs">One node at a time</h2>
${parts.includes('runs') ? unread('runs') : html`${runSections(all, now)}${more(beyond?.runs, 'runs')}`}
</section>
`;
}

function sequences(status: Status, now: Date): Html | undefined {
  if (status.unread.includes('sequences')) return section(unread('sequences'));
  const { sequences: all, beyond } = status;
  return all.length > 0
    ? section(html`${sequenceSections(all, now)}${more(beyond?.sequences, 'sequences')}`)
    : undefined;
}

function locks({ unread: parts, locks: groups }: Status, now: Date): Html | undefined {
  if (groups === undefined && !parts.includes('locks')) return undefined;
  return html`<section aria-labelledby="locks"><h2 id="locks">Machines outside OpenShift</h2>
${parts.includes('locks') || groups === undefined ? unread('slots') : locksTable(groups, now)}
</section>
`;
}

function section(content: Html | readonly Html[]): Html {
  return html`<section aria-labelledby="sequences"><h2 id="sequences">Sequences</h2>
${content}
</section>
`;
}

function banner({ at, only }: Status, now: Date, { refreshing, changes }: Page): Html {
  const how = changes === undefined ? `refreshes every ${refreshSeconds} s` : 'refreshes by itself';
  return html`<header class="banner"><p class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><rect class="brand-ground" width="24" height="24" rx="6"/><path class="brand-sign" d="M8 6.5h2.6v8H8zM13.4 6.5H16v8h-2.6z"/><path class="brand-wave" d="M5 18.2c1.2-1.2 2.3-1.2 3.5 0s2.3 1.2 3.5 0 2.3-1.2 3.5 0 2.3 1.2 3.5 0"/></svg>Poolkeeper</p>
<p class="asof"><span>As of ${now.toISOString().slice(0, 10)} <time datetime="${at}">${clockTime(at, now)}</time></span> <span class="turn">${
    refreshing
      ? html`${how} · <a href="${here(only, 'off')}">Stop</a>`
      : html`auto-refresh off · <a href="${here(only, 'on')}">Start</a>`
  }</span></p></header>`;
}

/** This page with automatic refresh on or off. */
function here(only: string | undefined, refresh: 'on' | 'off'): string {
  return `?${new URLSearchParams({ ...(only === undefined ? {} : { cluster: only }), refresh })}`;
}

function headline({ summary, only }: Status): Html {
  const figures = [
    ['Incidents', summary.incidentsFiring, summary.incidentsFiring > 0 && 'bad'],
    ['Pools paused', summary.poolsPaused, summary.poolsPaused > 0 && 'warn'],
    ['Pools degraded', summary.poolsDegraded, summary.poolsDegraded > 0 && 'bad'],
    ['Late pauses', summary.latePauses, summary.latePauses > 0 && 'warn'],
    ...(summary.unprotectedPauses === undefined
      ? []
      : ([['Unprotected pauses', summary.unprotectedPauses, 'bad']] as const)),
    ['Pools', summary.pools, false],
    ['Clusters', summary.clusters, summary.clustersUnseen > 0 && 'bad'],
  ] as const;
  return html`${only !== undefined && html`<p class="only">Only <b>${only}</b> · <a href="?">All clusters</a></p>`}
<h1 class="${summary.state}">${summary.sentence}</h1>
<dl class="figures">${figures.map(([label, value, tone]) => html`<div><dt>${label}</dt><dd class="${tone}">${value}</dd></div>`)}</dl>`;
}

function moreIncidents({ summary, incidents }: Status): Html | undefined {
  const hidden = summary.incidentsFiring - incidents.filter(({ state }) => state === 'firing').length;
  return hidden > 0 ? html`<p class="card alarm">${hidden} more incidents are firing.</p>` : undefined;
}

function more(count: number | undefined, what: string): Html | false {
  return count !== undefined && count > 0 && html`<p class="card">${count} more ${what} are not shown here.</p>`;
}

function unread(what: string): Html {
  return html`<p class="card alarm">${pill('bad', 'Not read')} The ${what} could not be read; their state is unknown.</p>`;
}

function titleOf({ summary }: Status): string {
  return summary.state === 'calm' ? 'Poolkeeper' : `${summary.sentence.replace(/\.$/, '')} – Poolkeeper`;
}

const iconColours = { trouble: '%23c4321f', unseen: '%23c4321f', holding: '%23b97400', calm: '%231c7c45' } as const;

/** The state as the colour of the tab's icon; the title has it in words. */
function iconOf({ summary }: Status): string {
  const ground = iconColours[summary.state];
  return `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect width='24' height='24' rx='6' fill='${ground}'/%3E%3Cpath fill='white' d='M8 7h2.8v10H8zM13.2 7H16v10h-2.8z'/%3E%3C/svg%3E`;
}
