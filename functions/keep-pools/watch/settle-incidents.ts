import type { PublishedEvent } from '../../../events/index.ts';
import { dueEvent } from '../../core/alerts/due-event.ts';
import type { Incident } from '../../core/alerts/incident.ts';
import { isSameKey } from '../../core/alerts/inhibit.ts';
import { incidentEvent, publishedIncident } from '../../core/alerts/published.ts';
import { type Settled, settle } from '../../core/alerts/settle.ts';
import type { Configuration } from '../../core/configuration/configuration.ts';
import { keyText, type TroubleKey } from '../../core/findings/trouble.ts';
import { isInBlindSpot } from '../../core/judge/blind-spot.ts';
import type { Judgement } from '../../core/judge/judge.ts';
import type { Transient } from '../../core/text/errors.ts';
import { listed } from '../../core/text/phrases.ts';
import { unique } from '../../core/text/unique.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { firstFailure, ownPart, type PartDone } from '../own-part.ts';
import { endings } from './endings.ts';
import type { Settling } from './settling.ts';

const source = '/poolkeeper/keep-pools';

export interface SettledIncidents {
  readonly events: readonly PublishedEvent[];
  readonly told: Readonly<Record<string, string>>;
  /** Why an incident could not be stored, or its alert not be queued; the others were. */
  readonly failure?: Transient | undefined;
}

/** What keeping incidents needs: less than a whole pass, so that a recording can be replayed through it too. */
export interface SettlePorts extends Pick<KeepPorts, 'incidents' | 'alerts' | 'logger'> {
  readonly configuration: Pick<Configuration, 'alerts'> & Partial<Pick<Configuration, 'clusters' | 'fleetLock'>>;
}

/** Updates the stored incidents to the judgement and queues the alerts that are due, each on its own: one that cannot
 *  be stored keeps nobody from hearing of the others. It publishes what differs from what was published before: if a
 *  pass dies after its save, the next one catches up. Throws Transient when the incidents cannot be read. */
export async function settleIncidents(settling: Settling, ports: SettlePorts): Promise<SettledIncidents> {
  const stored = await ports.incidents.load(settling.settings.name);
  if (stored.length === 0 && settling.judgement.troubles.length === 0) return { events: [], told: settling.told };

  const { settled, numbering } = await settleWithNumbers(settling, stored, ports);
  const { saved, unsaved } = await saveAll(settled, ports);
  const sent = [];
  for (const key of settled.due.filter((each) => !unsaved.some(({ key: of }) => isSameKey(of, each)))) {
    const send = () => ports.alerts.send(dueEvent(key, { source, about: '' }, settling.now));
    sent.push(await ownPart('queueing an alert', { key: keyText(key) }, send, ports));
  }
  const failure = firstFailure([...unsaved, numbering, ...sent]);
  const after = stored.map((incident) => saved.find((each) => isSameKey(each.key, incident.key)) ?? incident);
  const opened = saved.filter((incident) => !stored.some((each) => isSameKey(each.key, incident.key)));
  return { ...tell([...after, ...opened], settling), failure };
}

interface Numbered {
  readonly settled: Settled;
  /** Without a number an incident waits for the next pass. */
  readonly numbering: Pick<PartDone<unknown>, 'failure'>;
}

/** Numbers come from a counter and are drawn only when an incident opens. */
async function settleWithNumbers(
  settling: Settling,
  incidents: readonly Incident[],
  ports: SettlePorts,
): Promise<Numbered> {
  const { settings, judgement, removed, now } = settling;
  const ended = await endings(incidents, settling);
  const settleWith = (numbers: readonly number[]) =>
    settle({
      cluster: settings.name,
      troubles: judgement.troubles,
      incidents,
      unseen: (key) => unseenWhy(judgement, key),
      removed: (incident) => removed ?? whyElsewhere(incident, ports),
      endedBy: ({ key }) => ended.get(keyText(key)),
      policy: settings.policy.alerting,
      alerts: ports.configuration.alerts,
      now,
      numbers,
    });
  const first = settleWith([]);
  if (first.numbersMissing === 0) return { settled: first, numbering: { failure: undefined } };
  const numbers: number[] = [];
  const draw = async () => {
    while (numbers.length < first.numbersMissing) numbers.push(await ports.incidents.nextNumber());
  };
  const numbering = await ownPart('numbering new incidents', { cluster: settings.name }, draw, ports);
  return { settled: settleWith(numbers), numbering };
}

/** Machines outside OpenShift are looked after by the first cluster of the configuration, by the groups that it names:
 *  that none is told here any more does not say that they are back. */
function whyElsewhere(
  { key: { kind, cluster }, trouble }: Pick<Incident, 'key' | 'trouble'>,
  { configuration: { clusters = [], fleetLock } }: Pick<SettlePorts, 'configuration'>,
): string | undefined {
  if (kind !== 'lock-overdue') return undefined;
  if (fleetLock === undefined) return 'Nobody looks after these machines now: FleetLock is no longer configured.';
  const groups = unique((trouble?.findings ?? []).map(({ subject: { name } }) => name.slice(0, name.indexOf('/'))));
  const gone = groups.filter((group) => !Object.hasOwn(fleetLock.groups, group));
  if (gone.length > 0)
    return `Nobody looks after machines of ${listed(gone, 3)} now: no group of FleetLock has that name any more.`;
  const [first] = clusters;
  if (first === undefined || first.name === cluster) return undefined;
  return `Cluster ${first.name} looks after these machines now, and tells of those that are not back.`;
}

function unseenWhy({ unseen }: Judgement, key: TroubleKey): string | undefined {
  const scope = unseen.find((each) => isInBlindSpot([each], key));
  return scope?.why;
}

/** A save that another pass won is dropped: that pass saw the same cluster. */
async function saveAll({ changes }: Settled, ports: SettlePorts): Promise<Saved> {
  const saved: Incident[] = [];
  const unsaved: Saved['unsaved'][number][] = [];
  for (const { incident } of changes) {
    const key = keyText(incident.key);
    const save = () => ports.incidents.save(incident);
    const { value: isFirst, failure } = await ownPart('storing an incident', { key }, save, ports);
    if (failure !== undefined) unsaved.push({ key: incident.key, failure });
    else if (isFirst) saved.push(incident);
    else ports.logger.info('another pass settled the incident first', { key });
  }
  return { saved, unsaved };
}

interface Saved {
  readonly saved: readonly Incident[];
  readonly unsaved: readonly { readonly key: TroubleKey; readonly failure: Transient }[];
}

function tell(incidents: readonly Incident[], { told, now }: Settling): SettledIncidents {
  const events = incidents.flatMap((incident) => {
    if (isPublished(incident, told)) return [];
    const change = publishedIncident({ ...incident, seq: lastNote(incident) }, happeningOf(incident, told));
    return change === undefined ? [] : [incidentEvent(change, { source, now })];
  });
  const marks = incidents
    .filter(({ number }) => number > 0)
    .map((incident) => [keyText(incident.key), toldMark(incident)]);
  return { events, told: Object.fromEntries(marks) };
}

/** There is nothing to publish of it, or it was. `told`: as of {@link Settling}. */
export function isPublished(incident: Incident, told: Settling['told']): boolean {
  return incident.number === 0 || told[keyText(incident.key)] === toldMark(incident);
}

function toldMark(incident: Incident): string {
  return `${incident.number}/${lastNote(incident)}`;
}

/** Edits that only refresh durations have no note and are not published. */
function lastNote({ notes, seq }: Incident): number {
  return notes.at(-1)?.seq ?? seq;
}

/** What happened since it was last published: that it opened, also where something else was noted before the next
 *  look. */
function happeningOf({ key, number, notes }: Incident, told: Settling['told']): 'opened' | 'updated' | 'resolved' {
  if (notes.at(-1)?.kind === 'resolved') return 'resolved';
  const [of, seq] = (told[keyText(key)] ?? '').split('/');
  const since = of === String(number) ? Number(seq) : Number.NEGATIVE_INFINITY;
  const hasOpened = notes.some((note) => note.seq > since && (note.kind === 'opened' || note.kind === 'reopened'));
  return hasOpened ? 'opened' : 'updated';
}
