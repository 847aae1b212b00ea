import type { Finding } from '../trouble.ts';
import type { Inquiry } from './inquiry.ts';
import type { EvidenceSoFar } from './question.ts';
import { replay, type Step } from './replay.ts';
import { explainDegradedNode } from './rules/degraded-node.ts';
import { explainDrain } from './rules/drain.ts';
import { explainBuild } from './rules/image-build.ts';
import { explainRender } from './rules/render.ts';
import { explainSlowNode } from './rules/slow-node.ts';
import { explainStall, explainUnavailable } from './rules/stalled.ts';
import { explainUnrendered } from './rules/unrendered.ts';
import type { NodeSubject, PoolSubject, Subject } from './subject.ts';

/** Explains a subject as far as the evidence goes. Pure: the shell asks the questions and comes again. */
export function investigate(subject: Subject, evidence: EvidenceSoFar): Step<readonly Finding[]> {
  return replay(inquire(subject), evidence);
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
      return [yield* explainBuild(subject)];
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
