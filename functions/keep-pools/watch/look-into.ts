import type { Diagnosis } from '../../core/diagnose/diagnosis.ts';
import { investigate } from '../../core/diagnose/investigate.ts';
import type { Subject } from '../../core/diagnose/subject.ts';
import type { Inquiry } from '../../core/findings/inquiry.ts';
import { type Answer, type Question, questionKey } from '../../core/findings/question.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ObjectReader } from '../../ports/cluster.ts';

export interface ReadBounds {
  /** API calls one subject may cost. 15 answers every rule with two blocking pods, whatever the size of the cluster. */
  readonly maxCalls: number;
}

/** Explains one subject with as few reads as it needs. A failed read weakens the answer but never fails the pass. */
export async function lookInto(subject: Subject, reader: ObjectReader, { maxCalls }: ReadBounds): Promise<Diagnosis> {
  const readAt = new Date(subject.readAt);
  const { answer, ...costs } = await asking(investigate(subject), reader, { maxCalls, readAt });
  return { findings: answer, ...costs };
}

/** The answer of any rule, with the reads that it asks for. */
export async function inquireAll<T>(
  inquiry: () => Inquiry<T>,
  reader: ObjectReader,
  bounds: ReadBounds & { readonly readAt: Date },
): Promise<T> {
  return (await asking(inquiry(), reader, bounds)).answer;
}

/** Nothing is read twice; past the limit every further question is answered with a failure. */
async function asking<T>(
  inquiry: Inquiry<T>,
  reader: ObjectReader,
  { maxCalls, readAt }: ReadBounds & { readonly readAt: Date },
): Promise<{ readonly answer: T; readonly unanswered: readonly string[]; readonly calls: number }> {
  const known = new Map<string, Promise<Answer>>();
  const unanswered: string[] = [];
  let calls = 0;

  async function ask(question: Question): Promise<Answer> {
    const overBudget: Answer = { kind: 'failed', why: `not asked: ${maxCalls} calls were made`, readAt };
    const answer = calls < maxCalls ? look(question, reader, readAt) : Promise.resolve(overBudget);
    calls = Math.min(calls + 1, maxCalls);
    const said = await answer;
    if (said.kind === 'failed') unanswered.push(`${question.path}: ${said.why}`);
    return said;
  }

  function once(question: Question): Promise<Answer> {
    const key = questionKey(question);
    const answer = known.get(key) ?? ask(question);
    known.set(key, answer);
    return answer;
  }

  let next = inquiry.next();
  while (next.done !== true) next = inquiry.next(await Promise.all(next.value.map(once)));
  return { answer: next.value, unanswered, calls };
}

async function look(question: Question, reader: ObjectReader, readAt: Date): Promise<Answer> {
  try {
    return await reader.read(question);
  } catch (cause) {
    if (cause instanceof Transient) return { kind: 'failed', why: cause.message, readAt };
    throw cause;
  }
}
