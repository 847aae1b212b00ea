import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { isInFlight } from '../../openshift/node.ts';
import { command } from '../../text/shell-words.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';

const desired = 'machineconfiguration.openshift.io/desiredConfig';

/** S17: the pool wants another configuration by now, and the MCO targets no node that is not ready: a revert in Git
 *  does not reach it. Source: node controller, candidates for an update. From a paused pool no node gets it anyway, and
 *  to give it by hand would go past whatever the pause is for. */
export function reverted(subject: NodeSubject, found: Finding): Finding {
  const { node, pool, readAt } = subject;
  if (pool.paused || (found.code !== 'S2' && found.code !== 'S3')) return found;
  if (!isInFlight(node) || pool.target.name === '' || node.desiredConfig === pool.target.name) return found;
  const of = ref('Node', node.name);
  const stuck = finding({
    code: 'S17',
    subject: of,
    sentence: `${node.name} was given ${node.desiredConfig}, pool ${pool.name} wants ${pool.target.name} by now, and the MCO gives no configuration to a node that is not ready: the newer one does not reach it.`,
    confidence: 'strong',
    class: 'structural',
    evidence: [
      evidence(of, `metadata.annotations[${desired}]`, node.desiredConfig, readAt),
      evidence(ref('MachineConfigPool', pool.name), 'spec.configuration.name', pool.target.name, readAt),
    ],
    remedies: [
      remedy('Look at its console: a node that comes back as it is gets the newer configuration by itself'),
      remedy(
        'Give it what the pool wants: it drains and reboots; its config daemon must run for that, else the console is left',
        {
          command: command('oc', 'annotate', 'node', node.name, `${desired}=${pool.target.name}`, '--overwrite'),
          undo: command('oc', 'annotate', 'node', node.name, `${desired}=${node.desiredConfig}`, '--overwrite'),
          risk: 'outage',
        },
      ),
    ],
  });
  return { ...found, because: [...found.because, stuck] };
}
