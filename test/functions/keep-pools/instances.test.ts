import { describe, expect, it } from 'vitest';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { anApplication } from '../../fakes/index.ts';
import { commitB, keepLab } from './keep-lab.ts';

/** Two Argo CD instances in cluster prod; the first one's destination `everywhere` is that cluster, too. The running
 *  sync of an Application in this namespace is notified under the name of the first. */
async function notified(namespace: string) {
  const lab = keepLab({ argocd: { destinations: [{ name: 'everywhere', cluster: 'prod' }] } });
  const [hub] = lab.ports.configuration.argocd;
  if (hub === undefined) throw new Error('there is no instance');
  const team = { ...hub, name: 'team', namespaces: ['team'], controllerNamespace: 'team', destinations: [] };
  const ports = { ...lab.ports, configuration: { ...lab.ports.configuration, argocd: [hub, team] } };
  const destination = { server: '', name: 'everywhere' };
  lab.world.argocd.put(anApplication({ namespace, name: 'forged', uid: 'forged', destination }));
  lab.syncs(commitB, {}, 'forged');
  const event = lab.operationOf('Running');
  await keep({ ...event, data: { ...event.data, namespace, name: 'forged' } }, ports);
  return lab;
}

describe('an operation that is notified under the name of another Argo CD instance', () => {
  it('[N-30] is not judged by the destinations of that one', async () => {
    expect((await notified('team')).pool().paused).toBe(false);
  });

  it.each(['openshift-gitops', 'of-no-instance'])(
    '[S0-16] pauses where its namespace %s is of no other',
    async (namespace) => {
      expect((await notified(namespace)).pool().paused).toBe(true);
    },
  );
});
