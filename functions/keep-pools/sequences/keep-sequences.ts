import type { SequenceJudgement, SequenceProblem } from '../../core/sequences/judge-sequence.ts';
import { isSameRecord, type SequenceRecord, sequenceRecordText } from '../../core/sequences/record.ts';
import { stable } from '../../core/sequences/stable.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { fingerprint } from '../../core/text/fingerprint.ts';
import { notAsked, seen, unreadable } from '../../core/text/observed.ts';
import type { TimelineEntry } from '../../core/timeline/view.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { WrittenPass } from '../pass-state.ts';
import { isClockTick } from '../route/scope.ts';
import { applyObject, removeObjects } from './apply-object.ts';
import { applicationsToHold, refreshApplication, writeWindows } from './hold-applications.ts';
import type { KeptSequences } from './kept-sequences.ts';
import { fingerprintOf, type LookedAtSequence, lookAtSequence, type NamedSequence } from './look-at-sequence.ts';
import { showSequence } from './show-sequence.ts';

/** Takes each sequence whose record the cluster keeps as far as it may go now. Ticks of the clock do; what fails is
 *  tried by the next one. */
export async function keepSequencesOf({ scope, ports, observation }: WrittenPass): Promise<KeptSequences> {
  const done = observation.checkpoint.sequencesDone ?? {};
  const own = Object.entries(ports.configuration.sequences ?? {}).filter(
    ([, { clusters }]) => clusters[0] === scope.cluster.name,
  );
  if (own.length === 0) return { problems: undefined, done: {} };
  if (!isClockTick(scope)) return { problems: notAsked, done };
  const kept: KeptSequence[] = [];
  for (const [name, sequence] of own) {
    const is = fingerprintOf(sequence);
    const rests = done[name] === is && !observation.swept;
    const look = { name, sequence, is, swept: observation.swept, mayRun: true };
    kept.push(rests ? { name, problems: [], doneAs: is } : await keepOrTell(look, ports));
  }
  const problems = kept.flatMap(({ name, problems: all }) => all.map((problem) => ({ ...problem, sequence: name })));
  const unseen = kept.find(({ unseen: why }) => why !== undefined)?.unseen;
  return {
    // What is told ends only where every sequence was looked at.
    problems: problems.length === 0 && unseen !== undefined ? unreadable(unseen) : seen(problems),
    done: Object.fromEntries(kept.flatMap(({ name, doneAs }) => (doneAs === undefined ? [] : [[name, doneAs]]))),
  };
}

interface KeptSequence {
  readonly name: string;
  readonly problems: readonly SequenceProblem[];
  /** Undefined: it goes on. */
  readonly doneAs: string | undefined;
  /** Why it could not be looked at just now; undefined: it was. */
  readonly unseen?: string | undefined;
}

interface Kept extends NamedSequence {
  /** Fingerprint of its configuration. */
  readonly is: string;
}

/** What the next tick may find mended; anything else is told at once. */
const mayPass: readonly Transient['kind'][] = ['conflict', 'unreachable', 'busy'];

/** A sequence that cannot be kept, even by a record that names what is no longer configured, stops nothing else. */
async function keepOrTell(kept: Kept, ports: KeepPorts): Promise<KeptSequence> {
  try {
    return await keepSequence(kept, ports);
  } catch (cause) {
    if (!(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
    ports.logger.warn('sequence could not be kept', { sequence: kept.name, why: cause.message });
    if (cause instanceof Transient && mayPass.includes(cause.kind))
      return { name: kept.name, problems: [], doneAs: undefined, unseen: cause.message };
    const problem: SequenceProblem = {
      kind: 'refused',
      item: '',
      cluster: kept.sequence.clusters[0] ?? '',
      since: ports.clock().toISOString(),
      why: cause.message,
    };
    return { name: kept.name, problems: [problem], doneAs: undefined };
  }
}

async function keepSequence(kept: Kept, ports: KeepPorts): Promise<KeptSequence> {
  const { name, sequence, is } = kept;
  const look = await lookAtSequence(kept, ports);
  const { judged, record, records, resourceVersion } = look;
  const cleaned = await clean(judged.record, look, ports);
  const wanted = (await applicationsToHold(look, ports)) ?? {};
  const held = { ...record.held, ...wanted };
  const next = withHeld(cleaned, held);
  const isNews = !isSameRecord(record, next);
  if (isNews) {
    await records.save(sequence.namespace, name, { text: sequenceRecordText(next), resourceVersion });
    await ports.timeline.append(newEntries(look, next));
  }
  if (Object.keys(held).length > 0) await keepWindows(look, wanted, next, ports);
  const refused = cleaned.aborted === undefined ? await begin(judged, name, ports) : [];
  const problems = [...judged.problems, ...refused];
  if (isNews || kept.swept) await showSequence({ look, record: cleaned, problems }, ports);
  const isOver = cleaned.aborted === undefined ? judged.isDone : cleaned.cleanedAt !== undefined;
  return { name, problems, doneAs: isOver && refused.length === 0 ? is : undefined };
}

function withHeld(record: SequenceRecord, held: NonNullable<SequenceRecord['held']>): SequenceRecord {
  const { held: _, ...rest } = record;
  return Object.keys(held).length === 0 ? rest : { ...rest, held };
}

/** The windows of Applications; what was released is forgotten once it is. */
async function keepWindows(
  { name, sequence, records }: LookedAtSequence,
  wanted: NonNullable<SequenceRecord['held']>,
  record: SequenceRecord,
  ports: KeepPorts,
): Promise<void> {
  const after = withHeld(record, await writeWindows(wanted, record, ports));
  if (isSameRecord(record, after)) return;
  const stored = await records.load(sequence.namespace, name);
  if (stored === undefined || stored.text !== sequenceRecordText(record)) return;
  await records.save(sequence.namespace, name, { ...stored, text: sequenceRecordText(after) });
}

/** Lets go what nobody else does. */
async function begin(
  { go, record }: SequenceJudgement,
  name: string,
  ports: KeepPorts,
): Promise<readonly SequenceProblem[]> {
  const problems: SequenceProblem[] = [];
  for (const step of go) {
    if (record.items[step.id]?.value === 'OutOfSync') await refreshApplication(step, ports);
    const failed = await applyObject(name, step, ports);
    if (failed?.kind === 'refused')
      problems.push({
        kind: 'refused',
        item: step.id,
        cluster: step.cluster,
        since: ports.clock().toISOString(),
        why: failed.value,
      });
  }
  return problems;
}

/** An aborted sequence takes back what it applied, if it is configured to. */
async function clean(
  record: SequenceRecord,
  { plan, sequence }: LookedAtSequence,
  ports: KeepPorts,
): Promise<SequenceRecord> {
  if (record.aborted === undefined || record.cleanedAt !== undefined) return record;
  const isClean = sequence.onAbort === 'keep' || (await removeObjects(plan, sequence.namespace, ports));
  return isClean ? { ...record, cleanedAt: ports.clock().toISOString() } : record;
}

function newEntries(
  { name, sequence, record: before }: LookedAtSequence,
  { log }: SequenceRecord,
): readonly TimelineEntry[] {
  const known = new Set(before.log.map((entry) => stable(entry)));
  return log
    .filter((entry) => !known.has(stable(entry)))
    .map(({ at, item, what }) => ({
      id: `sequence/${name}/${item}/${at}/${fingerprint(what)}`,
      at,
      cluster: sequence.clusters[0] ?? '',
      pool: '',
      type: 'poolkeeper.sequence',
      text: `sequence ${name}${item === '' ? '' : `, ${item}`}: ${what}`,
      correlation: name,
    }));
}
