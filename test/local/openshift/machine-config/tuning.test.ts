import { expect, test } from 'vitest';
import { kubeletConfigs, machineConfigs } from '../../../../local/openshift/api-server/resource-types.ts';
import { virtualCluster } from '../virtual-cluster.ts';

const person = { manager: 'kubectl' };

async function twoPools() {
  const cluster = virtualCluster();
  cluster.builder.addPool({ name: 'worker', labels: { tuned: 'yes' } });
  cluster.builder.addPool({ name: 'infra' });
  cluster.builder.addNodes({ pool: 'worker', names: ['worker-0'] });
  cluster.builder.addNodes({ pool: 'infra', names: ['infra-0'] });
  await cluster.clock.advance(60_000);
  return cluster;
}

const kubeletConfig = (matchLabels: Record<string, string>) => ({
  metadata: { name: 'max-pods' },
  spec: { machineConfigPoolSelector: { matchLabels }, kubeletConfig: { maxPods: 500 } },
});

test('a KubeletConfig becomes a machine config of the pool whose labels it chooses, and inheriting pools get it too', async () => {
  const cluster = await twoPools();

  cluster.registry.create(kubeletConfigs, kubeletConfig({ tuned: 'yes' }), person);
  await cluster.clock.advance(8_000);

  const sources = (pool: string) => cluster.pool(pool).spec.configuration?.source?.map(({ name }) => name);
  expect(sources('worker')).toContain('99-worker-generated-kubelet');
  expect(sources('infra')).toContain('99-worker-generated-kubelet');
  expect(cluster.registry.get(kubeletConfigs, 'max-pods')?.status).toMatchObject({
    observedGeneration: 1,
    conditions: [{ type: 'Success', status: 'True' }],
  });
});

test('one that chooses no pool says so and makes nothing', async () => {
  const cluster = await twoPools();

  cluster.registry.create(kubeletConfigs, kubeletConfig({ tuned: 'no' }), person);
  await cluster.clock.advance(8_000);

  expect(cluster.registry.get(kubeletConfigs, 'max-pods')?.status?.conditions).toMatchObject([
    {
      type: 'Failure',
      status: 'False',
      message: 'Error: could not find any MachineConfigPool set for KubeletConfig max-pods',
    },
  ]);
  expect(cluster.registry.list(machineConfigs).filter(({ metadata }) => metadata.name.includes('generated'))).toEqual(
    [],
  );
});

test('deleting it takes its machine config out of the pools again', async () => {
  const cluster = await twoPools();
  const before = cluster.pool().spec.configuration?.name;
  cluster.registry.create(kubeletConfigs, kubeletConfig({ tuned: 'yes' }), person);
  await cluster.clock.advance(8_000);

  cluster.registry.delete(kubeletConfigs, { name: 'max-pods', namespace: '' }, person);
  await cluster.clock.advance(8_000);

  expect(cluster.registry.get(machineConfigs, '99-worker-generated-kubelet')).toBeUndefined();
  expect(cluster.pool().spec.configuration?.name).toBe(before);
});
