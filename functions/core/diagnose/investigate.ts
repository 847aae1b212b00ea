import type { Inquiry } from '../findings/inquiry.ts';
import type { Finding } from '../findings/trouble.ts';
import { lostMeanwhile } from './rules/degraded-and-lost.ts';
import { explainDegradedNode } from './rules/degraded-node.ts';
import { explainDrain } from './rules/drain.ts';
import { explainBuild } from './rules/image-build.ts';
import { explainRender } from './rules/render.ts';
import { explainSlowNode } from './rules/slow-node.ts';
import { explainStall, explainUnavailable } from './rules/stalled.ts';
import { explainUnrendered } from './rules/unrendered.ts';
import { withoutDrain } from './rules/without-drain.ts';
import type { NodeSubject, PoolSubject, Subject } from './subject.ts';

/** Explains a subject. Pure: it yields what it must know, and the shell that makes the reads hands the answers back. */
export function* investigate(subject: Subject): Inquiry<readonly Finding[]> {
  if (subject.kind === 'pool') return yield* inquirePool(subject);
  const found = yield* inquireNode(subject);
  return subject.node.isNeverDrained === true ? found.map(withoutDrain) : found;
}

function* inquireNode(subject: NodeSubject): Inquiry<readonly Finding[]> {
  switch (subject.symptom) {
    case 'failing':
      return yield* lostMeanwhile(subject, yield* explainDegradedNode(subject));
    case 'draining':
      return [yield* explainDrain(subject)];
    case 'working':
    case 'rebooting':
    case 'uncordoning':
    case 'waiting':
      return [yield* explainSlowNode(subject)];
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
