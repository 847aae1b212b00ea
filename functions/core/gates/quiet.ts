import { mayHaveBeen } from '../argocd/clock-skew.ts';
import { namedSyncHoldId } from '../openshift/hold.ts';
import { earliest, isPast, latest, plusSeconds } from '../text/instant.ts';
import { counted, listed } from '../text/phrases.ts';
import {
  closed,
  type Gate,
  type GateAnswer,
  type GateQuestion,
  open,
  pausedAtMost,
  type UnclearSync,
  unread,
  unseen,
} from './gate.ts';

/** No sync runs on an Argo CD instance whose application controller runs on this pool's nodes: resuming would reboot
 *  the controller in the middle of that sync, whichever cluster it is for. And none runs that may have brought what
 *  waits for a pool at rest. */
export const quiet: Gate = { name: 'quiet', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask(question: GateQuestion): GateAnswer {
  const { pool, overruledSyncs, controllers } = { ...question, ...question.evidence };
  if (controllers.kind === 'not-asked') {
    return unread('where Argo CD runs', noSync, 'controllers');
  }
  if (controllers.kind === 'unreadable') {
    return unseen({
      why: `where Argo CD runs could not be read: ${controllers.why}`,
      value: 'unknown',
      threshold: noSync,
      opens: 'the next successful read of its pods and Applications',
      who: 'Poolkeeper, by itself',
    });
  }
  const busy = controllers.value
    .filter(({ pools }) => pools.includes(pool.name))
    .map(({ argocd, syncing }) => ({
      argocd,
      syncing: syncing.filter((application) => overruledSyncs?.has(namedSyncHoldId(argocd, application)) !== true),
    }))
    .find(({ syncing }) => syncing.length > 0);
  if (busy === undefined) return unclear(question);
  return closed({
    why: `Argo CD ${busy.argocd} runs on this pool's nodes and is syncing ${listed(busy.syncing, 3)}`,
    value: `${counted(busy.syncing.length, 'sync')} running`,
    threshold: noSync,
    opens: busy.syncing.length === 1 ? 'the end of that sync' : 'the end of those syncs',
    who: 'Argo CD, by itself; whoever may terminate those syncs, earlier',
  });
}

/** A sync tells soon what it changes, by its results or by the next comparison. Each is waited for as long as a push,
 *  from its own begin: what kept the gate closed before it takes nothing of its time. */
function unclear({ pool, unclearSyncs: all = [], closedSince, policy, now }: GateQuestion): GateAnswer {
  const untilOf = ({ begunAt }: UnclearSync) => {
    // No sync begins later than now, whatever its Application says.
    const isKnown = begunAt !== undefined && mayHaveBeen(begunAt, now);
    const begun = isKnown ? earliest([begunAt, now.toISOString()]) : closedSince['quiet'];
    return plusSeconds(new Date(begun ?? now), policy.expectSyncWithinSeconds);
  };
  const unclearSyncs = all.filter((sync) => !isPast(untilOf(sync), now));
  const until = latest(unclearSyncs.map(untilOf));
  if (until === undefined) return open;
  const names = listed(
    unclearSyncs.map(({ name }) => name),
    3,
  );
  const [syncs, what] = unclearSyncs.length === 1 ? ['sync', 'it changes'] : ['syncs', 'they change'];
  return closed({
    why: `the running ${syncs} of ${names} may have brought ${pool.target.name}: Argo CD does not say yet what ${what}`,
    value: `${counted(unclearSyncs.length, 'sync')} running`,
    threshold: 'no sync running of which that is not known',
    opens: `what Argo CD says of ${unclearSyncs.length === 1 ? 'that sync' : 'those syncs'}, or by itself at ${until}`,
    who: 'Argo CD, by itself',
    opensAt: until,
  });
}

const noSync = 'no sync running';
