import type { Diagnosis } from '../core/diagnose/diagnosis.ts';
import { investigate } from '../core/diagnose/investigate.ts';
import { type Answer, type Question, questionKey } from '../core/diagnose/question.ts';
import type { Subject } from '../core/diagnose/subject.ts';
import { Transient } from '../core/errors.ts';
import type { Looker } from '../ports.ts';

export interface LookBounds {
  /** API calls one subject may cost. 15 answers every rule with two blocking pods, whatever the size of the cluster. */
  readonly maxCalls: number;
}

/** Explains one subject by as few reads as its explanation needs. A read that fails makes the answer weaker, never the pass fail. */
export async function lookInto(subject: Subject, looker: Looker, { maxCalls }: LookBounds): Promise<Diagnosis> {
  const evidence = new Map<string, Answer>();
  const unanswered: string[] = [];
  const readAt = new Date(subject.readAt);
  let calls = 0;
  for (;;) {
    const step = investigate(subject, evidence);
    if (step.kind === 'answer') return { findings: step.findings, unanswered, calls };
    const affordable = step.questions.slice(0, maxCalls - calls);
    calls += affordable.length;
    const answers = await Promise.all(affordable.map((question) => look(question, looker, readAt)));
    step.questions.forEach((question, index) => {
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
