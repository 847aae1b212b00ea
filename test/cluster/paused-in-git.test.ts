import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { useLab } from './harness/lab.ts';
import { pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { connectLab } from './product.ts';

const lab = useLab();
const { kube, argocd, git } = lab;

const ignorePause = [
  { group: 'machineconfiguration.openshift.io', kind: 'MachineConfigPool', jsonPointers: ['/spec/paused'] },
];

/** The pool and its Application as Poolkeeper reads them, after a sync that found our pause there and whose manifest
 *  says `spec.paused: true`; and the pool once more, after one whose manifest no longer says so. */
async function pausedTwice(name: string, syncOptions: readonly string[]) {
  const repository = await git.createRepository(`acme/${name}`);
  const { apiVersion, kind, spec } = pool({ name, roles: [name] });
  const write = (more: object) => ({
    'pool.json': JSON.stringify({ apiVersion, kind, metadata: { name }, spec: { ...spec, ...more } }),
  });
  const first = await repository.commit(write({ maxUnavailable: 1 }));
  const application = await argocd.createApplication({ name, repository, automated: false, syncOptions });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.pools}/${name}`);
  });
  await kube.patch(application.path, { spec: { ignoreDifferences: ignorePause } });
  async function sync({ after }: typeof first): Promise<void> {
    await application.sync({ revision: after });
    await application.untilPhase('Succeeded', after);
  }
  await sync(first);
  const connection = connectLab(lab);
  onTestFinished(connection.close);
  const before = await connection.pools.readPool(name);
  if (before === undefined) throw new Error(`there is no pool ${name}`);
  // Owners of fields have times in whole seconds.
  await sleep(1_100);
  await connection.pools.patchPool(before, { paused: true });

  await sync(await repository.commit(write({ maxUnavailable: 2, paused: true })));
  const { namespace } = argocd;
  const reader = connection.argocd({ name: 'lab', namespaces: [namespace], controllerNamespace: namespace });
  const held = await connection.pools.readPool(name);
  const synced = await reader.readApplication({ namespace, name });
  await sync(await repository.commit(write({ maxUnavailable: 3 })));
  return { held, synced, afterwards: await connection.pools.readPool(name) };
}

test.each([
  ['client-side', []],
  ['server-side', ['ServerSideApply=true']],
])('[S0-14] what Argo CD leaves on a pool that Git pauses while we hold it, by %s apply', async (how, options) => {
  const name = `in-git-${how}`;
  const { held, synced, afterwards } = await pausedTwice(name, options);

  expect(held).toMatchObject({
    paused: true,
    pausedBy: { manager: 'poolkeeper' },
    appliedPausedBy: 'argocd-controller',
    deployedBy: { name },
  });
  expect(synced).toMatchObject({ isAtHome: true });
  expect(synced?.respectsIgnoreDifferences).toBeUndefined();
  expect(synced?.operation?.results).toMatchObject([{ kind: 'MachineConfigPool', name, status: 'Synced' }]);
  // Server-side apply leaves the pause to us, who have set it.
  expect(afterwards?.paused).toBe(how === 'server-side');
  expect(afterwards?.appliedPausedBy).toBeUndefined();
});

test.each([
  ['client-side', []],
  ['server-side', ['ServerSideApply=true']],
])('[S0-14] and the same, whatever Git says, where its Application respects our pause: %s', async (how, options) => {
  const name = `respected-${how}`;
  const { held, synced, afterwards } = await pausedTwice(name, [...options, 'RespectIgnoreDifferences=true']);

  expect(held).toMatchObject({ paused: true, pausedBy: { manager: 'poolkeeper' } });
  expect(synced?.respectsIgnoreDifferences).toBe(true);
  expect(afterwards?.paused).toBe(true);
});
