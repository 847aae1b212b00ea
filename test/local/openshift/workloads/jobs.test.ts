import { expect, test } from 'vitest';
import type { Job, Pod } from '../../../../local/openshift/api-server/cluster-objects.ts';
import { jobs, pods } from '../../../../local/openshift/api-server/resource-types.ts';
import { quietWorkers, type VirtualCluster } from '../virtual-cluster.ts';

const person = { manager: 'kubectl' };
const key = { name: 'move', namespace: 'shop' };

interface Made {
  readonly spec?: Partial<Job['spec']>;
  readonly pod?: Record<string, unknown>;
}

async function withJob({ spec, pod }: Made = {}, arrange: (cluster: VirtualCluster) => void = () => {}) {
  const cluster = await quietWorkers(2, 1);
  cluster.builder.addNamespace('shop');
  arrange(cluster);
  const containers = [{ name: 'move', image: 'move:1' }];
  cluster.registry.create(
    jobs,
    {
      metadata: key,
      spec: { selector: {}, template: { spec: { restartPolicy: 'Never', containers, ...pod } }, ...spec },
    },
    person,
  );
  return cluster;
}

const job = ({ registry }: VirtualCluster) => registry.get(jobs, 'move', 'shop');
const podsOf = ({ registry }: VirtualCluster) => registry.list(pods, 'shop');
const fails = ({ kubelets }: VirtualCluster) => kubelets.runPods(() => true, { forMs: 1_000, exitCode: 3 });
const hangs = ({ kubelets }: VirtualCluster) =>
  kubelets.runPods(() => true, { forMs: Number.POSITIVE_INFINITY, exitCode: 0 });

function ended(cluster: VirtualCluster): { type: string; reason: string | undefined } | undefined {
  const found = job(cluster)?.status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
  return found && { type: found.type, reason: found.reason };
}

test('a Job runs one pod, owns it, and is Complete when it has succeeded', async () => {
  const cluster = await withJob({}, ({ kubelets }) =>
    kubelets.runPods(() => true, { forMs: 3_000, exitCode: 0, log: 'moved' }),
  );

  await cluster.clock.advance(2_000);
  const running = job(cluster)?.status;
  await cluster.until(() => ended(cluster) !== undefined);

  const [pod] = podsOf(cluster);
  expect(running).toMatchObject({ active: 1, ready: 1 });
  expect(ended(cluster)).toEqual({ type: 'Complete', reason: 'CompletionsReached' });
  expect(job(cluster)?.status).toMatchObject({ succeeded: 1, active: 0, completionTime: expect.any(String) });
  expect(podsOf(cluster)).toHaveLength(1);
  expect(pod?.metadata).toMatchObject({
    name: expect.stringMatching(/^move-[a-z0-9]{5}$/),
    labels: { 'batch.kubernetes.io/job-name': 'move' },
    ownerReferences: [{ kind: 'Job', name: 'move', uid: job(cluster)?.metadata.uid }],
  });
  expect(pod?.status).toMatchObject({
    phase: 'Succeeded',
    containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
  });
  expect(cluster.kubelets.logOf('shop', pod?.metadata.name ?? '')).toBe('moved');
});

test('a Job whose pods fail is Failed once its back-off limit is exceeded, each pod later than the one before', async () => {
  const cluster = await withJob({ spec: { backoffLimit: 2 } }, fails);
  cluster.mark();
  const begun: number[] = [];
  cluster.registry.subscribe(({ type, kind }) => {
    if (type === pods && kind === 'ADDED') begun.push(cluster.seconds());
  });

  await cluster.until(() => ended(cluster) !== undefined);

  const [first = 0, second = 0, third = 0] = begun;
  expect(ended(cluster)).toEqual({ type: 'Failed', reason: 'BackoffLimitExceeded' });
  expect(job(cluster)?.status).toMatchObject({ failed: 3, active: 0 });
  expect(job(cluster)?.status?.completionTime).toBeUndefined();
  expect(begun).toHaveLength(3);
  expect(third - second).toBeGreaterThan(second - first);
  expect(podsOf(cluster)[0]?.status?.containerStatuses).toMatchObject([{ state: { terminated: { exitCode: 3 } } }]);
});

test('a Job that hangs is Failed at its deadline, and its pod goes', async () => {
  const cluster = await withJob({ spec: { activeDeadlineSeconds: 60 } }, hangs);

  const seconds = await cluster.until(() => ended(cluster) !== undefined);
  await cluster.clock.advance(60_000);

  expect(seconds).toBeGreaterThan(60);
  expect(seconds).toBeLessThan(63);
  expect(ended(cluster)).toEqual({ type: 'Failed', reason: 'DeadlineExceeded' });
  expect(podsOf(cluster)).toEqual([]);
});

test('a pod that is deleted before it has ended counts as failed and is replaced', async () => {
  const cluster = await withJob({}, hangs);
  await cluster.clock.advance(5_000);
  const [first] = podsOf(cluster);

  cluster.registry.delete(pods, { name: first?.metadata.name ?? '', namespace: 'shop' }, person);
  await cluster.clock.advance(60_000);

  expect(job(cluster)?.status).toMatchObject({ failed: 1, active: 1 });
  expect(podsOf(cluster).map(({ metadata }) => metadata.name)).not.toContain(first?.metadata.name);
});

test('a finished Job is deleted with its pods when its time to live is over', async () => {
  const cluster = await withJob({ spec: { ttlSecondsAfterFinished: 30 } });
  await cluster.until(() => ended(cluster) !== undefined);
  cluster.mark();

  const seconds = await cluster.until(() => job(cluster) === undefined);

  expect(seconds).toBeGreaterThanOrEqual(29);
  expect(seconds).toBeLessThan(65);
  expect(podsOf(cluster)).toEqual([]);
});

test.each([
  ['Orphan', 1],
  ['Foreground', 0],
  ['Background', 0],
] as const)('a Job deleted with %s leaves %s pods', async (dependents, left) => {
  const cluster = await withJob();
  await cluster.until(() => ended(cluster) !== undefined);

  cluster.registry.delete(jobs, key, { ...person, dependents });
  await cluster.clock.advance(120_000);

  expect(job(cluster)).toBeUndefined();
  expect(podsOf(cluster)).toHaveLength(left);
  expect(podsOf(cluster).flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
});

test('a suspended Job runs no pod until it is resumed', async () => {
  const cluster = await withJob({ spec: { suspend: true } });
  await cluster.clock.advance(60_000);
  const suspended = podsOf(cluster).length;

  cluster.registry.modify(jobs, key, ({ spec }) => Object.assign(spec, { suspend: false }), person);
  await cluster.until(() => ended(cluster) !== undefined);

  expect(suspended).toBe(0);
  expect(ended(cluster)).toMatchObject({ type: 'Complete' });
});

test.each([
  [
    'not on one node, by its name',
    [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['worker-0'] }] }],
    'worker-1',
  ],
  [
    'in one of two terms',
    [
      { matchExpressions: [{ key: 'none', operator: 'Exists' }] },
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['worker-0'] }] },
    ],
    'worker-0',
  ],
  ['in a term that holds for none', [{}], undefined],
])('a pod goes where its required node affinity lets it: %s', async (_, nodeSelectorTerms, expected) => {
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  const cluster = await withJob({ pod: { affinity: { nodeAffinity } } }, hangs);

  await cluster.clock.advance(10_000);

  expect((podsOf(cluster)[0] as Pod).spec.nodeName).toBe(expected);
});

test('a Job goes on where its node is drained under it', async () => {
  const cluster = await withJob({}, hangs);
  await cluster.clock.advance(5_000);
  const node = podsOf(cluster)[0]?.spec.nodeName ?? '';
  cluster.builder.applyMachineConfig('99-a', 'worker', { '/etc/a': 'a' });

  await cluster.until(() => (job(cluster)?.status?.failed ?? 0) > 0);
  const drained = cluster.node(node).spec.unschedulable;
  await cluster.until(() => job(cluster)?.status?.active === 1);

  expect(drained).toBe(true);
  expect(ended(cluster)).toBeUndefined();
  expect(podsOf(cluster).filter(({ metadata }) => !metadata.deletionTimestamp)[0]?.spec.nodeName).not.toBe(node);
});
