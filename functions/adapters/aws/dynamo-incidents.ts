import type { Incident } from '../../core/alerts/incident.ts';
import { bounded } from '../../core/alerts/notes.ts';
import type { Finding, TroubleKey } from '../../core/findings/trouble.ts';
import { isTroubleKind } from '../../core/findings/trouble-words.ts';
import { middle } from '../../core/text/safe-text.ts';
import type { Incidents } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import { saveVersion } from './save-version.ts';
import { StoredIncident } from './stored/incident.ts';
import type { RowKey, Table } from './table.ts';

const day = 24 * 3600;
/** Seconds since the last write. An open incident is written at each change and reminder, at least daily. */
const keepSeconds = { open: 90 * day, closed: 30 * day };

/** One item per incident, with the deliveries of its targets: state and outbox change in one conditional write. */
export function dynamoIncidents(table: Table): Incidents {
  return {
    async load(cluster) {
      const rows = await table.query({ pk: 'incident', prefix: `${encodeURIComponent(cluster)}|`, consistent: true });
      return rows.filter(isKnown).map((row) => readBody(StoredIncident, row));
    },
    async loadOne(key) {
      const row = await table.read(keyOf(key));
      return row && readBody(StoredIncident, row);
    },
    save(incident) {
      return saveVersion(table, {
        ...keyOf(incident.key),
        version: incident.version,
        keepSeconds: incident.state === 'ok' ? keepSeconds.closed : keepSeconds.open,
        bodyOf: (version) => fittingBody({ ...incident, version }, cuts),
      });
    },
    nextNumber: () => table.increment({ pk: 'counter', sk: 'incident' }),
    async list() {
      const rows = await table.query({ pk: 'incident' });
      const incidents = rows.filter(isKnown).map((row) => readBody(StoredIncident, row));
      return incidents.filter(wasNoticed).sort((a, b) => Date.parse(beginOf(b)) - Date.parse(beginOf(a)));
    },
  };
}

function keyOf({ cluster, pool, kind }: TroubleKey): RowKey {
  return { pk: 'incident', sk: [cluster, pool, kind].map(encodeURIComponent).join('|') };
}

/** A version that was taken back may have written one of a kind that this one does not know. This one finds and ends
 *  none of these; the newer one goes on with it when it is there again. */
function isKnown({ sk }: RowKey): boolean {
  const [, , kind = ''] = sk.split('|').map(decodeURIComponent);
  return isTroubleKind(kind);
}

/** Open, or closed after an alert; troubles that passed without an alert are not listed. */
function wasNoticed({ state, number }: Incident): boolean {
  return state !== 'ok' || number > 0;
}

function beginOf({ openedAt, since }: Incident): string {
  return openedAt ?? since ?? new Date(0).toISOString();
}

/** What can be dropped from an incident, least important first: what is long, as whoever names objects can make it, so
 *  that it takes no room from what is told of others; of causes what no message has room for, which the next
 *  look finds again, before notes, which nothing brings back. State and deliveries are never cut, nor the notes that
 *  targets may be owed. */
const cuts = [
  withFindings((findings) => findings.map(inShort)),
  withFindings((findings) => findings.map((each, nth) => (nth < 20 ? each : { ...each, evidence: [] }))),
  withFindings((findings) => findings.slice(0, 20)),
  withFindings((findings) => findings.slice(0, 5).map((finding) => ({ ...finding, evidence: [], because: [] }))),
  (incident: Incident): Incident => ({
    ...incident,
    notes: bounded(incident.notes, 4).map((note) => ({ ...note, text: note.text.slice(0, 1000) })),
  }),
  withFindings(() => []),
];

/** Also of what people were told of, which is kept beside what is so now. */
function withFindings(cut: (findings: readonly Finding[]) => readonly Finding[]): (incident: Incident) => Incident {
  const withCut = (trouble: Incident['trouble']) => trouble && { ...trouble, findings: cut(trouble.findings) };
  return ({ trouble, cause, ...rest }) => ({ ...rest, trouble: withCut(trouble), cause: withCut(cause) });
}

/** Each cause with texts of usual length. A command that is not whole would be another one. */
function inShort(finding: Finding): Finding {
  return {
    ...finding,
    sentence: middle(finding.sentence, longest.sentence),
    evidence: finding.evidence
      .slice(0, longest.evidence)
      .map((each) => ({ ...each, value: middle(each.value, longest.value) })),
    because: finding.because.map(inShort),
    remedies: finding.remedies
      .filter(({ command = '', undo = '' }) => Math.max(command.length, undo.length) <= longest.command)
      .map((each) => ({ ...each, title: middle(each.title, longest.title) })),
  };
}

/** Characters, and of evidence its pieces. */
const longest = { sentence: 1_000, evidence: 10, value: 600, title: 600, command: 2_000 };
