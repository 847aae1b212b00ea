import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { read } from '../../findings/unread.ts';
import { authorOf } from '../objects/managed-fields.ts';
import { nodeNamed } from '../questions.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { mcoManagers } from './stalled.ts';

/** D6: the MCO cordons a node before it drains it, and this one is not cordoned: somebody takes the cordon away,
 *  pods come back, and the MCO cordons it again. Undefined while the cordon stands, or nobody but the MCO has
 *  touched it. */
export function* uncordonedByOthers({ node }: NodeSubject): Inquiry<Finding | undefined> {
  const live = yield* read(nodeNamed(node.name));
  if (live.kind !== 'read' || live.value.spec.unschedulable) return undefined;
  const author = authorOf(live.value, ['f:spec', 'f:unschedulable']);
  if (author === undefined || mcoManagers.test(author.manager)) return undefined;
  const of = ref('Node', node.name);
  return finding({
    code: 'D6',
    subject: of,
    sentence: `${node.name} is being drained and is not cordoned: ${author.manager} has taken the cordon away, so pods come back while the MCO drains it.`,
    confidence: 'strong',
    class: 'external',
    evidence: [
      evidence(of, 'spec.unschedulable', live.value.spec.unschedulable, live.readAt),
      evidence(of, 'metadata.managedFields[f:unschedulable].manager', author.manager, live.readAt),
    ],
    remedies: [remedy(`Stop what uncordons ${node.name} (${author.manager}) until the update is over`)],
  });
}
