import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding, Remedy } from '../../findings/trouble.ts';
import { arbiterLabel } from '../../openshift/control-plane-labels.ts';
import type { Node } from '../../openshift/node.ts';
import type { Pool } from '../../openshift/pool.ts';
import { selectorText } from '../../openshift/selector.ts';
import { listed } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { remedy } from '../remedies.ts';
import { roleLabels } from './no-pool.ts';

/** S7: a node that two custom pools select belongs to none, one of the control plane neither. The MCO logs `belongs to
 *  N custom roles, cannot proceed`. */
export function inSeveralPools(pool: Pool, nodes: readonly Node[], readAt: string): Finding {
  const sorted = nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const names = sorted.map(({ name }) => name);
  const them = names.length === 1 ? 'it' : 'them';
  const isArbiter = sorted.some(({ labels }) => arbiterLabel in labels);
  return finding({
    code: 'S7',
    subject: ref('MachineConfigPool', pool.name),
    sentence: `${listed(names)} ${names.length === 1 ? 'is' : 'are'} selected by pool ${pool.name} and by another custom pool${isArbiter ? ', as which the MCO takes arbiter' : ''}, so the MCO lets ${them} belong to none and updates ${them} no more.`,
    confidence: 'strong',
    class: 'structural',
    evidence: sorted
      .slice(0, 3)
      .map((node) => evidence(ref('Node', node.name), 'metadata.labels', roleLabels(node.labels).join(', '), readAt)),
    remedies: sorted.slice(0, 1).flatMap((node) => [
      remedy('See which labels it has and by which the pools select, and decide which pool is meant', {
        command: `${command('oc', 'get', 'node', node.name, '--show-labels')}; oc get machineconfigpools -o custom-columns=NAME:.metadata.name,SELECTOR:.spec.nodeSelector`,
      }),
      leave(pool, node),
    ]),
  });
}

/** Which of the pools is meant only people know, so each pool's own finding offers to leave that pool. */
function leave({ name, nodeSelector = {} }: Pool, node: Node): Remedy {
  const title = `If ${node.name} is not meant for pool ${name}: take away the label that ${name} selects by (${selectorText(nodeSelector)}); it then gets the configuration of the pool that is left: it drains and reboots`;
  const label = roleSelectedBy(nodeSelector).find((key) => key in node.labels);
  if (label === undefined) return remedy(title, { risk: 'outage' });
  return remedy(title, {
    command: command('oc', 'label', 'node', node.name, `${label}-`),
    undo: command('oc', 'label', 'node', node.name, `${label}=${node.labels[label] ?? ''}`),
    risk: 'outage',
  });
}

/** Labels that were made to choose a pool. Any other, such as a zone or the role of the control plane, serves more
 *  than that, and no command takes it away. */
function roleSelectedBy({ matchLabels = {}, matchExpressions = [] }: NonNullable<Pool['nodeSelector']>) {
  const wanted = matchExpressions.filter(({ operator }) => operator === 'In' || operator === 'Exists');
  return [...Object.keys(matchLabels), ...wanted.map(({ key }) => key)].filter((key) =>
    /^node-role\.kubernetes\.io\/(?!(?:worker|master|control-plane|arbiter)$)/.test(key),
  );
}
