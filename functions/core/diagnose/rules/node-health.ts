import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { kindWord } from '../../text/kind-words.ts';
import { ageText, between, clipped, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { conditionOf } from '../objects/metadata.ts';
import { isNodeReady, type LiveNode } from '../objects/node.ts';
import { remedy } from '../remedies.ts';
import { isOfControlPlane, replaceControlPlaneNode } from './control-plane-node.ts';

/** S2, S3 and S11: what a node's conditions say is wrong with it. Undefined: nothing.
 *  @param rebooting the MCO is rebooting it: not ready then means that it has not come back */
export function unfitNode(node: LiveNode, readAt: string, rebooting: boolean): Finding | undefined {
  if (isNodeReady(node) === false) return silentKubelet(node, readAt, rebooting);
  const bad = ['DiskPressure', 'NetworkUnavailable'].find(
    (type) => conditionOf(node.status.conditions, type)?.status === 'True',
  );
  if (bad === undefined) return undefined;
  const of = ref('Node', node.metadata.name);
  const condition = conditionOf(node.status.conditions, bad);
  return finding({
    code: 'S11',
    subject: of,
    sentence: `${of.name} reports ${bad}${sinceText(condition?.lastTransitionTime, readAt)}: ${quoted(condition?.message ?? '', 200)}.`,
    confidence: 'certain',
    class: 'external',
    evidence: [evidence(of, `status.conditions[${bad}].status`, 'True', readAt)],
    remedies: [
      remedy(bad === 'DiskPressure' ? `Free disk space on ${of.name}` : `Look at the network plugin on ${of.name}`),
    ],
  });
}

function silentKubelet(node: LiveNode, readAt: string, rebooting: boolean): Finding {
  const of = ref('Node', node.metadata.name);
  const ready = conditionOf(node.status.conditions, 'Ready');
  const message = ready?.message ?? '';
  const silent = ready?.status === 'Unknown';
  const since = sinceText(ready?.lastTransitionTime, readAt);
  return finding({
    code: rebooting ? 'S3' : 'S2',
    subject: of,
    sentence: rebooting
      ? `${of.name} was rebooted and has not come back${since}: ${silent ? 'its kubelet is silent' : 'its kubelet runs but the node is not ready'} (${quoted(message, 200)}).`
      : `${of.name} ${silent ? 'is unreachable' : 'is not ready'}${since}: ${quoted(message, 200)}.`,
    confidence: 'certain',
    class: 'external',
    evidence: [
      evidence(of, 'status.conditions[Ready].status', ready?.status ?? 'missing', readAt),
      evidence(of, 'status.conditions[Ready].message', clipped(message), readAt),
      ...(ready?.lastTransitionTime === undefined
        ? []
        : [evidence(of, 'status.conditions[Ready].lastTransitionTime', ready.lastTransitionTime, readAt)]),
      evidence(of, 'status.nodeInfo.bootID', node.status.nodeInfo.bootID, readAt),
    ],
    remedies: silent ? lostRemedies(node) : unreadyRemedies(of.name),
  });
}

function lostRemedies(node: LiveNode) {
  const { name } = node.metadata;
  return [
    remedy('Look at the machine itself: its console, its power, its address', {
      command: command('oc', '-n', 'openshift-machine-api', 'get', kindWord('Machine'), '-o', 'wide'),
    }),
    ...(isOfControlPlane(node)
      ? replaceControlPlaneNode(name)
      : [remedy(`Replace the machine of ${name} if it does not come back`, { risk: 'outage' })]),
  ];
}

function unreadyRemedies(node: string) {
  return [
    remedy('Read what the kubelet says', {
      command: command('oc', 'adm', 'node-logs', node, '-u', 'kubelet', '--tail=50'),
    }),
  ];
}

function sinceText(since: string | undefined, readAt: string): string {
  return since === undefined ? '' : ` for ${ageText(between(since, readAt))}`;
}
