import { counted, listed } from '../text/phrases.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unread } from './gate.ts';

/** No sync runs on an Argo CD instance whose application controller runs on this pool's nodes: resuming would reboot
 *  the controller in the middle of that sync, whichever cluster it is for. */
export const quiet: Gate = { name: 'quiet', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask({ pool, evidence: { controllers } }: GateQuestion): GateAnswer {
  if (controllers.kind === 'not-asked') {
    return unread('where Argo CD runs', noSync, 'controllers');
  }
  if (controllers.kind === 'unreadable') {
    return closed({
      why: `where Argo CD runs could not be read: ${controllers.why}`,
      value: 'unknown',
      threshold: noSync,
      opens: 'the next successful read of its pods and Applications',
      who: 'Poolkeeper, by itself',
    });
  }
  const busy = controllers.value.find(
    (controller) => controller.pools.includes(pool.name) && controller.syncing.length > 0,
  );
  if (busy === undefined) return open;
  return closed({
    why: `Argo CD ${busy.argocd} runs on this pool's nodes and is syncing ${listed(busy.syncing, 3)}`,
    value: `${counted(busy.syncing.length, 'sync')} running`,
    threshold: noSync,
    opens: busy.syncing.length === 1 ? 'the end of that sync' : 'the end of those syncs',
    who: 'Argo CD, by itself; whoever may terminate those syncs, earlier',
  });
}

const noSync = 'no sync running';
