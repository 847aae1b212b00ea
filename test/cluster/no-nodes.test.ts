import { expect, test } from 'vitest';
import { startControlPlane } from './harness/control-plane.ts';
import { openWorld } from './harness/drain-world.ts';
import { expectChain } from './harness/expect-chain.ts';
import type { KubeObject } from './harness/kube.ts';
import { startKubelets } from './harness/kubelets.ts';
import { useLab } from './harness/lab.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';
import { startWorkloads } from './harness/workloads.ts';
import { connectLab } from './product.ts';

const shared = useLab();

// A control plane of its own: the scheduler says this of a cluster without nodes, and the laboratory has those of
// others.
test('[S1-5] U10: the other pod is left from when the scheduler saw no node; it has not run since, and there are some', async ({
  onTestFinished,
}) => {
  const controlPlane = await startControlPlane(shared.toolchain);
  onTestFinished(controlPlane.stop);
  const lab = { ...shared, controlPlane, kube: controlPlane.kube };
  const workloads = await startWorkloads(lab.toolchain, controlPlane);
  onTestFinished(workloads.stop);
  const kubelets = await startKubelets(lab.kube);
  onTestFinished(kubelets.stop);
  const connection = connectLab(lab, controlPlane.token);
  onTestFinished(connection.close);
  const world = await openWorld('u10', { lab, kubelets, connection });

  await world.deploy({ replicas: 2, untilReady: 0 });
  await world.untilPods('both pods to be refused', (pods) => pods.length === 2 && pods.every(sawNoNode));
  await workloads.stop();
  await world.node('a');
  await world.node('b');
  const [first] = await world.pods();
  const name = first?.metadata.name ?? '';
  const target = { apiVersion: 'v1', kind: 'Node', name: world.nodeName('a') };
  await lab.kube.post(`${paths.in('u10').pods}/${name}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace: 'u10' },
    target,
  });
  await world.budget({ minAvailable: 1 });
  await until(
    async () => (await lab.kube.get(`${paths.in('u10').budgets}/web`)).status?.currentHealthy === 1,
    60_000,
    'one pod to be healthy',
  );
  await world.drain('a');

  await expectChain(world, {
    chain: ['D1', 'P3', 'U10'],
    says: /^web-\S+ has no node: .*no nodes/,
    evidence: ['status.conditions[PodScheduled].message=no nodes available to schedule pods'],
  });
  expect((await world.pods()).filter(sawNoNode)).toHaveLength(1);
});

function sawNoNode({ status }: KubeObject): boolean {
  return (status?.conditions ?? []).some(({ message }: { readonly message?: string }) =>
    message?.startsWith('no nodes available'),
  );
}
