import { closed, type Gate, type GateAnswer, type GateQuestion, open } from './gate.ts';

/** No watched sync runs on an Argo CD instance whose application controller runs on this pool's nodes: the resumed pool
 *  would reboot the controller in the middle of its own sync. */
export const quiet: Gate = { name: 'quiet', ask };

function ask({ pool, evidence: { controllers } }: GateQuestion): GateAnswer {
  if (controllers.kind === 'not-asked') {
    const notRead = closed('where Argo CD runs was not read yet', 'a read, as soon as the other gates are open');
    return { ...notRead, lacks: 'controllers' };
  }
  if (controllers.kind === 'unreadable') {
    return closed(
      `where Argo CD runs could not be read: ${controllers.why}`,
      'the next good read of its pods and Applications',
    );
  }
  const busy = controllers.value.find(
    (controller) => controller.pools.includes(pool.name) && controller.syncing.length > 0,
  );
  if (busy === undefined) return open;
  const named = busy.syncing.slice(0, 3).join(', ');
  return closed(`Argo CD ${busy.argocd} runs on this pool's nodes and syncs ${named}`, 'the end of that sync');
}
