import type { Diagnosis } from '../core/diagnose/diagnosis.ts';
import { type Subject, subjectKey } from '../core/diagnose/subject.ts';
import type { Looker } from '../ports.ts';
import { lookInto } from './look-into.ts';

/** API calls one subject may cost. Source: facts of the alert life, API cost at scale. */
const callsPerSubject = 15;

/** Each subject explained, by its key. */
export async function diagnoseAll(
  subjects: readonly Subject[],
  looker: Looker,
): Promise<ReadonlyMap<string, Diagnosis>> {
  const found = await Promise.all(
    subjects.map(async (subject) => {
      const diagnosis = await lookInto(subject, looker, { maxCalls: callsPerSubject });
      return [subjectKey(subject), diagnosis] as const;
    }),
  );
  return new Map(found);
}
