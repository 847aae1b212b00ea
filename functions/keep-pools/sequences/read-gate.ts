import type { SequenceGate } from '../../core/configuration/sequence.ts';
import { ticketUrl } from '../../core/configuration/ticket.ts';
import { answerText, isRightAnswer, wantedText } from '../../core/gates/ticket.ts';
import { type CheckJob, checkJobOf } from '../../core/sequences/check-job.ts';
import type { GateVerdict } from '../../core/sequences/judge-gate.ts';
import type { PlannedGate } from '../../core/sequences/plan.ts';
import { withPreset } from '../../core/sequences/presets.ts';
import type { CheckRun } from '../../core/sequences/record.ts';
import type { ItemReading } from '../../core/sequences/sequence-question.ts';
import { Transient } from '../../core/text/errors.ts';
import { type JobLook, readJob } from './read-job.ts';
import { askObjects } from './read-objects.ts';
import type { SequenceCluster, SequencePorts } from './sequence-ports.ts';

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
  /** Its Jobs, as they are recorded; undefined: by an earlier version, which did not record them, or none. */
  readonly runs: Readonly<Record<string, CheckRun>> | undefined;
  /** Of the sequence: checks are run anew after an abort. */
  readonly attempt: number;
  /** Its checks may be run; otherwise nothing is written. */
  readonly mayRun: boolean;
}

/** Asks a gate: one small read for each of its alternatives, until one is open. */
export async function readGate(look: GateLook, cluster: SequenceCluster, ports: SequencePorts): Promise<ItemReading> {
  const jobs = look.gate.anyOf.map((each) => checkJobOf(each, { ...look, id: look.gate.id }));
  // Of Jobs that are no longer configured nothing is recorded.
  const names = new Set(jobs.map((job) => job?.name));
  const runs = new Map(Object.entries(look.runs ?? {}).filter(([name]) => names.has(name)));
  const verdicts: GateVerdict[] = [];
  for (const [index, each] of look.gate.anyOf.entries()) {
    const job = jobs[index];
    const verdict =
      job === undefined
        ? await ask(each, look.gate.cluster, cluster, ports)
        : await askJob(job, runs, cluster, jobLook(look, job.name, ports));
    verdicts.push(verdict);
    if (verdict.kind === 'open') break;
  }
  const reading = nearestOf(verdicts);
  return jobs.every((job) => job === undefined) ? reading : { ...reading, runs: Object.fromEntries(runs) };
}

function nearestOf(verdicts: readonly GateVerdict[]): ItemReading {
  const nearest = verdicts.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))[0];
  if (nearest === undefined) return { kind: 'healthy', value: 'nothing is asked' };
  const told = nearest.kind === 'open' ? [nearest] : verdicts.filter(({ kind }) => kind === nearest.kind);
  const isUnknownKind = told.every((each) => each.kind === 'refused' && each.isUnknownKind === true);
  return {
    kind: readings[nearest.kind],
    value: told.map(({ value }) => value).join('; or '),
    ...(isUnknownKind ? { isUnknownKind } : {}),
  };
}

/** Asks a Job, and notes what is to be recorded of it. */
async function askJob(
  job: CheckJob,
  runs: Map<string, CheckRun>,
  cluster: SequenceCluster,
  look: JobLook,
): Promise<GateVerdict> {
  const { verdict, run } = await readJob(job, cluster, look);
  if (run === undefined) runs.delete(job.name);
  else runs.set(job.name, run);
  return verdict;
}

function jobLook({ gate, wasOpen, runs, mayRun }: GateLook, name: string, { clock }: SequencePorts): JobLook {
  const { intervalSeconds } = gate.timing;
  return { intervalSeconds, known: runs?.[name], wasOpen: wasOpen && runs === undefined, mayRun, now: clock() };
}

async function ask(
  gate: SequenceGate,
  name: string,
  cluster: SequenceCluster,
  ports: SequencePorts,
): Promise<GateVerdict> {
  if (gate.http !== undefined) return askAddress(gate.http, name, ports);
  const evaluate = ports.evaluateCel ?? (() => ({ kind: 'error' as const, why: 'there is no CEL here' }));
  return askObjects(withPreset(gate), { ...cluster, evaluate, clock: ports.clock });
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
