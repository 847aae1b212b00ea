import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startSlack } from '../fakes/slack-server.ts';
import { isReady, workloadOf } from './harness/drain-world.ts';
import { type Kubelets, startKubelets } from './harness/kubelets.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { startRolloutDrains } from './harness/rollout-drains.ts';
import { until } from './harness/until.ts';
import { startWorkloads, type Workloads } from './harness/workloads.ts';
import { readPool, startProduct } from './product.ts';

const lab = useLab();
const { kube } = lab;
let workloads: Workloads;
let kubelets: Kubelets;

beforeAll(async () => {
  workloads = await startWorkloads(lab.toolchain, lab.controlPlane);
  kubelets = await startKubelets(kube);
});

afterAll(async () => {
  await kubelets?.stop();
  await workloads?.stop();
});

const role = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`node-role.kubernetes.io/${name}`, '']));

/** Three control-plane nodes that take no workloads, one worker, and an application of two pods of which one must
 *  stay. */
async function referenceCluster(): Promise<void> {
  await lab.create({
    apiVersion: 'config.openshift.io/v1',
    kind: 'Scheduler',
    metadata: { name: 'cluster' },
    spec: { mastersSchedulable: false },
  });
  await lab.create(pool({ name: 'master', roles: ['master'] }));
  await lab.create(pool({ name: 'worker', roles: ['worker'] }));
  await lab.create(machineConfig('99-worker-chrony', 'worker', 'first'));
  const taints = [{ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' }];
  for (const name of ['master-0', 'master-1', 'master-2'])
    await kubelets.add({ name, labels: role('master', 'control-plane'), taints });
  await kubelets.add({ name: 'worker-0', labels: role('worker') });
  await lab.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  // A pod that has passed its grace is a cause of its own, and on a busy machine one second has passed soon.
  const patient = { nodeSelector: {}, terminationGracePeriodSeconds: 600 };
  await lab.create(workloadOf('shop', { replicas: 2, pod: patient }));
  await untilPods('two ready pods on worker-0', (pods) => pods.filter(isReady).length === 2);
  await lab.create({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  });
}

function untilPods(what: string, holds: (pods: Awaited<ReturnType<typeof kube.list>>) => boolean): Promise<true> {
  return until(async () => holds(await kube.list(paths.in('shop').pods)), 60_000, what);
}

async function untilUpdated(pool: string): Promise<void> {
  await until(
    async () => {
      const { status } = await readPool(lab, pool);
      const target = (await kube.get(`${paths.pools}/${pool}`)).spec.configuration?.name;
      const updated = status?.conditions?.find(({ type }: { readonly type: string }) => type === 'Updated');
      return target !== undefined && status?.configuration?.name === target && updated?.status === 'True';
    },
    60_000,
    `pool ${pool} to be updated`,
  );
}

describe('the only worker is drained, and what it must lose can run nowhere else', () => {
  test('[S1-3] [S1-5] [S1-6] [N-12] one message names node, pod, budget, scheduler and remedy; a second worker ends it, and the message says so', async () => {
    const slack = await startSlack();
    onTestFinished(slack.close);
    const drains = startRolloutDrains({ kube, kubectl: lab.toolchain.kubectl, address: lab.controlPlane });
    onTestFinished(drains.stop);
    const observer = await startPoolObserver(lab.controlPlane, { outcome: drains.outcome });
    onTestFinished(observer.stop);
    await referenceCluster();
    await untilUpdated('worker');
    const product = await startProduct(lab, {
      policy: {
        // Minutes become seconds; what is a verdict at once stays one.
        stuckAfter: { drainSeconds: 6, applySeconds: 600, rebootSeconds: 600, pickupSeconds: 600 },
        alerting: quick,
      },
      secrets: { LAB_SLACK_TOKEN: 'xoxb-good' },
      targets: [slackTarget(slack.apiUrl)],
    });
    const stopTicking = product.ticking();

    await kube.put(`${paths.machineConfigs}/99-worker-chrony`, {
      ...(await kube.get(`${paths.machineConfigs}/99-worker-chrony`)),
      spec: machineConfig('99-worker-chrony', 'worker', 'second').spec,
    });
    const fired = await until(
      () => slack.messages.find(({ blocks }) => saidIn(blocks).includes('neither can proceed')),
      60_000,
      () => `the deadlock to be told; told was ${slack.messages.map(({ text }) => text).join(' | ')}`,
    );
    const [headline, said] = [fired.text, saidIn(fired.blocks)];
    const pods = await kube.list(paths.in('shop').pods);
    const waiting = pods.find(({ spec }) => spec.nodeName === undefined)?.metadata.name ?? '';
    const blocking = pods.find(({ spec }) => spec.nodeName === 'worker-0')?.metadata.name ?? '';

    await kubelets.add({ name: 'worker-1', labels: role('worker') });
    await untilUpdated('worker');
    const resolved = await until(
      () => slack.messages.find(({ text }) => text.startsWith('RESOLVED')),
      60_000,
      () => `the end to be told; told was ${slack.messages.map(({ text }) => text).join(' | ')}`,
    );
    stopTicking();

    expect(headline).toMatch(/^FIRING lab\/worker: drain of worker-0 blocked by PDB shop\/web \(\d+ s\)$/);
    expect(said).toContain(
      `${waiting} can only run on worker-0 (3 other nodes refuse it by the taint node-role.kubernetes.io/master), and that node is being drained for this very update: neither can proceed.`,
    );
    expect(said).toContain(`worker-0 cannot be drained: the eviction of shop/${blocking} (Deployment web) is refused.`);
    expect(said).toContain(
      `PDB shop/web needs 1 healthy pod of 2 and has 1: ${waiting} is Pending (1 cordoned, 3 with a taint it does not tolerate).`,
    );
    expect(said).toContain('PDB shop/web allows 0; 1 healthy, 1 needed, 2 expected');
    expect(said).toContain('Add a second node on which it may run');
    expect(said).toContain(
      `oc patch schedulers.config.openshift.io cluster --type merge -p '{"spec":{"mastersSchedulable":true}}'`,
    );
    expect(said).toContain('self-deadlock: drain and replacement wait for each other');
    // One message, edited to its end; everything else stands in its thread.
    expect(slack.messages.filter(({ thread }) => thread === undefined)).toEqual([resolved]);
    expect(resolved).toBe(fired);
    expect(resolved.text).toMatch(/^RESOLVED lab\/worker: drain of worker-0 blocked by PDB shop\/web \(after \d+ s\)$/);
    expect(saidIn(resolved.blocks)).toMatch(
      new RegExp(`What ended it\\*  Pod shop/${waiting} was placed on worker-1 at \\d\\d:\\d\\d UTC and is ready`),
    );
    const [worker] = (await kube.list(paths.in('shop').pods)).filter(({ spec }) => spec.nodeName === 'worker-0');
    expect(worker).toBeUndefined();
  });
});

/** Every text of a message, as people read it. */
function saidIn(blocks: readonly unknown[]): string {
  const texts: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === 'text' && typeof value === 'string') texts.push(value);
    return value;
  });
  return texts.join('\n');
}

const quick = {
  holdDownSeconds: 2,
  keepFiringSeconds: 2,
  reopenWithinSeconds: 60,
  editEverySeconds: 1,
  reminderSeconds: { critical: [3600], other: [3600] },
  flapChanges: 4,
  flapWindowSeconds: 7200,
  flapCalmSeconds: 3600,
};

function slackTarget(apiUrl: string) {
  const filter = { clusters: [], pools: [], severities: [], causes: [] };
  return { kind: 'slack', name: 'on-call', channel: 'C1', tokenSecret: 'LAB_SLACK_TOKEN', apiUrl, filter } as const;
}
