import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { explainUnrendered } from '../../../functions/core/diagnose/rules/unrendered.ts';
import { inquireAll } from '../../../functions/keep-pools/watch/look-into.ts';
import { play } from '../../../local/cli/replay/play.ts';
import { readerOfSnapshot } from '../../../local/snapshot/cluster-reader.ts';
import { forSharing } from '../../../local/snapshot/for-sharing.ts';
import { Snapshot } from '../../../local/snapshot/snapshot.ts';
import { aPool } from '../../fakes/index.ts';

type Bodies = Readonly<Record<string, unknown>>;

const mco = '/apis/machineconfiguration.openshift.io/v1';

/** A small cluster as it is, or as it is recorded. */
function snapshotOf(bodies: Bodies, takenAt: string, keep: (path: string, body: unknown) => unknown): Snapshot {
  const readings = Object.entries(bodies).map(([path, body]) => ({
    path,
    form: path === '/api/v1/nodes' ? 'metadata' : 'object',
    readAt: takenAt,
    answer: { kind: 'found', body: keep(path, body) },
  }));
  return Snapshot.parse({ v: 1, cluster: 'prod', takenAt, whole: true, readings });
}

const asIs = (_path: string, body: unknown) => body;
const list = (...items: readonly unknown[]) => ({ items, metadata: {} });

describe('[N-23] a paused pool that blocks an update of the cluster', () => {
  const since = '2026-03-02T09:00:00Z';
  const aaa = { name: 'rendered-worker-aaa', source: [{ name: '00-worker' }] };
  const selector = { matchLabels: { 'node-role.kubernetes.io/worker': '' } };
  const labels = { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' };
  const pool = {
    metadata: { name: 'worker', uid: 'u1', resourceVersion: '1', generation: 2, labels, creationTimestamp: since },
    spec: {
      paused: true,
      configuration: { ...aaa, name: 'rendered-worker-bbb' },
      machineConfigSelector: { matchLabels: { role: 'worker' } },
      nodeSelector: selector,
    },
    status: {
      observedGeneration: 2,
      configuration: aaa,
      machineCount: 1,
      conditions: [{ type: 'Updating', status: 'True', lastTransitionTime: since }],
    },
  };
  const prefix = 'machineconfiguration.openshift.io/';
  const node = {
    metadata: {
      name: 'worker-1',
      uid: 'n1',
      labels: selector.matchLabels,
      annotations: { [`${prefix}currentConfig`]: aaa.name, [`${prefix}desiredConfig`]: aaa.name },
    },
  };
  const version = {
    metadata: { name: 'version' },
    status: {
      desired: { version: '4.19.3', image: 'quay.io/new' },
      history: [
        { state: 'Partial', version: '4.19.3', startedTime: '2026-03-02T09:10:00Z' },
        { state: 'Completed', version: '4.18.9', startedTime: '2026-01-02T09:10:00Z' },
      ],
    },
  };
  const cluster = {
    '/apis/config.openshift.io/v1/clusterversions/version': version,
    [`${mco}/machineconfigpools`]: list(pool),
    [`${mco}/machineconfigpools/worker`]: pool,
    '/api/v1/nodes': list(node),
  };
  const played = async (keep: typeof asIs) => {
    const looks = ['10:00', '13:30', '17:00', '17:01'].map((at) =>
      snapshotOf(cluster, `2026-03-02T${at}:00.000Z`, keep),
    );
    return await play(looks, { policy: defaultPolicy, product: 'test' });
  };

  test('is told at the same times, in the same words', async () => {
    const live = await played(asIs);

    const replayed = await played(forSharing);

    expect(live.messages.filter(({ message }) => /4\.19\.3/.test(message.mail?.text ?? '')).length).toBeGreaterThan(0);
    expect(replayed).toEqual(live);
  });
});

describe('[N-23] what is not rendered', () => {
  const readAt = '2026-03-02T10:30:00.000Z';
  const kubeletConfig = (status: unknown) => ({ metadata: { name: 'max-pods', generation: 2 }, spec: {}, status });
  const controllerConfig = {
    metadata: { name: 'machine-config-controller', generation: 3 },
    spec: { pullSecret: 'x' },
    status: {
      observedGeneration: 3,
      conditions: [{ type: 'TemplateControllerFailing', status: 'True', message: 'cannot read pull secret' }],
    },
  };
  const accepted = { conditions: [{ type: 'Success', status: 'True', message: 'Success' }] };
  const refused = { conditions: [{ type: 'Failure', status: 'False', message: 'systemReserved is not allowed' }] };

  async function explained(status: unknown, keep: typeof asIs) {
    const bodies = {
      [`${mco}/kubeletconfigs`]: list(kubeletConfig(status)),
      [`${mco}/controllerconfigs/machine-config-controller`]: controllerConfig,
    };
    const subject = {
      kind: 'pool',
      symptom: 'unrendered',
      cluster: 'prod',
      pool: aPool(),
      nodes: [],
      since: '2026-03-02T10:00:00.000Z',
      readAt,
    } as const;
    const { reader } = readerOfSnapshot(snapshotOf(bodies, readAt, keep));
    return await inquireAll(() => explainUnrendered(subject), reader, { maxCalls: 20, readAt: new Date(readAt) });
  }

  test.each([
    ['a KubeletConfig that is refused', { observedGeneration: 2, ...refused }, 'R9'],
    ['templates, beside a KubeletConfig that is fine', { observedGeneration: 2, ...accepted }, 'S10'],
    ['a KubeletConfig that is not looked at yet', { observedGeneration: 1, ...accepted }, 'S10'],
    ['a new KubeletConfig', {}, 'S10'],
  ])('because of %s, is told as of the live cluster', async (_why, status, code) => {
    const live = await explained(status, asIs);

    expect(live).toMatchObject({ code, confidence: 'strong' });
    expect(await explained(status, forSharing)).toEqual(live);
  });

  test('a KubeletConfig whose generation is not in the recording is not accused of one', async () => {
    expect((await explained(refused, asIs)).code).toBe('R9');
    expect((await explained(accepted, asIs)).sentence).toContain('has not finished its own templates');
  });
});
