import type { Inquiry } from '../findings/inquiry.ts';
import { type Reading, read } from '../findings/unread.ts';
import type { Pod } from './objects/pod.ts';
import { askableSelector, asksForTooMuch, mostWishes } from './placement.ts';
import { type CandidateNodes, candidateNodes } from './questions.ts';

/** The nodes on which a pod may run, as far as labels say it: to be placed on them. Unread where it asks for too much
 *  for that.
 *  @param readAt when the pod was read */
export function* readCandidates(pod: Pod, readAt: string): Inquiry<Reading<CandidateNodes>> {
  if (!asksForTooMuch(pod)) return yield* read(candidateNodes(askableSelector(pod)));
  const why = `it asks for more than ${mostWishes} labels, terms, values and tolerations`;
  return { kind: 'unread', what: `where ${pod.metadata.name} may run`, why, readAt };
}
