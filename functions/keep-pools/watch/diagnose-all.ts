import type { Diagnosis } from '../../core/diagnose/diagnosis.ts';
import { type Subject, subjectKey } from '../../core/diagnose/subject.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/telemetry.ts';
import { whyUnread } from '../read/why-unread.ts';
import { lookInto } from './look-into.ts';

/** API calls that one subject may cost at most, whatever the size of the cluster. */
const callsPerSubject = 15;

/** Subjects diagnosed at a time. Each holds its answers, up to 10 MB of JSON, until it is explained: fifty at once need
 *  the whole memory of the function, four a fifth of it (docs/benchmarks.md). */
const atOnce = 4;

export interface DiagnosingAll {
  /** Gets errors of ours, which then cost only their own subject its explanation; absent: they are thrown. */
  readonly logger?: Logger;
  /** Once true, no more subjects are started; absent: never. */
  readonly isLate?: () => boolean;
}

/** Each subject explained, by its key; absent: there was no time for it. */
export async function diagnoseAll(
  subjects: readonly Subject[],
  reader: ObjectReader,
  { logger, isLate = () => false }: DiagnosingAll = {},
): Promise<ReadonlyMap<string, Diagnosis>> {
  const found = new Map<string, Diagnosis>();
  const waiting = subjects.values();
  const unexplained = (cause: unknown): Diagnosis => {
    if (logger === undefined) throw cause;
    return { findings: [], unanswered: [whyUnread(cause, logger)], calls: 0 };
  };
  const explain = async () => {
    for (const subject of waiting) {
      const diagnosis = await lookInto(subject, reader, { maxCalls: callsPerSubject }).catch(unexplained);
      found.set(subjectKey(subject), diagnosis);
      if (isLate()) return;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, explain));
  return found;
}
