import { cloudEvent, type PublishedEvent } from '../../../events/index.ts';
import { keyText, type Severity, type TroubleKind } from '../findings/trouble.ts';
import { safeLine } from '../text/safe-text.ts';
import type { StepEffect } from './evolve.ts';
import type { Incident } from './incident.ts';
import { troubleToName } from './incident-words.ts';
import { noteTextLimit } from './notes.ts';

/** A change of an incident as published to subscribers. */
export interface PublishedIncident {
  readonly type: 'poolkeeper.incident.opened.v1' | 'poolkeeper.incident.updated.v1' | 'poolkeeper.incident.resolved.v1';
  /** The same change always has the same id. */
  readonly id: string;
  readonly data: {
    readonly cluster: string;
    readonly pool: string;
    readonly kind: TroubleKind;
    readonly number: number;
    readonly severity: Severity;
    readonly headline: string;
    /** What happened; updates only. */
    readonly news?: string;
  };
}

const types = {
  opened: 'poolkeeper.incident.opened.v1',
  updated: 'poolkeeper.incident.updated.v1',
  resolved: 'poolkeeper.incident.resolved.v1',
} as const;

/** Undefined for changes that are not published. A reopening is published as an opening. */
export function publishedIncident(incident: Incident, effect: StepEffect): PublishedIncident | undefined {
  if (effect !== 'opened' && effect !== 'updated' && effect !== 'resolved') return undefined;
  const { key, number, notes } = incident;
  const trouble = troubleToName(incident);
  const news = effect === 'updated' ? newest(notes)?.text : undefined;
  return {
    type: types[effect],
    id: `${keyText(key)}#${toldMark(incident)}`,
    data: {
      ...key,
      number,
      severity: trouble?.severity ?? 'info',
      headline: safeLine(trouble?.headline ?? key.kind, 300),
      ...(news === undefined ? {} : { news: safeLine(news, noteTextLimit) }),
    },
  };
}

/** What came last; a reminder may follow what changed at the same look. */
function newest(notes: Incident['notes']): Incident['notes'][number] | undefined {
  const last = notes.at(-1);
  return notes.findLast(({ kind, at }) => kind !== 'reminder' && at === last?.at) ?? last;
}

/** Identifies the published state: number and last note. An edit that only refreshes durations is not published. */
function toldMark({ number, notes }: Incident): string {
  return `${number}/${notes.at(-1)?.seq ?? 0}`;
}

/** The published change as an event for the bus and the timeline. `source`: `/poolkeeper/<part>`. */
export function incidentEvent(told: PublishedIncident, { source, now }: { source: string; now: Date }): PublishedEvent {
  const { type, id, data } = told;
  const subject = `${data.cluster}/${data.pool}`;
  const common = { id, source, subject, time: now, correlation: `PK-${data.number}`, data };
  switch (type) {
    case 'poolkeeper.incident.opened.v1':
      return cloudEvent({ ...common, type });
    case 'poolkeeper.incident.updated.v1':
      return cloudEvent({ ...common, type });
    case 'poolkeeper.incident.resolved.v1':
      return cloudEvent({ ...common, type });
    default:
      return type satisfies never;
  }
}
