import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import type { Node } from '../../openshift/node.ts';
import type { Pool } from '../../openshift/pool.ts';
import { listed } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { remedy } from '../remedies.ts';

/** S7: a node that two custom pools select belongs to none. The MCO logs `belongs to N custom roles,
 *  cannot proceed`. */
export function inSeveralPools(pool: Pool, nodes: readonly Node[], readAt: string): Finding {
  const names = nodes.map(({ name }) => name).toSorted();
  const [first] = nodes;
  const roles = Object.keys(first?.labels ?? {}).filter((key) => /^node-role\.kubernetes\.io\/(?!worker$)/.test(key));
  return finding({
    code: 'S7',
    subject: ref('MachineConfigPool', pool.name),
    sentence: `${listed(names)} ${names.length === 1 ? 'is' : 'are'} selected by pool ${pool.name} and by another custom pool, so the MCO lets ${
      names.length === 1 ? 'it' : 'them'
    } belong to none and updates ${names.length === 1 ? 'it' : 'them'} no more.`,
    confidence: 'strong',
    class: 'structural',
    evidence: nodes
      .slice(0, 3)
      .map((node) => evidence(ref('Node', node.name), 'metadata.labels', roles.join(', '), readAt)),
    remedies: [
      remedy('Take away the label of the role that is not meant', {
        command: roles[0] === undefined ? undefined : command('oc', 'label', 'node', names[0] ?? '', `${roles[0]}-`),
        undo: roles[0] === undefined ? undefined : command('oc', 'label', 'node', names[0] ?? '', `${roles[0]}=`),
        risk: 'low',
      }),
    ],
  });
}
