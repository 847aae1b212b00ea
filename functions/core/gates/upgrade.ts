import { isDegraded, isRequiredForUpgrade } from '../openshift/pool.ts';
import { versionUpdateText } from '../openshift/version-update.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unread, unseen } from './gate.ts';
import { rolloutOf } from './rollout.ts';

/** No update of the cluster's version is under way, so that nodes roll once for both. A pool that the update waits for
 *  goes: each would wait for the other. So does a degraded one, whose change may be the mend, while such a pool is
 *  paused: it may wait for that one. */
export const upgrade: Gate = { name: 'upgrade', inEmergency: 'asked', ask, timeout: pausedAtMost };

const threshold = 'no update of the cluster under way';

function ask(question: GateQuestion): GateAnswer {
  const { versionUpdate } = question.evidence;
  if (question.policy.duringUpgrade === 'go' || isRequiredForUpgrade(question.pool)) return open;
  const rollout = rolloutOf(question);
  if (rollout.kind === 'none') return open;
  if (rollout.kind === 'unread') return rollout.answer;
  if (versionUpdate.kind === 'not-asked') return unread('the version of the cluster', threshold, 'versionUpdate');
  if (versionUpdate.kind === 'unreadable') {
    return unseen({
      why: `whether an update of the cluster is under way cannot be read: ${versionUpdate.why}`,
      value: 'not readable',
      threshold,
      opens: 'it can be read',
      who: 'whoever can mend the API server, or set duringUpgrade: go in poolkeeper.yaml',
    });
  }
  const { value } = versionUpdate;
  if (value.kind === 'none') return open;
  if (value.kind === 'forbidden') return { open: true, warning: value.why };
  const { update } = value;
  const isWaitedFor = question.pools.some((pool) => isRequiredForUpgrade(pool) && pool.paused);
  if (isWaitedFor && isDegraded(question.pool))
    return { open: true, because: `it is degraded: its change does not wait for the update to ${update.to}` };
  return closed({
    why: versionUpdateText(update),
    value: `update to ${update.to} under way`,
    threshold,
    opens: 'the update is complete',
    who: 'the cluster, by itself; whoever may set duringUpgrade: go in poolkeeper.yaml',
    how: 'oc adm upgrade status',
  });
}
