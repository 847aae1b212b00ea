import { isFailing, type Node } from '../openshift/node.ts';
import { type NodeRollout, stepOf } from '../openshift/node-rollout.ts';
import { ageText, between, quoted } from '../text/phrases.ts';

/** What must become true before the node continues, and what is true instead, in words of its MCO annotations. */
export function unmetCondition(node: Node, rollout: NodeRollout | undefined, readAt: string): string {
  if (isFailing(node)) return `the config daemon must succeed; it reports: ${quoted(node.reason || 'nothing', 160)}`;
  const step = stepOf(node);
  switch (step) {
    case undefined:
      return 'nothing: it is at its desired config';
    case 'pickup':
      return `state must become Working; it is ${node.state || 'not set'}: the config daemon has not started`;
    case 'prepare':
      return node.isNeverDrained === true
        ? 'post-config-action must become Rebooting, or state Done; files, units and operating system are still being written, without a drain'
        : 'desiredDrain must be set; the config daemon is still checking the change';
    case 'cordon':
    case 'drain':
      return `lastAppliedDrain must become ${node.desiredDrain}; it is ${node.lastAppliedDrain || 'not set'}: pods are still being evicted`;
    case 'stage':
      return 'post-config-action must become Rebooting; files, units and operating system are still being written';
    case 'reboot':
      return rebootCondition(rollout, readAt);
    case 'uncordon':
      return node.lastAppliedDrain === node.desiredDrain
        ? `currentConfig must become ${node.desiredConfig}; the config daemon has not reported Done yet`
        : `lastAppliedDrain must become ${node.desiredDrain}; the machine-config-controller has not uncordoned it`;
    default:
      return step satisfies never;
  }
}

/** A changed boot id distinguishes a machine that went down and came up from one that never went down. */
function rebootCondition(rollout: NodeRollout | undefined, readAt: string): string {
  const { boots = [], ready } = rollout ?? {};
  const since = ready?.since === undefined ? '' : ` for ${ageText(between(ready.since, readAt))}`;
  if (boots.length > 2) return `it must stay up: it has rebooted ${boots.length - 1} times`;
  if (ready?.is === false) {
    if (boots.length > 1) return `Ready must become True; it has rebooted and is not ready${since}`;
    return `Ready must become True; it is down${since}${boots.length === 1 ? ' and has not rebooted' : ''}`;
  }
  if (boots.length > 1) return 'post-config-action must be cleared; it has rebooted and the config daemon is not back';
  return boots.length === 1
    ? 'its boot id must change; a reboot was requested and it has not gone down'
    : 'Ready must become True and the config daemon must be back';
}
