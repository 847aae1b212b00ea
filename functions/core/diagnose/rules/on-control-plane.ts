import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import type { Node } from '../../openshift/node.ts';
import type { Pool } from '../../openshift/pool.ts';
import { selectorText } from '../../openshift/selector.ts';
import { listed } from '../../text/phrases.ts';
import { remedy } from '../remedies.ts';
import { roleLabels } from './no-pool.ts';

/** S9: a custom pool selects nodes of the control plane. They stay there, so what is meant for the pool never reaches
 *  them.
 *  The MCO logs `Found master node that matches selector for custom pool` and raises the alert MCCPoolAlert. Up to 4.13
 *  it is an error instead, `has both master role and custom role`, and such a node is updated by no pool. Source:
 *  machine-config-operator, release branches, `getPoolsForNode`. */
export function onControlPlane(pool: Pool, nodes: readonly Node[], readAt: string): Finding {
  const names = nodes.map(({ name }) => name).toSorted();
  const one = names.length === 1;
  const wanted = pool.nodeSelector === undefined ? '' : ` (${selectorText(pool.nodeSelector)})`;
  return finding({
    code: 'S9',
    subject: ref('MachineConfigPool', pool.name),
    sentence: `Custom pool ${pool.name} selects ${listed(names)}, which ${one ? 'is a node' : 'are nodes'} of the control plane: the MCO keeps ${one ? 'it' : 'them'} there, and what is meant for ${pool.name} never reaches ${one ? 'it' : 'them'}; before OpenShift 4.14 ${one ? 'it is' : 'they are'} in no pool and not updated at all.`,
    confidence: 'strong',
    class: 'structural',
    evidence: nodes
      .slice(0, 3)
      .map(({ name, labels }) => evidence(ref('Node', name), 'metadata.labels', roleLabels(labels).join(', '), readAt)),
    remedies: [remedy(`Take away the label that ${pool.name} selects by${wanted} from nodes of the control plane`)],
  });
}
