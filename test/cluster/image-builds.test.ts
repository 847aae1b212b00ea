import { expect, onTestFinished, test } from 'vitest';
import { useLab } from './harness/lab.ts';
import { node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { connectLab, type Product, readPool, startProduct } from './product.ts';
import { finishWaitingHook, withWaitingHook } from './waiting-hook.ts';

const lab = useLab();
const { kube, argocd, git } = lab;

const group = 'machineconfiguration.openshift.io';
const configs = `/apis/${group}/v1/machineosconfigs`;
const builds = `/apis/${group}/v1/machineosbuilds`;
const image = `registry.example.com/mco/os@sha256:${'b'.repeat(64)}`;

/** The API server wants the name of its pool. */
function machineOSConfig(name: string) {
  return {
    apiVersion: `${group}/v1`,
    kind: 'MachineOSConfig',
    metadata: { name },
    spec: {
      machineConfigPool: { name },
      imageBuilder: { imageBuilderType: 'Job' },
      renderedImagePushSecret: { name: 'push' },
      renderedImagePushSpec: 'registry.example.com/mco/os:latest',
    },
  };
}

function machineOSBuild(name: string, of: string, rendered: string) {
  return {
    apiVersion: `${group}/v1`,
    kind: 'MachineOSBuild',
    metadata: { name },
    spec: {
      machineConfig: { name: rendered },
      machineOSConfig: { name: of },
      renderedImagePushSpec: `registry.example.com/mco/os:${name}`,
    },
  };
}

const conditionsOf = (type: string) => [
  { type, status: 'True', reason: type, message: '', lastTransitionTime: '2026-03-02T10:00:00Z' },
];

/** What the status page says of everything. */
const said = async ({ url }: Product) => (await fetch(`${url}/status`)).text();

/** Looks until a tick has read what was written last: one that was on its way may end first. */
async function lookUntil(product: Product, what: string, isSeen: () => Promise<boolean>): Promise<void> {
  const look = async () => {
    await product.look();
    return isSeen();
  };
  await until(look, 60_000, what);
}

test('[N-30] [N-17] a sync brings a MachineOSConfig: its pool stays paused until the image is built', async () => {
  const observer = await startPoolObserver(lab.controlPlane, { renderDelayMs: 100, targetDelayMs: 200 });
  onTestFinished(observer.stop);
  await lab.create(pool({ name: 'imaged', roles: ['imaged'] }));
  await lab.create(node('imaged-1', 'worker', 'imaged'));
  const repository = await git.createRepository('acme/imaged');
  await repository.commit(withWaitingHook({ 'image.json': JSON.stringify(machineOSConfig('imaged')) }, 'wait-imaged'));
  const application = await argocd.createApplication({ name: 'imaged', repository, automated: false });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${configs}/imaged`);
  });
  await until(async () => (await application.read()).status?.sync?.status === 'OutOfSync', 60_000, 'the comparison');
  const product = await startProduct(lab);
  const stop = product.ticking();
  await application.sync();
  await until(async () => (await readPool(lab, 'imaged')).paused, 60_000, 'pool imaged to be paused');
  await finishWaitingHook(kube, 'wait-imaged');
  await application.untilPhase('Succeeded');
  const { name: rendered } = (await kube.get(`${paths.pools}/imaged`)).spec.configuration;
  await until(
    async () => (await said(product)).includes('has begun yet'),
    60_000,
    'the sync to be over for Poolkeeper',
  );
  stop();
  product.passTime(60);
  await product.look();
  const before = [(await readPool(lab, 'imaged')).paused, await said(product)] as const;

  await lab.create(machineOSBuild('imaged-1f2e', 'imaged', rendered));
  await kube.patch(`${builds}/imaged-1f2e/status`, {
    status: { buildStart: '2026-03-02T10:00:00Z', conditions: conditionsOf('Building') },
  });
  await kube.patch(`${configs}/imaged`, {
    metadata: { annotations: { [`${group}/current-machine-os-build`]: 'imaged-1f2e' } },
  });
  await kube.patch(`${configs}/imaged/status`, { status: { observedGeneration: 1 } });
  await lookUntil(product, 'the build to be seen', async () => (await said(product)).includes('imaged-1f2e'));
  const during = [(await readPool(lab, 'imaged')).paused, await said(product)] as const;

  await kube.patch(`${builds}/imaged-1f2e/status`, {
    status: {
      buildEnd: '2026-03-02T10:12:00Z',
      digestedImagePushSpec: image,
      conditions: conditionsOf('Succeeded'),
    },
  });
  await lookUntil(product, 'pool imaged to resume', async () => !(await readPool(lab, 'imaged')).paused);

  expect(before).toEqual([
    true,
    expect.stringContaining(`no image build of MachineOSConfig imaged for ${rendered} has begun yet`),
  ]);
  expect(during).toEqual([
    true,
    expect.stringContaining('it waits for image build imaged-1f2e of MachineOSConfig imaged, since '),
  ]);
});

test('[N-30] a change and a rebuild that are asked for are read as the API server tells them', async () => {
  await lab.create(machineOSConfig('rebuilt'));
  const connection = connectLab(lab);
  onTestFinished(() => connection.close());
  const asked = async () =>
    (await connection.renderings.readImages()).configs.find(({ name }) => name === 'rebuilt')?.asked;
  const anInstant = expect.stringMatching(/^20\d\d-.*Z$/);

  const first = await asked();
  await kube.patch(`${configs}/rebuilt/status`, { status: { observedGeneration: 1 } });
  const observed = await asked();
  await kube.patch(`${configs}/rebuilt`, { spec: { renderedImagePushSpec: 'registry.example.com/mco/other:latest' } });
  const changed = await asked();
  await kube.patch(`${configs}/rebuilt`, {
    metadata: { annotations: { [`${group}/current-machine-os-build`]: 'a', [`${group}/rebuild`]: '' } },
  });
  const rebuilt = await asked();

  expect([first, observed, changed]).toEqual([
    { what: 'change', at: anInstant },
    undefined,
    { what: 'change', at: anInstant },
  ]);
  expect(rebuilt).toEqual({ what: 'rebuild', at: anInstant });
});
