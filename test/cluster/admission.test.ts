import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { defaultPoolSettings, type PoolSettings } from '../../functions/core/configuration/cluster.ts';
import { manifests } from '../../local/cli/manifests.ts';
import type { Application, ApplicationDraft } from './harness/application.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import type { Draft } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { collectionOf, paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { refusalOf } from './harness/refusal-of.ts';
import { until } from './harness/until.ts';
import { type ProductOptions, readPool, startProduct } from './product.ts';
import { refusedIn } from './refused-in.ts';

const lab = useLab();
const { kube, argocd, git, controlPlane } = lab;

/** One pool a test. The policy is for these alone: the other files of the suite share the API server. */
const names = ['retried', 'automatic', 'pressed', 'again', 'chosen', 'healed', 'typed'] as const;
type Name = (typeof names)[number];
const home = 'poolkeeper-admission';
const restart = ['--on-refused-sync', 'restart'];

async function printed(...args: readonly string[]): Promise<readonly Draft[]> {
  let text = '';
  await manifests.run(['--level', 'admission', '--namespace', home, '--argocd-namespace', argocd.namespace, ...args], {
    out: (more) => {
      text += more;
    },
    note: () => {},
    environment: {},
    now: () => new Date(),
  });
  return parseAllDocuments(text).map((document) => document.toJS());
}

beforeAll(async () => {
  const objects = await printed('--only', 'access,admission-limit,pause-first', '--pools', names.join(','), ...restart);
  for (const object of objects)
    await kube.patch(`${collectionOf(object)}/${object.metadata.name}`, object, {
      type: 'apply',
      fieldManager: 'installer',
    });
  await controlPlane.ensure(pool({ name: 'typed', roles: ['typed'] }));
  let attempt = 0;
  await until(
    async () => {
      attempt += 1;
      return (await refusedFor(machineConfig(`50-try-${attempt}`, 'typed'))).includes('typed');
    },
    60_000,
    'the policy to be in force',
  );
  return async () => {
    await kube.delete(`${paths.pools}/typed`);
    for (const object of objects.toReversed())
      if (object.kind.startsWith('Validating')) await kube.delete(`${collectionOf(object)}/${object.metadata.name}`);
  };
});

async function refusedFor(object: Draft): Promise<readonly string[]> {
  return refusedIn((await refusalOf(() => kube.post(collectionOf(object), object))) ?? '');
}

/** A pool with two nodes and an Application that has synced its MachineConfig once, while the pool was paused. */
async function world(name: Name, draft: Partial<ApplicationDraft> = {}) {
  const observer = await startPoolObserver(controlPlane, { renderDelayMs: 300, targetDelayMs: 1000 });
  onTestFinished(observer.stop);
  await lab.create(pool({ name, roles: [name], paused: true }));
  for (const index of [1, 2]) await lab.create(node(`${name}-${index}`, 'worker', name));
  const repository = await git.createRepository(`acme/admission-${name}`);
  const write = (content: string) => ({ 'config.json': JSON.stringify(machineConfig(`99-${name}`, name, content)) });
  const first = await repository.commit(write('first'));
  const application = await argocd.createApplication({
    name,
    repository,
    labels: { 'poolkeeper.dev/watch': 'true' },
    ...draft,
  });
  onTestFinished(async () => {
    await application.delete();
    await until(
      () =>
        kube
          .patch(`${paths.pools}/${name}`, { spec: { paused: true } })
          .then(() => kube.delete(`${paths.machineConfigs}/99-${name}`))
          .then(
            () => true,
            () => false,
          ),
      60_000,
      `99-${name} to be deleted`,
    );
  });
  if (draft.automated === false) await syncByHand(application);
  await application.untilPhase('Succeeded', first.after);
  await kube.patch(`${paths.pools}/${name}`, { spec: { paused: false } });
  await untilRolled(name);
  const push = async (content: string) => {
    const commit = await repository.commit(write(content));
    await deliver({ url: argocd.webhookUrl, body: githubPush(repository, commit) });
    return commit;
  };
  return { repository, application, push, before: await stateOf(name) };
}

async function syncByHand(application: Application, options: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await until(
    async () => (await application.read()).status?.sync?.status === 'OutOfSync',
    60_000,
    `${application.name} to be OutOfSync`,
  );
  await application.sync(options);
}

/** The pool's configuration holds its MachineConfig as it is now, and every node runs it. */
async function untilRolled(name: string): Promise<void> {
  const { metadata } = await kube.get(`${paths.machineConfigs}/99-${name}`);
  let rendered: string | undefined;
  await until(
    async () => {
      const { spec, status } = await kube.get(`${paths.pools}/${name}`);
      const target = spec.configuration?.name;
      if (!spec.configuration?.source?.some((each: { name: string }) => each.name === metadata.name)) return false;
      // Twice the same: the content of the MachineConfig may have changed a moment ago.
      const isSettled = rendered === target;
      rendered = target;
      return isSettled && status?.configuration?.name === target;
    },
    60_000,
    `pool ${name} to be rolled out`,
  );
}

/** What the nodes run and shall run, and what the MachineConfig says. */
async function stateOf(name: string) {
  const nodes = (await kube.list(paths.nodes)).filter((each) => each.metadata.name.startsWith(`${name}-`));
  const desired = 'machineconfiguration.openshift.io/desiredConfig';
  return {
    target: (await kube.get(`${paths.pools}/${name}`)).spec.configuration?.name,
    nodes: nodes.map((each) => each.metadata.annotations?.[desired]),
    content: (await kube.get(`${paths.machineConfigs}/99-${name}`)).spec.config.storage.files[0].contents.source,
  };
}

/** Argo CD's own words for what the API server refused. */
async function untilRefused(application: Application): Promise<string> {
  return until(
    async () => {
      const { operationState } = (await application.read()).status ?? {};
      const words = JSON.stringify([operationState?.message, operationState?.syncResult?.resources]);
      return refusedIn(words).includes(application.name) && words;
    },
    60_000,
    `the sync of ${application.name} to be refused`,
  );
}

/** Waits until a sync of the commit has ended well, and gives back when it began, milliseconds. Argo CD's history is
 *  asked: the state may tell already of the second sync that self-heal begins at once after the first. */
async function untilSynced(application: Application, commit: string): Promise<number> {
  const first = await until(
    async () => {
      const { status } = await application.read();
      const history: readonly { readonly revision: string; readonly deployStartedAt: string }[] = status?.history ?? [];
      return history.find(({ revision }) => revision === commit);
    },
    60_000,
    `${application.name} to have synced ${commit}`,
  );
  return Date.parse(first.deployStartedAt);
}

const operationOf = async (application: Application) => (await application.read()).status?.operationState;

function protect(name: Name, options: ProductOptions = {}) {
  const settings: PoolSettings = { ...defaultPoolSettings, protection: 'admission' };
  return startProduct(lab, {
    ...options,
    policy: { sweepEverySeconds: 1, ...options.policy },
    pools: { [name]: settings },
  });
}

const untilPaused = (name: string, paused: boolean) =>
  until(
    async () => (await readPool(lab, name)).paused === paused,
    60_000,
    `pool ${name} to be ${paused ? 'paused' : 'resumed'}`,
  );

describe('the admission level with a real Argo CD', () => {
  test('[N-27] with Poolkeeper stopped a sync is refused and no node is targeted; once it runs, the same sync is carried through', async () => {
    const { application, push, before } = await world('retried', {
      retry: { limit: 200, backoff: { duration: '1s', factor: 1, maxDuration: '2s' } },
    });

    const commit = await push('second');
    const words = await untilRefused(application);
    const stopped = await stateOf('retried');
    const product = await protect('retried');
    const protectedAt = new Date();
    product.ticking();
    await untilPaused('retried', true);
    const beganAt = await untilSynced(application, commit.after);
    await untilPaused('retried', false);
    await untilRolled('retried');

    expect(stopped).toEqual(before);
    expect(words).toContain('poolkeeper hold --pool retried');
    // Refused before Poolkeeper ran, and carried through by its own retry: nobody had to start another one.
    expect(beganAt).toBeLessThan(protectedAt.getTime());
    expect((await stateOf('retried')).content).toBe('data:,second');
    expect(product.told.map(({ type }) => type)).not.toContain('poolkeeper.incident.opened.v1');
  });

  test('[N-27] a sync without retry that was refused is paused for, waits, and goes through when somebody starts it again', async () => {
    const { application, before, repository } = await world('pressed', { automated: false });
    const commit = await repository.commit({
      'config.json': JSON.stringify(machineConfig('99-pressed', 'pressed', 'second')),
    });
    await application.refresh();

    await syncByHand(application);
    await application.untilPhase('Failed', commit.after);
    const stopped = await stateOf('pressed');
    const product = await protect('pressed');
    product.ticking();
    await untilPaused('pressed', true);
    const { record } = await readPool(lab, 'pressed');
    await application.sync();
    await application.untilPhase('Succeeded', commit.after);
    await untilPaused('pressed', false);

    expect(stopped).toEqual(before);
    expect(record?.holds).toMatchObject([
      { phase: 'expected', why: expect.stringContaining('is waiting to be retried') },
    ]);
    expect((await stateOf('pressed')).content).toBe('data:,second');
  });

  test('[N-27] an automated sync of an Application without retry is tried again all the same, and carried through', async () => {
    const { application, push, before } = await world('automatic');

    const commit = await push('second');
    await untilRefused(application);
    const stopped = await stateOf('automatic');
    const product = await protect('automatic', { notifications: true });
    const protectedAt = new Date();
    product.ticking();
    const beganAt = await untilSynced(application, commit.after);
    const ended = await application.read();
    await untilPaused('automatic', false);

    expect(stopped).toEqual(before);
    // Argo CD itself gives automated syncs five attempts more; syncs that people start get none.
    expect(ended.status?.operationState.operation.retry).toEqual({ limit: 5 });
    expect(beganAt).toBeLessThan(protectedAt.getTime());
  });

  test('[N-27] where the policy says so Poolkeeper starts it again, once, with no more rights than level admission gives', async () => {
    const { application, before, repository } = await world('again', { automated: false });
    const commit = await repository.commit({
      'config.json': JSON.stringify(machineConfig('99-again', 'again', 'second')),
    });
    await application.refresh();
    await syncByHand(application);
    const failed = await application.untilPhase('Failed', commit.after);
    const stopped = await stateOf('again');
    const token = await controlPlane.serviceAccountToken({ namespace: home, name: 'poolkeeper' });

    const product = await protect('again', { token, policy: { onRefusedSync: 'restart' } });
    product.ticking();
    const ended = await application.untilPhase('Succeeded', commit.after);
    await untilPaused('again', false);

    expect(stopped).toEqual(before);
    expect(ended.status?.operationState.operation.initiatedBy).toEqual({ username: 'poolkeeper' });
    expect(ended.status?.operationState.operation.sync.revision).toBe(commit.after);
    expect(ended.status?.operationState.startedAt).not.toBe(failed.status?.operationState.startedAt);
    const restarted = product.told.filter(({ type }) => type === 'poolkeeper.sync.restarted.v1');
    expect(restarted).toMatchObject([{ data: { name: 'again', pools: ['again'] } }]);
  });

  test('[N-27] [C-11] the account starts syncs and changes nothing else of an Application', async () => {
    const repository = await git.createRepository('acme/admission-limit');
    await repository.commit({
      'config.json': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }),
    });
    const application = await argocd.createApplication({ name: 'limit', repository, automated: false });
    onTestFinished(application.delete);
    const token = await controlPlane.serviceAccountToken({ namespace: home, name: 'poolkeeper' });
    const ours = controlPlane.kubeAs(token);
    onTestFinished(() => ours.close());
    const attempts = [
      { spec: { source: { targetRevision: 'other' } } },
      { metadata: { annotations: { note: 'x' } } },
      { metadata: { finalizers: ['example.com/stay'] } },
    ];

    for (const patch of attempts)
      expect(await refusalOf(() => ours.patch(application.path, patch)), JSON.stringify(patch)).toContain(
        'may-only-start',
      );
    expect(await refusalOf(() => ours.delete(application.path))).toContain('403');
  });

  test('[N-27] a selective sync, for which no hook runs, is refused and carried through as well', async () => {
    const { application, before, repository } = await world('chosen', {
      automated: false,
      retry: { limit: 200, backoff: { duration: '1s', factor: 1, maxDuration: '2s' } },
    });
    const commit = await repository.commit({
      'config.json': JSON.stringify(machineConfig('99-chosen', 'chosen', 'second')),
    });
    await application.refresh();

    await syncByHand(application, {
      resources: [{ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: '99-chosen' }],
    });
    await untilRefused(application);
    const stopped = await stateOf('chosen');
    const product = await protect('chosen');
    product.ticking();
    await application.untilPhase('Succeeded', commit.after);
    await untilPaused('chosen', false);

    expect(stopped).toEqual(before);
    expect((await stateOf('chosen')).content).toBe('data:,second');
  });

  test('[N-27] a self-heal is refused and carried through as well', async () => {
    const { application } = await world('healed');
    // Nobody else could make it drift: the account of the operator itself is let pass.
    const operator = controlPlane.kubeAs(
      controlPlane.tokenFor({
        name: 'system:serviceaccount:openshift-machine-config-operator:machine-config-controller',
        groups: ['system:masters'],
      }),
    );
    onTestFinished(() => operator.close());
    const drifted = machineConfig('99-healed', 'healed', 'drifted');

    await operator.patch(`${paths.machineConfigs}/99-healed`, { spec: drifted.spec });
    await untilRefused(application);
    const product = await protect('healed');
    product.ticking();
    await until(
      async () => (await stateOf('healed')).content === 'data:,first',
      60_000,
      'what Git says to be there again',
    );
    await untilPaused('healed', false);

    expect((await operationOf(application)).operation.initiatedBy).toEqual({ automated: true });
  });

  test('[N-27] what a person types is refused until the pool is paused, then taken', async () => {
    const made = machineConfig('99-typed', 'typed');

    const refused = await refusedFor(made);
    await kube.patch(`${paths.pools}/typed`, { spec: { paused: true } });
    await until(async () => (await refusedFor(made)).length === 0, 60_000, 'the pause to be seen');
    await kube.delete(`${paths.machineConfigs}/99-typed`);
    await kube.patch(`${paths.pools}/typed`, { spec: { paused: false } });

    expect(refused).toEqual(['typed']);
  });
});
