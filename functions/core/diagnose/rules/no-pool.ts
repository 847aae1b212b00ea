import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import type { Node } from '../../openshift/node.ts';
import type { Pool } from '../../openshift/pool.ts';
import { selectorText } from '../../openshift/selector.ts';
import { listed } from '../../text/phrases.ts';
import { remedy } from '../remedies.ts';

/** S8: nodes that the MCO has configured and that no pool selects any more. The MCO logs `Node N is not in
 *  a pool`.
 *  @param pool the one they were in last, as far as their configuration tells */
export function inNoPool(pool: Pool, nodes: readonly Node[], readAt: string): Finding {
  const names = nodes.map(({ name }) => name).toSorted();
  const one = names.length === 1;
  const wanted = pool.nodeSelector === undefined ? '' : ` (${selectorText(pool.nodeSelector)})`;
  return finding({
    code: 'S8',
    subject: ref('MachineConfigPool', pool.name),
    sentence: `No pool selects ${listed(names)} any more, so the MCO updates ${one ? 'it' : 'them'} no more.`,
    confidence: 'strong',
    class: 'structural',
    evidence: nodes
      .slice(0, 3)
      .flatMap(({ name, labels, currentConfig }) => [
        evidence(ref('Node', name), 'metadata.labels', roleLabels(labels).join(', ') || 'no role', readAt),
        evidence(ref('Node', name), 'currentConfig', currentConfig, readAt),
      ]),
    remedies: [
      remedy(`Give back the label that its pool selects by, as ${pool.name} does${wanted}, or bring its pool back`),
    ],
  });
}

/** Labels that say what a node is for. */
export function roleLabels(labels: Node['labels']): readonly string[] {
  return Object.keys(labels).filter((key) => key.startsWith('node-role.kubernetes.io/'));
}
