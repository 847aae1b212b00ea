import { describe, expect, test } from 'vitest';
import { nodeOf } from '../../../functions/adapters/kubernetes/node-of.ts';
import { aPool } from '../../fakes/builders.ts';
import { aLiveNode, aRollingPool, aWorld, type Json, minutesAgo, newConfig, now } from '../diagnose/world.ts';
import { fact, kinds, passAfter, the } from './pass-over.ts';

const mco = '/apis/machineconfiguration.openshift.io/v1';

/** Paused by us, let go of, and the render does not list what the sync applied. */
const awaiting = aPool({
  paused: true,
  record: {
    kind: 'record',
    record: {
      v: 1,
      pause: 'ours',
      pausedSince: minutesAgo(10),
      holds: [],
      release: { since: minutesAgo(5), finishedAt: minutesAgo(5), machineConfigs: ['99-worker-chrony'], why: 'synced' },
    },
  },
});

function aTuningConfig(name: string, status: string, message: string): Json {
  return { metadata: { name }, status: { conditions: [{ type: 'Failure', status, message }] } };
}

describe('a change that is applied and not rendered, with no word of the MCO', () => {
  test('is nobody’s trouble before the render is late', async () => {
    const passed = await passAfter(1, { pools: [awaiting], waitsForRender: ['worker'] });

    expect(passed).toMatchObject({ troubles: [], calls: 0 });
  });

  test('[S1-4] [N-12] is laid to the KubeletConfig that the MCO does not accept (R9)', async () => {
    const message = 'Error: KubeletConfiguration: clusterDNS is not allowed to be set, but contains: [10.0.0.1]';
    const world = aWorld({
      others: {
        [`${mco}/kubeletconfigs`]: [aTuningConfig('max-pods', 'False', message)],
        [`${mco}/containerruntimeconfigs`]: [],
      },
    });

    const passed = await passAfter(3, { world, pools: [awaiting], waitsForRender: ['worker'] });

    expect(kinds(passed)).toEqual(['worker/render-failed']);
    const trouble = the('render-failed', passed);
    expect(trouble.headline).toBe('what was applied is not rendered: KubeletConfig max-pods');
    expect(trouble.findings[0]).toMatchObject({ code: 'R9', class: 'structural', confidence: 'strong' });
    expect(trouble.findings[0]?.sentence).toContain('clusterDNS is not allowed to be set');
    expect(fact(trouble, 'Nodes affected')).toContain('none');
  });

  test('[S1-4] is laid to the ControllerConfig that is not completed (S10)', async () => {
    const world = aWorld({
      others: {
        [`${mco}/kubeletconfigs`]: [aTuningConfig('fine', 'True', 'Success')],
        [`${mco}/containerruntimeconfigs`]: [],
        [`${mco}/controllerconfigs`]: [
          {
            metadata: { name: 'machine-config-controller' },
            status: {
              conditions: [{ type: 'TemplateControllerFailing', status: 'True', message: 'no such template' }],
            },
          },
        ],
      },
    });

    const passed = await passAfter(3, { world, pools: [awaiting], waitsForRender: ['worker'] });

    expect(the('render-failed', passed).findings[0]).toMatchObject({
      code: 'S10',
      subject: { kind: 'ControllerConfig' },
    });
  });

  test('[S1-4] without any reason to be seen says what is missing and where was looked', async () => {
    const passed = await passAfter(3, { pools: [awaiting], waitsForRender: ['worker'] });

    const [found] = the('render-failed', passed).findings;
    expect(found).toMatchObject({ code: 'S10', confidence: 'guess' });
    expect(found?.sentence).toContain('MachineConfig 99-worker-chrony has not got into the render of pool worker');
  });
});

describe('a node that two custom pools select', () => {
  const inBoth = aLiveNode('worker-7', {
    labels: { 'node-role.kubernetes.io/infra': '', 'node-role.kubernetes.io/gpu': '' },
  });
  const custom = (name: string) =>
    aRollingPool({ name, nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } } });

  test('[S3-3] belongs to none, and is told once for each of them (S7)', async () => {
    const nodes = { kind: 'seen', nodes: [nodeOf(inBoth)] } as const;

    const passed = await passAfter(5, { pools: [custom('infra'), custom('gpu')], nodes: { infra: nodes, gpu: nodes } });

    expect(kinds(passed)).toEqual(['infra/no-progress', 'gpu/no-progress']);
    expect(the('no-progress', passed)).toMatchObject({
      class: 'structural',
      since: minutesAgo(5),
      findings: [{ code: 'S7' }],
    });
    expect(the('no-progress', passed).findings[0]?.sentence).toBe(
      'worker-7 is selected by pool infra and by another custom pool, so the MCO lets it belong to none and updates it no more.',
    );
  });
});

test('[S1-2] a degraded node says how many wait behind it (S5)', async () => {
  const failing = aLiveNode('worker-2', {
    annotations: {
      state: 'Degraded',
      reason: 'failed to update OS to quay.io/x: unauthorized',
      desiredConfig: newConfig,
    },
  });
  const world = aWorld({ nodes: [failing, aLiveNode('worker-1'), aLiveNode('worker-3')] });

  const passed = await passAfter(5, { at: now, world, pools: [aRollingPool()] });

  expect(fact(the('node-degraded', passed), 'Waiting')).toBe('2 nodes behind it (maxUnavailable 1)');
});
