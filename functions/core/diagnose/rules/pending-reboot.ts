import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { ageText, between } from '../../text/phrases.ts';
import { conditionOf } from '../objects/metadata.ts';
import type { LiveNode } from '../objects/node.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { look, onNode } from './degraded-rule.ts';

/** W2: the reboot was asked for and has not happened: the node is ready, and runs the boot that it ran before.
 *  Undefined where it has rebooted, or nobody can tell. */
export function pendingReboot(subject: NodeSubject, live: LiveNode, readAt: string): Finding | undefined {
  const { node, symptom, since, rollout } = subject;
  if (symptom !== 'rebooting' || rollout === undefined) return undefined;
  const { bootID } = live.status.nodeInfo;
  if (bootID === '' || rollout.boots.length !== 1 || rollout.boots[0] !== bootID) return undefined;
  const ready = conditionOf(live.status.conditions, 'Ready');
  const of = ref('Node', node.name);
  return finding({
    code: 'W2',
    subject: of,
    sentence: `${node.name} was asked to reboot ${ageText(between(since, readAt))} ago and still runs the boot that it ran before: the reboot is pending.`,
    confidence: 'strong',
    class: 'external',
    evidence: [
      evidence(of, 'metadata.annotations[post-config-action]', node.postConfigAction, subject.readAt),
      evidence(of, 'status.nodeInfo.bootID', bootID, readAt),
      evidence(of, 'status.conditions[Ready].lastTransitionTime', ready?.lastTransitionTime ?? 'not told', readAt),
    ],
    remedies: [
      look('See what holds the reboot back', onNode(node.name, 'systemd-inhibit', '--list', '--no-pager')),
      look(
        'See whether a shutdown has begun and waits for a service',
        onNode(node.name, 'systemctl', 'list-jobs', '--no-pager'),
      ),
      remedy(`If nothing moves: reboot it by hand${node.isNeverDrained ? '' : ', it is drained already'}`, {
        command: onNode(node.name, 'systemctl', 'reboot'),
        risk: 'outage',
      }),
    ],
  });
}
