import { expect, onTestFinished, test } from 'vitest';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import { checkAnnotations } from '../../local/cli/doctor/check-annotations.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { connectLab, type Product, readPool, startProduct } from './product.ts';
import { finishWaitingHook, withWaitingHook } from './waiting-hook.ts';

const lab = useLab();
const { kube, argocd, git } = lab;

/** An alert is due this long after the last sign of life; ten minutes would be long for a test. */
const quick = {
  syncStillAtMostSeconds: 4,
  sweepEverySeconds: 1,
  alerting: { ...defaultPolicy.alerting, holdDownSeconds: 0 },
};
const trusted = { mayAdd: { namespaces: [argocd.namespace], projects: [] } };

async function poolsOf(...names: readonly string[]): Promise<void> {
  const observer = await startPoolObserver(lab.controlPlane, { renderDelayMs: 300, targetDelayMs: 1000 });
  onTestFinished(observer.stop);
  for (const name of names) {
    await lab.create(pool({ name, roles: [name] }));
    await lab.create(node(`${name}-1`, 'worker', name));
  }
}

/** What a tenant with the right to write Applications can do: name pools, and write a status that says it syncs. */
async function handwritten(name: string, pools: string, operationState: Readonly<Record<string, unknown>> = {}) {
  const path = `${paths.in(argocd.namespace).applications}/${name}`;
  await lab.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: argocd.namespace, annotations: { 'poolkeeper.dev/pools': pools } },
    spec: {
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      source: { repoURL: 'https://git.example.com/none', path: '.', targetRevision: 'main' },
    },
  });
  const state = {
    phase: 'Running',
    startedAt: `${new Date().toISOString().slice(0, 19)}Z`,
    operation: { sync: { revision: 'none' } },
    ...operationState,
  };
  await kube.patch(path, { status: { operationState: state } });
  return { path, state };
}

async function paused(...names: readonly string[]): Promise<readonly boolean[]> {
  return Promise.all(names.map(async (name) => (await readPool(lab, name)).paused));
}

const opened = (product: Product, name: string) =>
  product.told.flatMap((event) =>
    event.type === 'poolkeeper.incident.opened.v1' && event.data.pool === name ? [event.data] : [],
  );

test('[N-30] an operation written by hand, with an annotation that names pools, pauses nothing where nobody listed the Application', async () => {
  await poolsOf('plain-a', 'plain-b');
  const { path } = await handwritten('plain', 'plain-a,plain-b');
  const product = await startProduct(lab, { policy: quick });

  for (let looks = 0; looks < 3; looks += 1) await product.look();

  expect(await paused('plain-a', 'plain-b')).toEqual([false, false]);
  expect((await kube.get(path)).status?.operationState?.phase).toBe('Running');
  const connection = connectLab(lab);
  onTestFinished(() => connection.close());
  const settings = { name: 'lab', namespaces: [argocd.namespace], controllerNamespace: argocd.namespace };
  const findings = await checkAnnotations('Argo CD lab', connection.argocd({ ...settings }));
  expect(findings).toMatchObject([
    {
      state: 'warning',
      what: expect.stringContaining(`${argocd.namespace}/plain: its annotation poolkeeper.dev/pools`),
      remedy: expect.stringContaining('poolsAnnotation.mayAdd: { projects: [default] }'),
    },
  ]);
});

test('[N-30] where it may, the pools stay paused, Argo CD leaves the state alone, and the incident says that nobody runs it', async () => {
  await poolsOf('forged-a', 'forged-b');
  const { path, state } = await handwritten('forged', 'forged-a,forged-b');
  const product = await startProduct(lab, { policy: quick, poolsAnnotation: trusted });
  product.ticking();

  await product.untilTold('incident.opened', 'forged-a');
  await product.untilTold('incident.opened', 'forged-b');

  expect(await paused('forged-a', 'forged-b')).toEqual([true, true]);
  expect((await kube.get(path)).status?.operationState).toMatchObject(state);
  const [incident] = opened(product, 'forged-a');
  expect(incident).toMatchObject({ kind: 'sync-stuck', severity: 'warning' });
  expect(incident?.headline).toMatch(/forged/);
  await kube.patch(path, { status: { operationState: { phase: 'Succeeded', finishedAt: state.startedAt } } });
  await product.untilTold('pool.resumed', 'forged-a');
  await product.untilTold('pool.resumed', 'forged-b');
});

test('[N-30] a real sync that waits for its hook is told as information only, and ends as every sync', async () => {
  await poolsOf('unmoved');
  const repository = await git.createRepository('acme/unmoved');
  await repository.commit(
    withWaitingHook({ 'config.json': JSON.stringify(machineConfig('99-unmoved', 'unmoved')) }, 'wait-unmoved'),
  );
  const application = await argocd.createApplication({ name: 'unmoved', repository, automated: false });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.machineConfigs}/99-unmoved`);
  });
  await until(
    async () => (await application.read()).status?.sync?.status === 'OutOfSync',
    60_000,
    'Argo CD to have compared it',
  );
  const product = await startProduct(lab, { policy: quick });
  const stop = product.ticking();

  await application.sync();
  await product.untilTold('incident.opened', 'unmoved');
  const while_ = await application.read();
  await finishWaitingHook(kube, 'wait-unmoved');
  await application.untilPhase('Succeeded');
  await product.untilTold('pool.resumed', 'unmoved');
  stop();

  expect(while_.operation).toBeDefined();
  expect(opened(product, 'unmoved')).toMatchObject([{ kind: 'sync-stuck', severity: 'info' }]);
});

test('[N-30] no time that the API server accepts in a status makes a record that cannot be read', async () => {
  await poolsOf('odd-times');
  const product = await startProduct(lab, { policy: quick, poolsAnnotation: trusted });
  const { path } = await handwritten('odd-times', 'odd-times', { startedAt: '2026-03-02T10:00:00.123456789Z' });
  const times = ['2026-03-02t10:00:00z', '2026-03-02T10:00:00+14:00', '9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z'];
  const accepted: string[] = [];
  for (const startedAt of times) {
    const answer = await kube.patch(path, { status: { operationState: { startedAt } } }).catch(() => undefined);
    if (answer !== undefined) accepted.push(startedAt);
    await product.look();

    const { record } = await readPool(lab, 'odd-times');
    expect({ startedAt, record }).toMatchObject({ record: { holds: [{ phase: 'syncing' }] } });
  }

  expect(accepted).toContain('2026-03-02t10:00:00z');
});
