import { listed } from '../text/phrases.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open } from './gate.ts';

/** No sync runs on an Argo CD instance whose application controller runs on this pool's nodes: resuming would reboot
 *  the controller in the middle of that sync, whichever cluster it is for. */
export const quiet: Gate = { name: 'quiet', inEmergency: 'asked', ask };

function ask({ pool, evidence: { controllers } }: GateQuestion): GateAnswer {
  if (controllers.kind === 'not-asked') {
    const notRead = closed('where Argo CD runs has not been read yet', 'a read, once the other gates are open');
    return { ...notRead, lacks: 'controllers' };
  }
  if (controllers.kind === 'unreadable') {
    return closed(
      `where Argo CD runs could not be read: ${controllers.why}`,
      'the next successful read of its pods and Applications',
    );
  }
  const busy = controllers.value.find(
    (controller) => controller.pools.includes(pool.name) && controller.syncing.length > 0,
  );
  if (busy === undefined) return open;
  const opens = busy.syncing.length === 1 ? 'the end of that sync' : 'the end of those syncs';
  return closed(`Argo CD ${busy.argocd} runs on this pool's nodes and is syncing ${listed(busy.syncing, 3)}`, opens);
}
