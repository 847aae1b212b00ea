import { startApiServer } from '../../local/openshift/api-server/api-server.ts';
import { createRegistry } from '../../local/openshift/api-server/registry.ts';
import { namespaces } from '../../local/openshift/api-server/resource-types.ts';
import { createPace } from '../../local/openshift/pace.ts';
import { createRandom } from '../../local/openshift/random.ts';
import { createVirtualClock } from '../local/openshift/virtual-clock.ts';
import { argocdContract } from './argocd.contract.ts';
import { clusterArgoCdLab, clusterPoolsLab } from './cluster-labs.ts';
import { poolsContract } from './pools.contract.ts';

const token = 'contract-token';

/** The API server of the simulated OpenShift, without the controllers that would act on what the contracts create. */
async function onSimulatedServer<Lab extends { close(): Promise<void> }>(
  makeLab: (access: { readonly server: string; readonly token: string }) => Promise<Lab>,
): Promise<Lab> {
  const clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  const registry = createRegistry({ pace: createPace(clock, 1), random: createRandom(1) });
  registry.create(namespaces, { metadata: { name: 'default' } }, { manager: 'contract-test' });
  const server = await startApiServer({ registry, clock, token, port: 0, gitVersion: 'v1.34.4' });
  const lab = await makeLab({ server: server.url, token });
  return {
    ...lab,
    async close() {
      await lab.close();
      await server.stop();
    },
  };
}

poolsContract('simulated OpenShift', () => onSimulatedServer(clusterPoolsLab));
argocdContract('simulated OpenShift', () => onSimulatedServer(clusterArgoCdLab));
