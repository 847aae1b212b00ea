import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explain } from '../../../local/cli/explain/explain.ts';
import { pickSource } from '../../../local/cli/explain/pick-source.ts';
import { record } from '../../../local/cli/record.ts';
import { takeSnapshot } from '../../../local/cli/take-snapshot.ts';
import { applications, machineConfigPools, nodes, pods } from '../../../local/openshift/api-server/resource-types.ts';
import { forSharing } from '../../../local/snapshot/for-sharing.ts';
import { snapshotJsonSchemaText } from '../../../local/snapshot/json-schema.ts';
import { readSnapshot } from '../../../local/snapshot/snapshot.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

/** Stands wherever people put secrets, and nowhere else. */
const canary = 'hunter2-canary-4711';

let demo: DemoCluster;

beforeAll(async () => {
  demo = await demoCluster();
  await demo.untilBlocked();
});

afterAll(() => demo.close());

function hideCanaries({ world }: DemoCluster): void {
  const { registry } = world.openshift;
  for (const pod of registry.list(pods)) {
    const containers = [
      {
        name: 'main',
        image: 'app',
        env: [{ name: 'PASSWORD', value: canary }],
        command: ['run', canary],
        args: [canary],
      },
    ];
    registry.modify(
      pods,
      { name: pod.metadata.name, namespace: pod.metadata.namespace ?? '' },
      ({ metadata, spec }) => {
        metadata.annotations = {
          ...metadata.annotations,
          'kubectl.kubernetes.io/last-applied-configuration': `{"env":"${canary}"}`,
        };
        Object.assign(spec, { containers, initContainers: containers, hostAliases: [{ hostnames: [canary] }] });
      },
      { manager: 'kubectl' },
    );
  }
  for (const { metadata } of registry.list(applications)) {
    registry.modify(
      applications,
      { name: metadata.name, namespace: metadata.namespace ?? '' },
      ({ spec }) => {
        const repoURL = `https://${canary}@git.example.com/acme/platform.git?token=${canary}`;
        Object.assign(spec ?? {}, { source: { repoURL, path: 'machine-config', targetRevision: 'main' } });
      },
      { manager: 'kubectl' },
    );
  }
  for (const { metadata } of registry.list(nodes)) {
    registry.modify(
      nodes,
      { name: metadata.name, namespace: '' },
      (node) => {
        node.metadata.annotations = {
          ...node.metadata.annotations,
          'example.com/join-token': canary,
          'machineconfiguration.openshift.io/reason': `pulling https://robot:${canary}@quay.io/v2/ failed`,
        };
      },
      { manager: 'kubectl' },
    );
  }
  registry.modify(
    machineConfigPools,
    { name: 'worker', namespace: '' },
    (pool) => {
      pool.metadata.annotations = {
        ...pool.metadata.annotations,
        'kubectl.kubernetes.io/last-applied-configuration': canary,
      };
      Object.assign(pool.status ?? {}, {
        conditions: (pool.status?.conditions ?? []).map((each) => ({
          ...each,
          message: `Authorization: Bearer ${canary}`,
        })),
      });
    },
    { manager: 'kubectl' },
  );
}

describe('poolkeeper record', () => {
  test('[N-12] [N-23] what it writes is explained as the live cluster is, word for word', async () => {
    const file = `${demo.folder}/worker.json`;
    const live = await demo.run(explain, '--pool', 'worker', '--output', 'json');

    const recorded = await demo.run(record, '--pool', 'worker', '-o', file);
    const again = await demo.run(explain, '--snapshot', file, '--pool', 'worker', '--output', 'json');

    expect(recorded).toEqual({ status: 0, text: `${file}\n` });
    expect(JSON.parse(again.text)).toEqual(JSON.parse(live.text));
    expect(again.status).toBe(1);
  });

  test('also of one node, and also in the words of the terminal', async () => {
    const file = `${demo.folder}/node.json`;
    const live = await demo.run(explain, '--node', 'worker-2');

    await demo.run(record, '--node', 'worker-2', '-o', file);
    const again = await demo.run(explain, '--snapshot', file, '--node', 'worker-2');

    expect(again.text).toBe(live.text);
  });

  test('what was not asked is unknown, not fine', async () => {
    const file = `${demo.folder}/master.json`;
    await demo.run(record, '--pool', 'master', '-o', file);

    const { status, text } = await demo.run(explain, '--snapshot', file, '--pool', 'worker');

    expect(status).toBe(1);
    expect(text).toContain('it is not in the snapshot');
    expect(text).not.toContain('self-deadlock');
  });

  test('[S1-18] no secret of the cluster leaves it, and the answer is the same without', async () => {
    const secretive = await demoCluster();
    await secretive.untilBlocked();
    hideCanaries(secretive);
    const file = `${secretive.folder}/worker.json`;
    const live = await secretive.run(explain, '--pool', 'worker', '--output', 'json');

    await secretive.run(record, '--pool', 'worker', '-o', file);
    const again = await secretive.run(explain, '--snapshot', file, '--pool', 'worker', '--output', 'json');

    const written = readFileSync(file, 'utf8');
    expect(JSON.stringify(secretive.world.openshift.registry.list(pods))).toContain(canary);
    expect(written).toContain('git.example.com/acme/platform.git');
    expect(written).not.toContain(canary);
    expect(JSON.parse(again.text)).toEqual(JSON.parse(live.text));
    expect(JSON.parse(again.text).pools[0].troubles[0].findings[0].because[0].because[0].code).toBe('self-deadlock');
    await secretive.close();
  });

  test('[N-12] of a cluster with far too many Applications, too', async () => {
    const { surroundings } = demo;
    const source = await pickSource({ config: '' }, surroundings);
    const one = { ref: { argocd: '', namespace: 'argocd', name: 'a' }, sources: [] };
    const applications = async () => Array.from({ length: 20_000 }, () => one);
    const observed = { ...source.observed, anew: () => ({ ...source.observed, applications }) };

    const snapshot = await takeSnapshot({ ...source, observed }, { pools: ['worker'], node: undefined }, surroundings);

    expect(snapshot.applications).toHaveLength(15_000);
    await source.close();
  });

  test('never overwrites a file, and says so', async () => {
    const file = `${demo.folder}/once.json`;
    await demo.run(record, '--pool', 'worker', '-o', file);

    await expect(demo.run(record, '--pool', 'worker', '-o', file)).rejects.toThrow('already exists');
  });

  test('is small: a stuck drain takes a few dozen kilobytes', async () => {
    const file = `${demo.folder}/size.json`;

    await demo.run(record, '--pool', 'worker', '-o', file);

    expect(readFileSync(file).length).toBeLessThan(100_000);
    expect((await readSnapshot(file)).readings.length).toBeLessThanOrEqual(20);
  });
});

test('[S1-18] the end of a log, which a pod may say in its status, stays at home', () => {
  const state = (message: string) => ({ terminated: { reason: 'Error', exitCode: 1, message } });
  const status = {
    containerStatuses: [{ name: 'main', state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: state(canary) }],
    initContainerStatuses: [{ name: 'init', state: state(canary) }],
  };

  const shared = forSharing('/api/v1/namespaces/shop/pods/web', { metadata: { name: 'web' }, status });

  expect(JSON.stringify(shared)).not.toContain(canary);
  expect(shared).toMatchObject({
    status: {
      containerStatuses: [{ name: 'main', lastState: { terminated: { reason: 'Error', exitCode: 1 } } }],
    },
  });
});

test('kinds that nobody has thought of leave their content at home', () => {
  const path = '/apis/machineconfiguration.openshift.io/v1/controllerconfigs/machine-config-controller';
  const body = {
    metadata: { name: 'machine-config-controller' },
    spec: { internalRegistryPullSecret: canary, kubeAPIServerServingCAData: canary },
    status: { conditions: [{ type: 'TemplateControllerCompleted', status: 'True' }], secret: canary },
    data: { key: canary },
  };

  expect(forSharing(path, body)).toEqual({
    metadata: { name: 'machine-config-controller' },
    status: { conditions: [{ type: 'TemplateControllerCompleted', status: 'True' }] },
  });
});

test('labels are kept whatever they are called: selectors are read against them', () => {
  const body = { items: [{ metadata: { name: 'a', labels: { env: 'prod', data: 'x', command: 'y' } } }] };

  expect(forSharing('/api/v1/namespaces/shop/pods', body)).toEqual(body);
});

test('[C-4] the JSON Schema in docs/schemas says what the code says (else: npm run schemas)', () => {
  const path = fileURLToPath(new URL('../../../docs/schemas/snapshot.schema.json', import.meta.url));

  expect(readFileSync(path, 'utf8')).toBe(snapshotJsonSchemaText());
});
