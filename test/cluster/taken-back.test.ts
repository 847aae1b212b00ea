import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { differences, everythingIn } from './harness/everything.ts';
import { type JobRunner, startJobRunner } from './harness/job-runner.ts';
import type { Draft } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';
import { runPlain, type SequenceRun, sequenceHome, startSequence } from './sequence-run.ts';

const lab = useLab();
const { kube, controlPlane, argocd, git } = lab;

const maps = paths.in(sequenceHome).configMaps;
const project = `${paths.in(argocd.namespace).projects}/default`;
const name = 'taken-back';
const record = `${maps}/poolkeeper-sequence-${name}`;
const map = (suffix: string): Draft => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `${name}-${suffix}`, namespace: sequenceHome },
});

/** An object, a check, and an Application that is held back. */
const written = {
  clusters: ['lab'],
  namespace: sequenceHome,
  extraObjects: { first: map('first') },
  steps: {
    first: {
      kind: 'object',
      object: 'first',
      wave: 1,
      waitFor: { resourceType: 'configmap', resourceName: `${name}-go`, resourceNamespace: sequenceHome },
    },
    check: { kind: 'check', wave: 2, waitFor: { image: 'registry.example.com/check:1', command: ['sleep', '600'] } },
    last: { kind: 'application', name, namespace: argocd.namespace, wave: 3 },
  },
};

let runner: JobRunner;
beforeAll(async () => {
  await controlPlane.ensure(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: sequenceHome } },
    ...[sequenceHome, 'default'].map((namespace) => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace },
    })),
  );
  runner = await startJobRunner(controlPlane, lab.toolchain);
});
afterAll(() => runner.stop());

let number = 0;

/** The cluster, once an Application is compared and at rest. */
async function begun() {
  number += 1;
  const repository = await git.createRepository(`acme/${name}-${number}`);
  await repository.commit({ 'object.json': JSON.stringify(map('synced')) });
  const application = await argocd.createApplication({ name, repository, automated: false });
  onTestFinished(application.delete);
  const isCompared = async () => (await application.read()).status?.sync?.status === 'OutOfSync';
  await until(isCompared, 60_000, 'it to be compared');
  const sequence = await startSequence(lab, { name, written, product: { policy: { sweepEverySeconds: 0 } } });
  return { sequence, before: await everythingIn(kube) };
}

type Moment = (sequence: SequenceRun) => Promise<void>;

const windowsOf = async () => (await kube.get(project)).spec.syncWindows ?? [];

const holdsBack: Moment = async ({ looks }) => {
  await looks(2);
  expect(await windowsOf()).toHaveLength(1);
};
const hasApplied: Moment = async (sequence) => {
  await holdsBack(sequence);
  expect(await kube.find(`${maps}/${name}-first`)).toBeDefined();
};
const checks: Moment = async (sequence) => {
  await lab.create(map('go'));
  const known = runner.begun.length;
  sequence.product.ticking();
  await until(() => runner.begun.length > known, 60_000, 'the check to run');
};
const isPaused: Moment = async (sequence) => {
  await hasApplied(sequence);
  await sequence.run('pause', name, '--reason', 'a look first');
  await sequence.looks(1);
};

describe('a sequence that is aborted', () => {
  test.each([
    ['while it holds an Application back', holdsBack],
    ['after it has applied an object', hasApplied],
    ['while its check runs', checks],
    ['while it is paused', isPaused],
  ])('[N-22] %s leaves the cluster as it was, but for its record', async (_, moment) => {
    const { sequence, before } = await begun();
    await moment(sequence);
    const during = differences(before, await everythingIn(kube));

    await sequence.run('abort', name, '--reason', 'wrong cluster');
    sequence.product.ticking();
    const isTakenBack = async () => JSON.parse((await kube.get(record)).data.record).cleanedAt !== undefined;
    await until(isTakenBack, 60_000, 'all to be taken back');
    await sequence.product.look();
    await sequence.product.end();
    // The pod of a check takes its time to end, and what the garbage collector fetches takes another.
    let now: readonly string[] = [];
    await until(
      async () => {
        now = await left(before);
        return now.length <= 1;
      },
      60_000,
      () => `all to be taken back; left are ${now.join(', ')}`,
    );

    expect(during.length).toBeGreaterThan(1);
    expect(now).toEqual([`+ /api/v1/configmaps ${sequenceHome}/poolkeeper-sequence-${name}`]);
  });
});

test('[N-22] [C-13] disconnected in the middle of it, nothing of Poolkeeper is left but the object that it says stays', async () => {
  const home = 'poolkeeper-disconnected';
  const own = 'disconnected';
  const repository = await git.createRepository(`acme/${own}`);
  await repository.commit({ 'object.json': JSON.stringify(map('never-synced')) });
  const application = await argocd.createApplication({ name: own, repository, automated: false });
  onTestFinished(application.delete);
  const isCompared = async () => (await application.read()).status?.sync?.status === 'OutOfSync';
  await until(isCompared, 60_000, 'it to be compared');
  const before = await everythingIn(kube);
  const applied = { ...map('stays'), metadata: { name: 'disconnected-stays', namespace: 'default' } };
  const check = { image: 'registry.example.com/check:1', command: ['sleep', '600'], resourceNamespace: 'default' };
  const sequence = await startSequence(lab, {
    name: own,
    home,
    written: {
      clusters: ['lab'],
      namespace: home,
      extraObjects: { applied },
      steps: {
        applied: { kind: 'object', object: 'applied', wave: 1 },
        check: { kind: 'check', wave: 2, waitFor: check },
        last: { kind: 'application', name: own, namespace: argocd.namespace, wave: 3 },
      },
    },
  });
  onTestFinished(() => kube.delete('/api/v1/namespaces/default/configmaps/disconnected-stays'));
  const known = runner.begun.length;
  sequence.product.ticking();
  await until(() => runner.begun.length > known, 60_000, 'the check to run');
  await sequence.product.end();
  const during = differences(before, await everythingIn(kube));

  const flags = ['--kubeconfig', controlPlane.kubeconfig, '--name', 'lab', '--namespace', home];
  const dry = await runPlain('disconnect', ...flags, '--token-dir', '/nowhere', '--dry-run');
  const { text } = await runPlain('disconnect', ...flags, '--token-dir', '/nowhere');
  const stays = '+ /api/v1/configmaps default/disconnected-stays';
  let now: readonly string[] = [];
  await until(
    async () => {
      now = differences(before, await everythingIn(kube));
      return now.length <= 1;
    },
    60_000,
    () => `namespace and pods to be gone; left are ${now.join(', ')}`,
  );

  expect(during.length).toBeGreaterThan(10);
  expect(now).toEqual([stays]);
  expect(dry.text).toContain('delete  Role default/poolkeeper-disconnected-poolkeeper-sequences');
  expect(text).toContain('deleted RoleBinding default/poolkeeper-disconnected-poolkeeper-sequences');
  expect(text).toContain(
    'sequence disconnected was neither done nor aborted: /api/v1/namespaces/default/configmaps/disconnected-stays of cluster lab stays',
  );
});

/** Beside what the test itself has put there. */
async function left(before: ReadonlyMap<string, unknown>): Promise<readonly string[]> {
  const own = `+ /api/v1/configmaps ${sequenceHome}/${name}-go`;
  return differences(before, await everythingIn(kube)).filter((each) => each !== own);
}
