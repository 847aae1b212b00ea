import type { SequenceGate } from '../../core/configuration/sequence.ts';
import { ticketUrl } from '../../core/configuration/ticket.ts';
import { answerText, isRightAnswer, wantedText } from '../../core/gates/ticket.ts';
import { checkJobOf } from '../../core/sequences/check-job.ts';
import { objectsIn, questionOf } from '../../core/sequences/gate-question.ts';
import { type GateVerdict, judgeObjects, type ObjectsRead } from '../../core/sequences/judge-gate.ts';
import type { ItemReading } from '../../core/sequences/judge-sequence.ts';
import type { PlannedGate } from '../../core/sequences/plan.ts';
import { type ObjectGate, withPreset } from '../../core/sequences/presets.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ClusterPorts } from '../keep-ports.ts';
import { resolveOn } from './discover.ts';
import { readJob } from './read-job.ts';
import type { SequencePorts } from './sequence-ports.ts';

const readings = {
  open: 'healthy',
  closed: 'unhealthy',
  refused: 'refused',
  unseen: 'unseen',
} as const satisfies Readonly<Record<GateVerdict['kind'], ItemReading['kind']>>;

/** Worst last: of alternatives, the one that is nearest to being open is told. */
const order: readonly GateVerdict['kind'][] = ['open', 'closed', 'unseen', 'refused'];

/** A gate, and what its checks need to know. */
export interface GateLook {
  readonly gate: PlannedGate;
  readonly sequence: string;
  /** Where its Jobs run. */
  readonly namespace: string;
  /** At the last look. */
  readonly wasOpen: boolean;
  /** Its checks may be run; otherwise nothing is written. */
  readonly mayRun: boolean;
}

/** Asks a gate: one small read for each of its alternatives, until one is open. */
export async function readGate(look: GateLook, cluster: ClusterPorts, ports: SequencePorts): Promise<ItemReading> {
  const { gate } = look;
  const verdicts: GateVerdict[] = [];
  for (const each of gate.anyOf) {
    const verdict = await ask(each, look, cluster, ports);
    verdicts.push(verdict);
    if (verdict.kind === 'open') break;
  }
  const nearest = verdicts.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))[0];
  if (nearest === undefined) return { kind: 'healthy', value: 'nothing is asked' };
  const closed = nearest.kind === 'open' ? [nearest] : verdicts.filter(({ kind }) => kind === nearest.kind);
  return { kind: readings[nearest.kind], value: closed.map(({ value }) => value).join('; or ') };
}

async function ask(
  gate: SequenceGate,
  { gate: { id, cluster: name, timing }, sequence, namespace, wasOpen, mayRun }: GateLook,
  cluster: ClusterPorts,
  ports: SequencePorts,
): Promise<GateVerdict> {
  if (gate.http !== undefined) return askAddress(gate.http, name, ports);
  const job = checkJobOf(gate, { sequence, namespace, id });
  if (job !== undefined)
    return readJob(job, cluster, { intervalSeconds: timing.intervalSeconds, wasOpen, mayRun, now: ports.clock() });
  const wanted = withPreset(gate);
  const evaluate = ports.evaluateCel ?? (() => ({ kind: 'error' as const, why: 'there is no CEL here' }));
  return judgeObjects(wanted, await readObjects(wanted, cluster, ports.clock()), evaluate);
}

async function readObjects(gate: ObjectGate, { reader }: ClusterPorts, now: Date): Promise<ObjectsRead> {
  const resolved = await resolveOn(reader, gate.resourceType ?? '', now);
  if (resolved.kind === 'failed') return resolved;
  if (resolved.kind === 'unknown') return { kind: 'unknown-kind', why: resolved.why };
  return objectsIn(await reader.read(questionOf(gate, resolved.resource)));
}

async function askAddress(
  wanted: NonNullable<SequenceGate['http']>,
  cluster: string,
  { tickets }: SequencePorts,
): Promise<GateVerdict> {
  try {
    const answer = await tickets.ask(wanted, ticketUrl(wanted, { cluster, pool: '', config: '' }));
    if (isRightAnswer(answer, wanted)) return { kind: 'open', value: wantedText(wanted) };
    return { kind: 'closed', value: `it answers ${answerText(answer, wanted)}, not ${wantedText(wanted)}` };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    // An address that does not answer is what is waited for, not a failure of the look.
    return { kind: 'closed', value: cause.message };
  }
}
