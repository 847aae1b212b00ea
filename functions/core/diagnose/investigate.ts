import type { Finding } from '../trouble.ts';
import type { Inquiry } from './inquiry.ts';
import { type Answer, type EvidenceSoFar, type Question, questionKey } from './question.ts';
import { explainDegradedNode } from './rules/degraded-node.ts';
import { explainDrain } from './rules/drain.ts';
import { explainBuild, explainRender } from './rules/render.ts';
import { explainSlowNode } from './rules/slow-node.ts';
import { explainStall, explainUnavailable } from './rules/stalled.ts';
import { explainUnrendered } from './rules/unrendered.ts';
import type { NodeSubject, PoolSubject, Subject } from './subject.ts';

/** Either more is needed, or this is it. */
export type Step =
  | { readonly kind: 'ask'; readonly questions: readonly Question[] }
  | { readonly kind: 'answer'; readonly findings: readonly Finding[] };

/** Explains a subject as far as the evidence goes. Pure: the shell asks the questions and comes again. */
export function investigate(subject: Subject, evidence: EvidenceSoFar): Step {
  return replay(inquire(subject), evidence);
}

/** Runs a rule until it needs something that has not been asked. */
export function replay(inquiry: Inquiry<readonly Finding[]>, evidence: EvidenceSoFar): Step {
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

function* inquire(subject: Subject): Inquiry<readonly Finding[]> {
  return subject.kind === 'node' ? [yield* inquireNode(subject)] : yield* inquirePool(subject);
}

function* inquireNode(subject: NodeSubject): Inquiry<Finding> {
  switch (subject.symptom) {
    case 'failing':
      return yield* explainDegradedNode(subject);
    case 'draining':
      return yield* explainDrain(subject);
    case 'working':
    case 'rebooting':
    case 'uncordoning':
    case 'waiting':
      return yield* explainSlowNode(subject);
    default:
      return subject.symptom satisfies never;
  }
}

function* inquirePool(subject: PoolSubject): Inquiry<readonly Finding[]> {
  switch (subject.symptom) {
    case 'render':
      return [yield* explainRender(subject)];
    case 'build':
      return [explainBuild(subject)];
    case 'stalled':
      return yield* explainStall(subject);
    case 'unrendered':
      return [yield* explainUnrendered(subject)];
    case 'unavailable':
      return yield* explainUnavailable(subject);
    default:
      return subject.symptom satisfies never;
  }
}
