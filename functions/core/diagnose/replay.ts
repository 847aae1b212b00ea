import type { Inquiry } from './inquiry.ts';
import { type Answer, type EvidenceSoFar, type Question, questionKey } from './question.ts';

/** Either more is needed, or this is it. */
export type Step<T> =
  | { readonly kind: 'ask'; readonly questions: readonly Question[] }
  | { readonly kind: 'answer'; readonly findings: T };

/** Runs a rule until it needs something that has not been asked. */
export function replay<T>(inquiry: Inquiry<T>, evidence: EvidenceSoFar): Step<T> {
  let next = inquiry.next();
  while (next.done !== true) {
    const known: Answer[] = [];
    const missing: Question[] = [];
    for (const question of next.value) {
      const answer = evidence.get(questionKey(question));
      if (answer === undefined) missing.push(question);
      else known.push(answer);
    }
    if (missing.length > 0) return { kind: 'ask', questions: missing };
    next = inquiry.next(known);
  }
  return { kind: 'answer', findings: next.value };
}
