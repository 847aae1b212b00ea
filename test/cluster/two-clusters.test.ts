import { expect, onTestFinished, test } from 'vitest';
import { Sequence } from '../../functions/core/configuration/sequence.ts';
import { startBlindfold } from './harness/blindfold.ts';
import { startControlPlane } from './harness/control-plane.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import type { Draft } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { readPool, startProduct } from './product.ts';
import { configurationFile, printedAccess, runPlain, sequenceHome } from './sequence-run.ts';

const lab = useLab();
const { kube, argocd, git, controlPlane } = lab;

const maps = paths.in(sequenceHome).configMaps;
const map = (name: string): Draft => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: sequenceHome },
});
const ready = (resourceName: string) => ({ resourceType: 'configmap', resourceName, resourceNamespace: sequenceHome });

/** An Application on the first cluster, then an object on the second, which has to be ready, then one on the first. */
const across = {
  clusters: ['lab', 'edge'],
  namespace: sequenceHome,
  extraObjects: { second: map('across-second'), third: map('across-third') },
  steps: {
    first: { kind: 'application', name: 'across', namespace: argocd.namespace, wave: 1, clusters: ['lab'] },
    second: { kind: 'object', object: 'second', wave: 2, clusters: ['edge'], waitFor: ready('edge-ready') },
    third: { kind: 'object', object: 'third', wave: 3, clusters: ['lab'] },
  },
};
const alone = {
  clusters: ['lab'],
  namespace: sequenceHome,
  extraObjects: { next: map('alone-next') },
  steps: {
    gate: { kind: 'check', wave: 1, waitFor: ready('alone-ready') },
    next: { kind: 'object', object: 'next', wave: 2 },
  },
};

test('[S2-18] [S2-19] over two API servers: the second goes blind and holds its wave, which is said; another sequence, a push and its sync go on; seen again, the sequence does', async () => {
  // Another cluster, with a way to it that can be cut.
  const edge = await startControlPlane(lab.toolchain);
  onTestFinished(edge.stop);
  const way = await startBlindfold(edge.server);
  onTestFinished(way.stop);
  const namespace: Draft = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: sequenceHome } };
  await controlPlane.ensure(namespace);
  await edge.ensure(namespace);
  const file = await configurationFile(lab, { across, alone }, ['edge']);
  const token = await printedAccess(lab, file, { cluster: 'lab', controlPlane });
  const edgeToken = await printedAccess(lab, file, { cluster: 'edge', controlPlane: edge });

  const observer = await startPoolObserver(controlPlane);
  onTestFinished(observer.stop);
  await lab.create(pool({ name: 'beside', roles: ['beside'] }));
  await lab.create(node('beside-1', 'worker', 'beside'));
  const beside = await applicationOf('beside', {
    object: machineConfig('99-beside', 'beside', 'first'),
    automated: true,
  });
  await beside.application.untilPhase('Succeeded');
  const { application } = await applicationOf('across', { object: map('across-first'), automated: false });
  const isCompared = async () => (await application.read()).status?.sync?.status === 'OutOfSync';
  await until(isCompared, 60_000, 'it to be compared');
  onTestFinished(async () => {
    await kube.delete(`${paths.machineConfigs}/99-beside`);
    for (const name of ['across-first', 'across-third', 'alone-next']) await kube.delete(`${maps}/${name}`);
    for (const name of ['across', 'alone']) await kube.delete(`${maps}/poolkeeper-sequence-${name}`);
  });

  const product = await startProduct(lab, {
    token,
    sequences: { across: Sequence.parse(across), alone: Sequence.parse(alone) },
    others: { edge: { server: way.server, ca: edge.ca, token: edgeToken, callTimeoutMs: 1_000 } },
  });
  let aheadSeconds = 0;
  /** One tick after the other, so many seconds apart. Argo CD, whose clock goes on as ever, has just compared. */
  const ticks = async (...apart: readonly number[]) => {
    for (const seconds of apart) {
      product.passTime(seconds);
      aheadSeconds += seconds;
      const reconciledAt = `${new Date(Date.now() + aheadSeconds * 1_000).toISOString().slice(0, 19)}Z`;
      await kube.patch(`${paths.in(argocd.namespace).applications}/across`, { status: { reconciledAt } });
      await product.look();
    }
  };
  /** Ticks a minute apart until this is so: on a busy machine an answer may come too late for one of them. */
  const ticksUntil = async (holds: () => Promise<boolean>) => {
    for (let ticked = 0; ticked < 12 && !(await holds()); ticked += 1) await ticks(60);
  };
  const status = async () =>
    (await runPlain('sequence', 'status', 'across', '--config', file, '--kubeconfig', controlPlane.kubeconfig)).text;
  const isThere = async (name: string) => (await kube.find(`${maps}/${name}`)) !== undefined;
  const isSecondThere = async () => (await edge.kube.find(`${maps}/across-second`)) !== undefined;

  await ticks(60, 60);
  const beforeFirst = await isSecondThere();
  await application.sync();
  await application.untilPhase('Succeeded');
  await until(async () => (await application.read()).status?.health?.status === 'Healthy', 60_000, 'it to be healthy');
  await ticksUntil(isSecondThere);
  const afterFirst = await isSecondThere();

  way.putOn();
  // What the sequence waits for is there, and nobody can see it.
  await edge.kube.post(maps, map('edge-ready'));
  await lab.create(map('alone-ready'));
  const commit = await beside.repository.commit({
    'object.json': JSON.stringify(machineConfig('99-beside', 'beside', 'second')),
  });
  await product.push(beside.repository, commit);
  await deliver({ url: argocd.webhookUrl, body: githubPush(beside.repository, commit) });
  await product.untilTold('pool.paused', 'beside');
  await beside.application.untilPhase('Succeeded', commit.after);
  // Unseen for five minutes, and the hold-down of an alert: each tick costs the five seconds of a dead connection.
  await ticks(60, 310, 130);
  await ticksUntil(async () =>
    product.told.some(({ type, data }) => type === 'poolkeeper.incident.opened.v1' && data.pool === '*'),
  );
  const blind = { text: await status(), third: await isThere('across-third'), alone: await isThere('alone-next') };
  const opened = await product.untilTold('incident.opened', '*');
  await product.untilTold('pool.resumed', 'beside');

  way.takeOff();
  await ticksUntil(async () => (await status()).includes('Sequence across: done'));

  expect([beforeFirst, afterFirst]).toEqual([false, true]);
  expect(blind).toMatchObject({ third: false, alone: true });
  expect(blind.text).toContain('second@edge/waitFor');
  expect(blind.text).toMatch(/did not answer|no complete answer in time/);
  expect(blind.text).toContain('held back: wave 2 is not healthy');
  expect(opened.data).toMatchObject({ kind: 'sequence-stuck' });
  expect((await readPool(lab, 'beside')).paused).toBe(false);
  expect(await isThere('across-third')).toBe(true);
  expect(await status()).toContain('Sequence across: done');
});

async function applicationOf(
  name: string,
  { object, automated }: { readonly object: Draft; readonly automated: boolean },
) {
  const repository = await git.createRepository(`acme/${name}`);
  await repository.commit({ 'object.json': JSON.stringify(object) });
  const application = await argocd.createApplication({ name, repository, automated });
  onTestFinished(application.delete);
  return { repository, application };
}
