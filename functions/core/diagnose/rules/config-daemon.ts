import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';
import { quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { isReady, type Pod } from '../objects/pod.ts';
import { remedy } from '../remedies.ts';

/** Beside the daemon runs a proxy for its metrics: without it the pod is not ready, and the daemon works on. Where all
 *  are ready and the pod is not, its node is silent. */
function works(pod: Pod): boolean {
  const { containerStatuses: all } = pod.status;
  const isOnlyTheProxy =
    all.some(({ ready }) => !ready) && all.some(({ name, ready }) => ready && name === 'machine-config-daemon');
  return isReady(pod) || isOnlyTheProxy;
}

/** S4: nobody on the node does what the MCO asks for. */
export function brokenDaemon(node: string, pods: readonly Pod[], readAt: string): Finding | undefined {
  const [pod] = pods;
  if (pods.some(works)) return undefined;
  const of = ref('Pod', pod?.metadata.name ?? 'machine-config-daemon', mcoNamespace);
  const waiting = pod?.status.containerStatuses.find(({ state }) => state.waiting !== undefined)?.state.waiting;
  const how =
    pod === undefined
      ? `no machine-config-daemon runs on ${node}`
      : `the machine-config-daemon on ${node} is not ready${waiting === undefined ? '' : ` (${waiting.reason}${waiting.message === '' ? '' : `: ${quoted(waiting.message, 160)}`})`}`;
  return finding({
    code: 'S4',
    subject: ref('Node', node),
    sentence: `${node} does not act on its new configuration: ${how}.`,
    confidence: 'certain',
    class: 'external',
    evidence: [
      evidence(of, 'status.conditions[Ready].status', pod === undefined ? '(no pod)' : 'False', readAt),
      ...(waiting === undefined
        ? []
        : [evidence(of, 'status.containerStatuses.state.waiting.reason', waiting.reason, readAt)]),
    ],
    remedies:
      pod === undefined
        ? [remedy(`Look at why the DaemonSet machine-config-daemon leaves ${node} out (taints, cordon)`)]
        : [
            remedy('Start the daemon anew', {
              command: command('oc', '-n', mcoNamespace, 'delete', 'pod', pod.metadata.name),
              risk: 'low',
            }),
          ],
  });
}
