import type { Diagnosis } from '../core/diagnose/diagnosis.ts';
import type { Inquiry } from '../core/diagnose/inquiry.ts';
import { investigate } from '../core/diagnose/investigate.ts';
import { type Answer, type Question, questionKey } from '../core/diagnose/question.ts';
import { replay, type Step } from '../core/diagnose/replay.ts';
import type { Subject } from '../core/diagnose/subject.ts';
import { Transient } from '../core/errors.ts';
import type { Looker } from '../ports.ts';

export interface LookBounds {
  /** API calls one subject may cost. 15 answers every rule with two blocking pods, whatever the size of the cluster. */
  readonly maxCalls: number;
}

/** Explains one subject by as few reads as its explanation needs. A read that fails makes the answer weaker, never the pass fail. */
export async function lookInto(subject: Subject, looker: Looker, { maxCalls }: LookBounds): Promise<Diagnosis> {
  const readAt = new Date(subject.readAt);
  const { answer, ...costs } = await asking((evidence) => investigate(subject, evidence), looker, { maxCalls, readAt });
  return { findings: answer, ...costs };
}

/** The answer of any rule, by the reads that it asks for. */
export async function inquireAll<T>(
  inquiry: () => Inquiry<T>,
  looker: Looker,
  bounds: LookBounds & { readonly readAt: Date },
): Promise<T> {
  return (await asking((evidence) => replay(inquiry(), evidence), looker, bounds)).answer;
}

async function asking<T>(
  step: (evidence: ReadonlyMap<string, Answer>) => Step<T>,
  looker: Looker,
  { maxCalls, readAt }: LookBounds & { readonly readAt: Date },
): Promise<{ readonly answer: T; readonly unanswered: readonly string[]; readonly calls: number }> {
  const evidence = new Map<string, Answer>();
  const unanswered: string[] = [];
  let calls = 0;
  for (;;) {
    const next = step(evidence);
    if (next.kind === 'answer') return { answer: next.findings, unanswered, calls };
    const affordable = next.questions.slice(0, maxCalls - calls);
    calls += affordable.length;
    const answers = await Promise.all(affordable.map((question) => look(question, looker, readAt)));
    next.questions.forEach((question, index) => {
      const overBudget: Answer = { kind: 'failed', why: `not asked: ${maxCalls} calls were made`, readAt };
      const answer = answers[index] ?? overBudget;
      if (answer.kind === 'failed') unanswered.push(`${question.path}: ${answer.why}`);
      evidence.set(questionKey(question), answer);
    });
  }
}

async function look(question: Question, looker: Looker, readAt: Date): Promise<Answer> {
  try {
    return await looker.look(question);
  } catch (cause) {
    if (cause instanceof Transient) return { kind: 'failed', why: cause.message, readAt };
    throw cause;
  }
}
