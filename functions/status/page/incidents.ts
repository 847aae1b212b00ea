import { anchorOf } from '../../core/diagnose/cause-titles.ts';
import { duration } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { IncidentStatus } from '../status.ts';
import { lasting, moment, pill, type Tone, withMoments } from './words.ts';

/** Current incidents, worst first, each with cause and remedy; resolved ones collapsed below. */
export function incidentList(incidents: readonly IncidentStatus[], now: Date): Html {
  const resolved = incidents.filter(({ state }) => state === 'resolved');
  const current = incidents.filter(({ state }) => state !== 'resolved');
  return html`${current.length === 0 && html`<p class="card calm">No incidents.</p>`}${current.map((incident) => article(incident, now))}${
    resolved.length > 0 &&
    html`
<details class="card over" id="resolved">
<summary>${resolved.length} recently resolved</summary>
<ul>${resolved.map((incident) => resolvedItem(incident, now))}</ul>
</details>`
  }`;
}

function article(incident: IncidentStatus, now: Date): Html {
  const { name, headline, facts, causes, told } = incident;
  const [first, ...others] = causes;
  return html`
<article class="card incident ${tone(incident)}"${anchor(name)}>
<header>${statePill(incident)}${incident.flapping && pill('warn', 'flapping')}<span class="severity">${incident.severity}</span>${numberLink(name)}<span class="place">${place(incident)}</span><span class="for">${lasting(incident.since, incident.ageSeconds, now)}</span></header>
<h3>${headline}</h3>
${incident.unseenSince !== undefined && html`<p class="alarm">${pill('warn', 'Stale')} No successful read since ${moment(incident.unseenSince, now)}; the state may have changed.</p>`}
${incident.attention !== undefined && html`<p>${pill('info', 'Reminders off')} ${incident.attention}</p>`}
${incident.behind !== undefined && html`<p class="mute">No alert of its own: ${incident.behind}.</p>`}
${first !== undefined && causeBlock(first, now)}
${others.length > 0 && html`<details><summary>${others.length} more ${others.length === 1 ? 'cause' : 'causes'}</summary>${others.map((cause) => causeBlock(cause, now))}</details>`}
${facts.length > 0 && html`<dl class="facts">${facts.map(({ label, value }) => html`<div><dt>${label}</dt><dd>${withMoments(value, now)}</dd></div>`)}</dl>`}
${told.length > 0 && html`<p class="notified">${sentWords(told)}</p>`}
</article>`;
}

function causeBlock(cause: IncidentStatus['causes'][number], now: Date): Html {
  const { code, sentence, confidence, chain, remedies, log } = cause;
  return html`<div class="cause"><p>${withMoments(sentence, now)} <span class="mute">(${confidence})</span>${code !== undefined && html` <a href="causes#${anchorOf(code)}">About ${code}</a>`}</p>
${chain.length > 0 && html`<h4>Chain of causes</h4><ol class="chain" aria-label="chain of causes">${chain.map((link) => html`<li>${withMoments(link, now)}</li>`)}</ol>`}
${remedies.length > 0 && html`<h4>Do this</h4><ol class="remedies">${remedies.map(remedyItem)}</ol>`}
${log.length > 0 && html`<details><summary>What the Machine Config Operator logged</summary><pre tabindex="0"><code>${log.join('\n')}</code></pre></details>`}</div>`;
}

function remedyItem({ title, risk, who, command, undo }: IncidentStatus['causes'][number]['remedies'][number]): Html {
  return html`
<li>${title} <span class="mute">${risk}, ${who}</span>${command !== undefined && html`<pre tabindex="0"><code>${command}</code></pre>`}${undo !== undefined && html`<span class="undo">Undo: <code>${undo}</code></span>`}</li>`;
}

function resolvedItem(incident: IncidentStatus, now: Date): Html {
  const { name, headline, ageSeconds, resolvedAt, outcome } = incident;
  return html`
<li${anchor(name)}>${statePill(incident)} ${numberLink(name)} <span class="place">${place(incident)}</span> ${headline} <span class="mute">${outcome} at ${moment(resolvedAt, now)}${ageSeconds !== undefined && ` after ${duration(ageSeconds)}`}</span></li>`;
}

const pills: Readonly<Record<IncidentStatus['state'], readonly [Tone, string]>> = {
  firing: ['bad', 'Firing'],
  recovering: ['warn', 'Recovering'],
  pending: ['mute', 'Pending'],
  resolved: ['good', 'Resolved'],
};

function statePill({ state }: IncidentStatus): Html {
  return pill(...pills[state]);
}

function tone({ state, severity }: IncidentStatus): Tone {
  if (state !== 'firing') return state === 'recovering' ? 'warn' : 'mute';
  return severity === 'critical' || severity === 'high' ? 'bad' : 'warn';
}

/** Only incident numbers become anchors. */
function anchor(name: string | undefined): Html | undefined {
  return name === undefined ? undefined : html` id="${name}"`;
}

function numberLink(name: string | undefined): Html | undefined {
  return name === undefined ? undefined : html`<a class="number" href="#${name}">${name}</a>`;
}

function place({ cluster, pool }: IncidentStatus): string {
  return pool === '*' ? cluster : `${cluster} / ${pool}`;
}

function sentWords(told: IncidentStatus['told']): string {
  const named = (state: (typeof told)[number]['state']) =>
    told.filter((each) => each.state === state).map(({ target }) => target);
  const parts = [
    ['Sent to', named('told')],
    ['not yet sent to', named('owed')],
    ['cannot reach', named('unreachable')],
  ] as const;
  const words = parts
    .filter(([, targets]) => targets.length > 0)
    .map(([word, targets]) => `${word}: ${targets.join(', ')}`)
    .join('; ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
