import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { isLaterSecond } from '../../text/instant.ts';
import { ageText, between } from '../../text/phrases.ts';
import { type Condition, conditionOf } from '../objects/metadata.ts';
import type { LiveNode } from '../objects/node.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { look, onNode } from './degraded-rule.ts';

/** W2: the reboot was asked for and has not happened: the node is ready, was so all the time since, and as far as its
 *  boot is known (`strong`) runs the one that it ran before. Undefined where it has rebooted, or nobody can tell. */
export function pendingReboot(subject: NodeSubject, live: LiveNode, readAt: string): Finding | undefined {
  const { node, symptom, since, rollout } = subject;
  if (symptom !== 'rebooting') return undefined;
  const { bootID } = live.status.nodeInfo;
  const [before, ...later] = rollout?.boots ?? [];
  if (later.length > 0 || (before !== undefined && before !== bootID)) return undefined;
  const ready = conditionOf(live.status.conditions, 'Ready');
  const askedAt = askedForAt(subject);
  const isReadySince = isUnchangedSince(ready, askedAt);
  if (isReadySince === false || (isReadySince === undefined && before === undefined)) return undefined;
  const of = ref('Node', node.name);
  const still = before === undefined ? 'has been ready all the time' : 'still runs the boot that it ran before';
  return finding({
    code: 'W2',
    subject: of,
    sentence: `${node.name} was asked to reboot ${ageText(between(askedAt ?? since, readAt))} ago and ${still}: the reboot is pending.`,
    confidence: before === undefined ? 'likely' : 'strong',
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

/** The daemon's last write before it is back, or the one that was seen to begin the step. */
function askedForAt({ node, rollout }: NodeSubject): string | undefined {
  const begun = rollout?.steps.reboot?.begun;
  return begun?.told === true ? begun.at : node.reportedAt;
}

/** A node that goes down is not ready for a while. Undefined: not known. */
function isUnchangedSince(ready: Condition | undefined, askedAt: string | undefined): boolean | undefined {
  if (ready?.lastTransitionTime === undefined || askedAt === undefined) return undefined;
  return ready.status === 'True' && !isLaterSecond(ready.lastTransitionTime, askedAt);
}
