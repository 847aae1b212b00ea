import { setTimeout } from 'node:timers/promises';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Sequence } from '../../../functions/core/configuration/sequence.ts';
import { fitted } from '../../../functions/core/sequences/fit-record.ts';
import { planOf } from '../../../functions/core/sequences/plan.ts';
import {
  emptySequenceRecord,
  isSaidAlone,
  parseSequenceRecord,
  type SequenceRecord,
  type SequenceRequest,
  sequenceRecordText,
  skippedAtMost,
  withRequest,
} from '../../../functions/core/sequences/record.ts';
import { sequenceView } from '../../../functions/core/sequences/sequence-view.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import type { SequenceRecords, StoredText } from '../../../functions/ports/sequences.ts';
import { failedWrite } from '../change-in-doubt.ts';
import type { ExitStatus, Surroundings } from '../command.ts';
import { readConfigurationFile } from '../configured-clusters.ts';
import { inForm, type OutputForm } from '../output.ts';
import { askDecider } from '../pick-cluster.ts';
import { noRecord, noRecordYet, pickClusterOf } from '../pick-cluster-of.ts';
import { sequenceText } from './sequence-text.ts';

interface Asked {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly config: string;
  /** The name of the sequence, and for `skip` of the item. */
  readonly words: readonly string[];
}

/** Prints the sequence as the last tick left it. Throws Misconfigured and Transient. */
export async function showSequence(
  { words, output, ...values }: Asked & { readonly output: OutputForm },
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const { name, sequence, clusters } = await sequenceNamed(words, values.config);
  const { connection, doubt } = await pickClusterOf({ cluster: keeperOf(sequence), clusters }, values, surroundings);
  try {
    const stored = await connection.sequenceRecords.load(sequence.namespace, name);
    if (doubt !== undefined && isNone(stored)) surroundings.note(noRecord(`Sequence ${name}`, doubt));
    const record = recordIn(stored);
    const view = sequenceView({
      plan: planOf(name, sequence),
      rules: sequence,
      record,
      readings: new Map(),
      waitsForSequences: [],
      fingerprint: record.done?.of ?? '',
      now: surroundings.now(),
    });
    surroundings.out(await inForm(output, { data: view, text: () => sequenceText(view, surroundings.now()) }));
    return view.state === 'done' ? 0 : 1;
  } finally {
    await connection.close();
  }
}

/** Requests it for the sequence, whose name is returned. Throws Misconfigured and Transient. */
export async function steerSequence(
  { words, kind, why, ...values }: Asked & { readonly kind: 'pause' | 'go-on' | 'abort'; readonly why: string },
  surroundings: Surroundings,
): Promise<string> {
  const named = await sequenceNamed(words, values.config);
  await ask({ ...named, values }, surroundings, (said) => ({ kind, said: { ...said, why } }));
  return named.name;
}

/** Requests it for a step or gate. Throws Misconfigured and Transient. */
export async function skipItem(
  { words, why, ...values }: Asked & { readonly why: string },
  surroundings: Surroundings,
): Promise<{ readonly name: string; readonly item: string }> {
  const [written, item, ...more] = words;
  const { name, sequence, clusters } = await sequenceNamed([written, ...more], values.config);
  const plan = planOf(name, sequence);
  const known = [...plan.steps, ...plan.gates].map(({ id }) => id);
  if (item === undefined || !known.includes(item))
    throw new Misconfigured([`sequence ${name} has no ${item ?? 'step without a name'}; it has ${known.join(', ')}`]);
  await ask({ name, sequence, clusters, values }, surroundings, (said) => ({
    kind: 'skip',
    item,
    said: { ...said, why },
  }));
  return { name, item };
}

/** Lost races before giving up; Poolkeeper writes a record once a minute at most. */
const attempts = 5;

interface Named {
  readonly name: string;
  readonly sequence: Sequence;
  /** Those of poolkeeper.yaml. */
  readonly clusters: readonly ClusterSettings[];
}

async function sequenceNamed(words: readonly (string | undefined)[], config: string): Promise<Named> {
  const { sequences = {}, clusters } = await readConfigurationFile(config);
  const [name, ...more] = words;
  const sequence = name !== undefined && Object.hasOwn(sequences, name) ? sequences[name] : undefined;
  if (name !== undefined && sequence !== undefined && more.length === 0) return { name, sequence, clusters };
  const known = Object.keys(sequences).join(', ');
  throw new Misconfigured([`name one sequence of ${config}, which has ${known === '' ? 'none' : known}`]);
}

/** Writes the request into the record, which Poolkeeper may be writing too. */
async function ask(
  { name, sequence, clusters, values }: Named & { readonly values: Parameters<typeof pickClusterOf>[1] },
  surroundings: Surroundings,
  request: (said: { readonly who: string; readonly at: string }) => SequenceRequest,
): Promise<void> {
  const { connection, doubt } = await pickClusterOf({ cluster: keeperOf(sequence), clusters }, values, surroundings);
  try {
    const { who, now } = await askDecider(connection, surroundings);
    const asked = request({ who, at: now().toISOString() });
    const before = await change(connection.sequenceRecords, { name, sequence }, asked);
    if (doubt !== undefined && isNone(before)) surroundings.note(noRecord(`Sequence ${name}`, doubt));
    else if (isSaidAlone(recordIn(before))) surroundings.note(noRecordYet(`sequence ${name}`, sequence.namespace));
  } finally {
    await connection.close();
  }
}

/** What was stored before is returned. Throws ChangeInDoubt if it may be changed. */
async function change(
  records: SequenceRecords,
  { name, sequence: { namespace } }: Pick<Named, 'name' | 'sequence'>,
  request: SequenceRequest,
): Promise<StoredText | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await records.load(namespace, name);
    const text = sequenceRecordText(fitted(withRequest(roomFor(recordIn(stored), request), request)));
    try {
      await records.save(namespace, name, { text, resourceVersion: stored?.resourceVersion });
      return stored;
    } catch (cause) {
      if (!(cause instanceof Transient) || cause.kind !== 'conflict' || attempt === attempts)
        throw failedWrite(`sequence ${name}`, cause);
      await setTimeout(50);
    }
  }
}

/** Throws Misconfigured where no more can be skipped. */
function roomFor(record: SequenceRecord, request: SequenceRequest): SequenceRecord {
  const isOneMore = request.kind === 'skip' && !Object.hasOwn(record.skipped, request.item);
  if (isOneMore && Object.keys(record.skipped).length >= skippedAtMost)
    throw new Misconfigured([
      `${skippedAtMost} steps and gates of it are skipped already: take them out of the sequence`,
    ]);
  return record;
}

/** The cluster that keeps the record of a sequence. */
function keeperOf({ clusters: [first = ''] }: Sequence): string {
  return first;
}

function isNone(stored: StoredText | undefined): boolean {
  return stored === undefined || stored.text === '';
}

function recordIn(stored: StoredText | undefined): SequenceRecord {
  if (stored === undefined || stored.text === '') return emptySequenceRecord;
  const record = parseSequenceRecord(stored.text);
  if (record === 'unreadable') throw new Misconfigured(['the record of the sequence cannot be understood']);
  return record;
}
