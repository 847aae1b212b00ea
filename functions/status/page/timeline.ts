import { type Html, html } from '../html.ts';
import type { Status } from '../status.ts';
import { column, table } from './table.ts';
import { moment, type Tone, withMoments } from './words.ts';

/** Recent events, newest first. */
export function timelineTable(
  { timeline, incidents, timelineSearched: searched }: Pick<Status, 'timeline' | 'incidents' | 'timelineSearched'>,
  now: Date,
): Html {
  if (timeline.length === 0)
    return html`<p class="card calm">${searched === undefined ? 'No events yet.' : `None among the last ${searched} events of all clusters.`}</p>`;
  const names = new Set(incidents.flatMap(({ name }) => name ?? []));
  const rows = timeline.map((entry) => ({
    cells: [
      moment(entry.at, now),
      tag(entry),
      html`<span class="place">${entry.pool === '' || entry.pool === '*' ? entry.cluster : `${entry.cluster} / ${entry.pool}`}</span>`,
      linked(entry.text, names, now),
    ],
  }));
  const columns = [column('When'), column('What'), column('Where'), column('Details')];
  return html`<div class="card timeline">${table({ caption: 'Last 100 events', kind: 'events', columns, rows })}</div>`;
}

/** Label and colour by event type. */
const words: ReadonlyMap<string, readonly [Tone, string]> = new Map(
  Object.entries({
    'poolkeeper.pool.held.v1': ['warn', 'held'],
    'poolkeeper.pool.released.v1': ['good', 'released'],
    'poolkeeper.pool.paused.v1': ['warn', 'paused'],
    'poolkeeper.pool.confirmed.v1': ['good', 'confirmed'],
    'poolkeeper.pool.resumed.v1': ['good', 'resumed'],
    'poolkeeper.pool.overridden.v1': ['warn', 'overridden'],
    'poolkeeper.pool.foreign.v1': ['warn', 'foreign pause'],
    'poolkeeper.emergency.opened.v1': ['bad', 'emergency'],
    'poolkeeper.emergency.ended.v1': ['good', 'emergency over'],
    'poolkeeper.pool.rendered.v1': ['info', 'rendered'],
    'poolkeeper.race.decided.v1': ['good', 'race'],
    'poolkeeper.run': ['info', 'run'],
    'poolkeeper.sequence': ['info', 'sequence'],
    command: ['info', 'asked'],
    'poolkeeper.decision.nothing.v1': ['mute', 'no action'],
    'poolkeeper.node.updated.v1': ['good', 'node updated'],
    'poolkeeper.node.joined.v1': ['mute', 'node joined'],
    'poolkeeper.incident.opened.v1': ['bad', 'incident'],
    'poolkeeper.incident.updated.v1': ['bad', 'incident'],
    'poolkeeper.incident.resolved.v1': ['good', 'resolved'],
  } as const),
);

function tag({ type, text }: Status['timeline'][number]): Html {
  const [tone, word] = words.get(type) ?? (['mute', type] as const);
  const isLost = type === 'poolkeeper.race.decided.v1' && /\b(?:late|unprotected)\b/.test(text);
  return html`<span class="dot-tag ${isLost ? 'bad' : tone}">${word}</span>`;
}

/** Incident numbers link to the incident if it is on this page. */
function linked(text: string, names: ReadonlySet<string>, now: Date): readonly (Html | string)[] {
  return text
    .split(/(PK-\d+)/)
    .flatMap((part) => (names.has(part) ? html`<a href="#${part}">${part}</a>` : withMoments(part, now)));
}
