import { expect, onTestFinished, test } from 'vitest';
import { clusterArgoCd } from '../../functions/adapters/kubernetes/argocd.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { connectLab, type Product, readPool, startProduct } from './product.ts';
import { finishWaitingHook, withWaitingHook } from './waiting-hook.ts';

const lab = useLab();
const { kube, argocd, git } = lab;

const untilOpened = (product: Product, headline: string) =>
  until(
    () => product.told.find(({ type, data }) => type === 'poolkeeper.incident.opened.v1' && data.headline === headline),
    60_000,
    `an incident of which the headline is: ${headline}`,
  );

const untilPaused = (name: string, paused: boolean) =>
  until(
    async () => (await readPool(lab, name)).paused === paused,
    60_000,
    `pool ${name} to be ${paused ? 'paused' : 'resumed'}`,
  );

/** Its definition takes any text as the phase of an operation. */
async function createInvalidApplication(name: string): Promise<string> {
  const { applications } = paths.in(argocd.namespace);
  await lab.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: argocd.namespace },
    spec: {
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      source: { repoURL: 'https://git.example.com/none', path: '.', targetRevision: 'main' },
    },
  });
  const path = `${applications}/${name}`;
  const startedAt = '2026-03-02T10:00:00Z';
  const operation = { sync: { revision: 'none' } };
  await kube.patch(path, { status: { operationState: { phase: 'Pondering', startedAt, operation } } });
  return path;
}

test('[N-30] [S0-16] an Application and a pool that the API server accepts and nobody can parse: the sweep goes on, finds a sync, and both are told', async () => {
  const observer = await startPoolObserver(lab.controlPlane, { renderDelayMs: 300, targetDelayMs: 1000 });
  onTestFinished(observer.stop);
  await lab.create(pool({ name: 'sound', roles: ['sound'] }));
  for (const index of [1, 2]) await lab.create(node(`sound-${index}`, 'worker', 'sound'));
  const repository = await git.createRepository('acme/sound');
  const manifest = { 'config.json': JSON.stringify(machineConfig('99-sound', 'sound')) };
  await repository.commit(withWaitingHook(manifest, 'wait-sound'));
  const application = await argocd.createApplication({ name: 'sound', repository, automated: false });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.machineConfigs}/99-sound`);
  });
  await until(
    async () => (await application.read()).status?.sync?.status === 'OutOfSync',
    60_000,
    'Argo CD to have compared it',
  );
  const invalid = await createInvalidApplication('unsound');
  const odd = pool({ name: 'odd' });
  await lab.create({
    ...odd,
    spec: { nodeSelector: { matchExpressions: [{ key: 'zone', operator: 'Near', values: ['a'] }] } },
  });
  const product = await startProduct(lab, { policy: { sweepEverySeconds: 1 } });
  product.ticking();

  await application.sync();
  await untilPaused('sound', true);
  await finishWaitingHook(kube, 'wait-sound');
  await application.untilPhase('Succeeded');
  await untilPaused('sound', false);
  await untilOpened(product, `Application ${argocd.namespace}/unsound cannot be parsed`);
  await untilOpened(product, 'pool odd cannot be parsed');

  const connection = connectLab(lab);
  onTestFinished(() => connection.close());
  const instance = { name: 'lab', namespaces: [argocd.namespace], controllerNamespace: argocd.namespace };
  const applications = await clusterArgoCd(connection.client, instance).listApplications();
  const pools = await connection.pools.listPools();
  const why = (field: string) => `cannot be parsed at ${field}`;
  expect(applications.items.map(({ name }) => name)).toContain('sound');
  expect(applications.unreadable).toMatchObject([{ name: 'unsound', why: why('status.operationState.phase') }]);
  expect(pools.items.map(({ name }) => name)).toContain('sound');
  expect(pools.unreadable).toMatchObject([{ name: 'odd', why: why('spec.nodeSelector.matchExpressions.0.operator') }]);

  await kube.patch(invalid, { status: { operationState: { phase: 'Failed' } } });
  expect((await clusterArgoCd(connection.client, instance).listApplications()).unreadable).toEqual([]);
});
