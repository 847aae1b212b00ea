import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import { hasBeenSaid, parseSequenceRecord, type SequenceRecord } from '../../core/sequences/record.ts';
import { Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { SequencePorts } from './sequence-ports.ts';

/** What is known of the places where the record of a sequence was kept before. */
export interface FormerRecord {
  readonly record: SequenceRecord | undefined;
  /** For the timeline. */
  readonly note: string;
}

/** Where a record is kept. */
interface Place {
  readonly cluster: string;
  readonly namespace: string;
}

interface FoundAt extends FormerRecord {
  readonly place: Place;
}

/** Seconds. A cluster that was not read for so long may never answer again: what its record said is lost, as that of a
 *  record that somebody deleted. Before that it is waited for. */
const lostAfterSeconds = 1_800;

/** The record that a sequence has left where it was kept before its first cluster or its namespace was changed: that a
 *  person has paused or aborted it, and what it has applied, is so wherever its record is kept. By our own table, which
 *  remembers what this installation keeps. Undefined: there is none. Throws Transient where it cannot be read. */
export async function formerRecord(name: string, now: Place, ports: SequencePorts): Promise<FormerRecord | undefined> {
  const found = await Promise.all(ports.configuration.clusters.map((cluster) => foundOn(cluster, name, ports)));
  const former = found.flat().filter(({ place }) => place.cluster !== now.cluster || place.namespace !== now.namespace);
  const records = former.filter(({ record }) => record !== undefined);
  return records.find(({ record }) => record !== undefined && hasBeenSaid(record)) ?? records[0] ?? former[0];
}

async function foundOn(
  { name: cluster }: ClusterSettings,
  name: string,
  ports: SequencePorts,
): Promise<readonly FoundAt[]> {
  const checkpoint = await ports.checkpoints?.load(cluster);
  if (checkpoint === undefined) return [];
  const namespaces = (checkpoint.sequenceRecords ?? []).flatMap((each) => {
    const [namespace = '', sequence] = each.split('/');
    return sequence === name ? [namespace] : [];
  });
  const found = await Promise.all(
    namespaces.map((namespace) => foundAt({ cluster, namespace }, { name, checkpoint }, ports)),
  );
  return found.flatMap((each) => each ?? []);
}

async function foundAt(
  place: Place,
  { name, checkpoint }: { readonly name: string; readonly checkpoint: Checkpoint },
  ports: SequencePorts,
): Promise<FoundAt | undefined> {
  const { cluster, namespace } = place;
  try {
    const stored = await (await ports.cluster(cluster)).sequenceRecords?.load(namespace, name);
    if (stored === undefined || stored.text === '') return undefined;
    const read = parseSequenceRecord(stored.text);
    if (read === 'unreadable') throw new Transient('its former record cannot be understood', { kind: 'invalid' });
    if (read.owner !== undefined && read.owner !== ports.installation) return undefined;
    const { orphanedAt: _, stood: __, ...record } = read;
    return { place, record, note: `goes on by its record in namespace ${namespace} of cluster ${cluster}` };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    // Who may not read there any more has none to take over.
    if (cause.kind === 'forbidden') return undefined;
    const { lastGoodReadAt } = checkpoint;
    const isAlive = lastGoodReadAt !== undefined && secondsSince(lastGoodReadAt, ports.clock()) < lostAfterSeconds;
    if (isAlive || cause.kind === 'invalid') throw cause;
    const note = `begins anew: its record on cluster ${cluster} cannot be read, and with it what people said of it`;
    return { place, record: undefined, note };
  }
}
