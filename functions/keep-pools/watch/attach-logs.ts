import type { Diagnosis } from '../../core/diagnose/diagnosis.ts';
import { logCalls, readLog } from '../../core/diagnose/logs.ts';
import { type NodeSubject, type Subject, subjectKey } from '../../core/diagnose/subject.ts';
import { everyFinding } from '../../core/findings/chain.ts';
import type { Evidence } from '../../core/findings/trouble.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import { inquireAll } from './look-into.ts';

/** Causes by which the node's kubelet is away. It serves the logs, so that a read would only time out. */
const awayCodes = ['S2', 'S3', 'S4', 'S11'];

/** The diagnoses with log lines of the first stuck node of each pool: the others nearly always log the same. Two calls
 *  per pool. A log that cannot be read leaves its diagnosis as it is. */
export async function attachLogs(
  subjects: readonly Subject[],
  diagnoses: ReadonlyMap<string, Diagnosis>,
  reader: ObjectReader,
): Promise<ReadonlyMap<string, Diagnosis>> {
  const nodes = subjects.filter((subject) => subject.kind === 'node').filter((each) => mayHaveLog(each, diagnoses));
  const first = [...Map.groupBy(nodes, ({ pool }) => pool.name).values()].flatMap((own) => own.slice(0, 1));
  const read = await Promise.all(
    first.map(async (subject) => {
      const bounds = { maxCalls: logCalls, readAt: new Date(subject.readAt) };
      return [subjectKey(subject), await inquireAll(() => readLog(subject), reader, bounds)] as const;
    }),
  );
  const lines = new Map(read);
  return new Map([...diagnoses].map(([key, diagnosis]) => [key, withLines(diagnosis, lines.get(key) ?? [])]));
}

/** The node has something to explain, and its kubelet may answer. */
function mayHaveLog(subject: NodeSubject, diagnoses: ReadonlyMap<string, Diagnosis>): boolean {
  const findings = diagnoses.get(subjectKey(subject))?.findings ?? [];
  const isAway = findings.flatMap(everyFinding).some(({ code }) => awayCodes.includes(code));
  return subject.symptom !== 'rebooting' && findings.length > 0 && !isAway;
}

function withLines(diagnosis: Diagnosis, lines: readonly Evidence[]): Diagnosis {
  const [first, ...others] = diagnosis.findings;
  if (first === undefined || lines.length === 0) return diagnosis;
  return { ...diagnosis, findings: [{ ...first, evidence: [...first.evidence, ...lines] }, ...others] };
}
