import { afterEach, expect, test } from 'vitest';
import { connectCluster } from '../../../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../../../functions/adapters/time/system-runtime.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { subjectKey } from '../../../../functions/core/diagnose/subject.ts';
import { chainOf } from '../../../../functions/core/findings/chain.ts';
import type { Trouble } from '../../../../functions/core/findings/trouble.ts';
import { findSubjects } from '../../../../functions/core/judge/find-subjects.ts';
import { type Judgement, judge } from '../../../../functions/core/judge/judge.ts';
import { isAtRest } from '../../../../functions/core/openshift/pool.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { lookInto } from '../../../../functions/keep-pools/watch/look-into.ts';
import { startApiServer } from '../../../../local/openshift/api-server/api-server.ts';
import { machineConfigs, nodes } from '../../../../local/openshift/api-server/resource-types.ts';
import { quietWorkers, type VirtualCluster } from '../../../local/openshift/virtual-cluster.ts';
import { kinds } from './pass-over.ts';

/** The real adapters, over HTTP, against a cluster that behaves as the MCO was measured to. Its clock is moved by
 *  hand. */

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

interface Watch {
  /** Looks once. */
  look(): Promise<Judgement>;
  /** Looks every so many seconds until something is wrong; answers what, and after how many seconds since the mark. */
  until(limitMinutes: number): Promise<{ readonly judgement: Judgement; readonly seconds: number }>;
  readonly mostCalls: () => number;
}

async function watch(cluster: VirtualCluster): Promise<Watch> {
  const token = 'watch-token';
  const clock = () => cluster.clock.now();
  const server = await startApiServer({
    registry: cluster.registry,
    clock: cluster.clock,
    token,
    port: 0,
    gitVersion: 'v1.34.4',
  });
  const connection = connectCluster({
    ...systemRuntime,
    server: server.url,
    token: async () => token,
    userAgent: 'test',
    clock,
  });
  opened.push({
    close: async () => {
      await connection.close();
      await server.stop();
      cluster.stop();
    },
  });
  let firstSeen: Readonly<Record<string, string>> = {};
  let mostCalls = 0;

  async function look(): Promise<Judgement> {
    const now = clock();
    const pools = await Promise.all(
      (await connection.pools.listPools()).items.map(async (pool) => ({
        pool,
        nodes:
          isAtRest(pool) || pool.nodeSelector === undefined
            ? notAsked
            : seen((await connection.pools.listNodes(pool.nodeSelector)).items),
      })),
    );
    const observed = {
      cluster: 'sim',
      now,
      policy: defaultPolicy,
      pools: seen(pools),
      everyNode: notAsked,
      rollouts: notAsked,
      known: notAsked,
      firstSeen,
    };
    const looked = await Promise.all(
      findSubjects(observed).map(async (subject) => {
        const diagnosis = await lookInto(subject, connection.reader, { maxCalls: 15 });
        mostCalls = Math.max(mostCalls, diagnosis.calls);
        return [subjectKey(subject), diagnosis] as const;
      }),
    );
    const diagnoses = new Map(looked);
    const judgement = judge({
      ...observed,
      diagnoses,
      applications: [],
      races: [],
      breakGlass: seen([]),
      misses: 0,
      lastGoodReadAt: undefined,
      unreadable: [],
      sweep: { since: undefined, triedUntil: undefined },
    });
    firstSeen = judgement.firstSeen;
    return judgement;
  }

  return {
    look,
    mostCalls: () => mostCalls,
    async until(limitMinutes) {
      for (let tick = 0; tick < limitMinutes * 2; tick += 1) {
        const judgement = await look();
        if (judgement.troubles.length > 0) return { judgement, seconds: cluster.seconds() };
        await cluster.clock.advance(30_000);
      }
      throw new Error(`nothing was wrong within ${limitMinutes} min`);
    },
  };
}

function codes(trouble: Trouble | undefined): readonly string[] {
  return (trouble?.findings ?? []).flatMap((each) => chainOf(each).map(({ code }) => code));
}

function change(cluster: VirtualCluster): void {
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
}

function withFastDisks(cluster: VirtualCluster, name: string): void {
  cluster.registry.modify(
    nodes,
    { name, namespace: '' },
    ({ metadata }) => Object.assign(metadata, { labels: { ...metadata.labels, disk: 'ssd' } }),
    { manager: 'kubectl' },
  );
}

test('an ordinary rollout over three nodes with a guarded application never looks like trouble', async () => {
  const cluster = await quietWorkers(3, 1);
  cluster.builder.deploy({ namespace: 'shop', name: 'web', replicas: 3 });
  cluster.builder.addDisruptionBudget({
    namespace: 'shop',
    name: 'web',
    maxUnavailable: 1,
    matchLabels: { app: 'web' },
  });
  await cluster.clock.advance(60_000);
  const eye = await watch(cluster);

  change(cluster);
  const seen: string[] = [];
  for (let tick = 0; tick < 40; tick += 1) {
    await cluster.clock.advance(15_000);
    seen.push(...kinds(await eye.look()));
  }

  expect(seen).toEqual([]);
  expect(cluster.condition('Updated').status).toBe('True');
});

test('[S1-9] [S1-5] [N-12] a budget that can never spare a pod is explained minutes after the drain began, not after an hour', async () => {
  const cluster = await quietWorkers(2, 1);
  withFastDisks(cluster, 'worker-0');
  cluster.builder.deploy({ namespace: 'shop', name: 'web', replicas: 2, nodeSelector: { disk: 'ssd' } });
  cluster.builder.addDisruptionBudget({ namespace: 'shop', name: 'web', minAvailable: 2, matchLabels: { app: 'web' } });
  await cluster.clock.advance(60_000);
  const eye = await watch(cluster);
  change(cluster);
  await cluster.until(() => cluster.node('worker-0').spec.unschedulable === true);
  cluster.mark();

  const { judgement, seconds } = await eye.until(60);

  expect(kinds(judgement)).toEqual(['worker/drain-blocked']);
  expect(judgement.troubles[0]).toMatchObject({
    class: 'structural',
    headline: 'drain of worker-0 blocked by PDB shop/web',
  });
  expect(codes(judgement.troubles[0])).toEqual(['D1', 'P1']);
  expect(seconds).toBeLessThanOrEqual(180);
  expect(cluster.condition('Degraded').status).toBe('False');
  expect(eye.mostCalls()).toBeLessThanOrEqual(15);
});

test('[S1-6] [N-12] a replacement that fits only the node being drained is found to be a deadlock', async () => {
  const cluster = await quietWorkers(2, 1);
  withFastDisks(cluster, 'worker-0');
  cluster.builder.deploy({ namespace: 'shop', name: 'web', replicas: 2, nodeSelector: { disk: 'ssd' } });
  cluster.builder.addDisruptionBudget({ namespace: 'shop', name: 'web', minAvailable: 1, matchLabels: { app: 'web' } });
  await cluster.clock.advance(60_000);
  const eye = await watch(cluster);
  change(cluster);
  await cluster.until(() => cluster.node('worker-0').spec.unschedulable === true);

  const { judgement } = await eye.until(10);

  expect(codes(judgement.troubles[0])).toEqual(['D1', 'P3', 'self-deadlock']);
  expect(judgement.troubles[0]?.findings[0]?.because[0]?.sentence).toContain('1 cordoned');
  withFastDisks(cluster, 'worker-1');
  await cluster.until(() => cluster.condition('Updated').status === 'True', 3600);
  expect(kinds(await eye.look())).toEqual([]);
});

test('[S1-2] [S1-3] drift on an idle node is told as a degraded node and as nothing else, and ends when it is mended', async () => {
  const cluster = await quietWorkers(3, 1);
  const eye = await watch(cluster);
  cluster.daemons.drift('worker-1', 'content mismatch for file "/etc/chrony.conf"');
  cluster.mark();

  const { judgement, seconds } = await eye.until(5);
  await cluster.clock.advance(30 * 60_000);
  const later = await eye.look();
  cluster.daemons.heal('worker-1');
  await cluster.until(() => cluster.condition('Degraded').status === 'False');
  const healed = await eye.look();

  expect(seconds).toBeLessThanOrEqual(60);
  expect(kinds(judgement)).toEqual(['worker/node-degraded']);
  expect(judgement.troubles[0]?.headline).toBe(
    'worker-1 degraded: files on disk differ: content mismatch for file "/etc/chrony.conf"',
  );
  expect(kinds(later)).toEqual(['worker/node-degraded']);
  expect(healed).toMatchObject({ troubles: [], firstSeen: {} });
});

test('a node that does not come back from its reboot is told after its time', async () => {
  const cluster = await quietWorkers(2, 1);
  const eye = await watch(cluster);
  for (const name of ['worker-0', 'worker-1']) cluster.kubelets.neverReturn(name);
  change(cluster);
  cluster.mark();

  const { judgement, seconds } = await eye.until(60);

  expect(kinds(judgement)).toEqual(['worker/node-lost']);
  expect(codes(judgement.troubles[0])).toEqual(['S3']);
  expect(seconds).toBeGreaterThan(15 * 60);
  expect(seconds).toBeLessThan(18 * 60);
});

test('a cordon by hand in front of a rollout is found, with the program that did it', async () => {
  const cluster = await quietWorkers(2, 1);
  // The MCO's controller runs there.
  cluster.builder.addPool({ name: 'master' });
  cluster.builder.addNodes({ pool: 'master', names: ['master-0'] });
  const eye = await watch(cluster);
  cluster.registry.modify(
    nodes,
    { name: 'worker-1', namespace: '' },
    ({ spec }) => Object.assign(spec, { unschedulable: true }),
    {
      manager: 'kubectl-cordon',
    },
  );
  await cluster.clock.advance(10_000);
  const quiet = await eye.look();
  change(cluster);

  const { judgement } = await eye.until(60);

  expect(kinds(quiet)).toEqual([]);
  expect(kinds(judgement)).toEqual(['worker/no-progress']);
  expect(codes(judgement.troubles[0])).toEqual(['S12', 'S1']);
  expect(judgement.troubles[0]?.findings[0]?.because[0]?.sentence).toContain('through kubectl-cordon');
});

test('a MachineConfig that cannot be rendered is named, and nobody is told of stuck nodes', async () => {
  const cluster = await quietWorkers(2, 1);
  const eye = await watch(cluster);
  const metadata = { name: '99-bad', labels: { 'machineconfiguration.openshift.io/role': 'worker' } };
  cluster.registry.create(
    machineConfigs,
    { metadata, spec: { config: { ignition: { version: '9.9.0' } } } },
    { manager: 'kubectl' },
  );

  const { judgement } = await eye.until(5);
  await cluster.clock.advance(60 * 60_000);
  const later = await eye.look();

  expect(kinds(judgement)).toEqual(['worker/render-failed']);
  expect(judgement.troubles[0]?.headline).toBe('cannot be rendered: MachineConfig 99-bad');
  expect(kinds(later)).toEqual(['worker/render-failed']);
});

test('a rendered config that was deleted, and that the MCO has rendered again, is told as healing', async () => {
  const cluster = await quietWorkers(1, 1);
  const eye = await watch(cluster);
  change(cluster);
  await cluster.clock.advance(6_000);
  const name = cluster.pool().spec.configuration?.name ?? '';
  cluster.registry.delete(machineConfigs, { name, namespace: '' }, { manager: 'kubectl' });

  const { judgement } = await eye.until(10);

  expect(kinds(judgement)).toEqual(['worker/node-degraded']);
  expect(judgement.troubles[0]?.findings[0]).toMatchObject({ code: 'N4', class: 'self-healing' });
});
