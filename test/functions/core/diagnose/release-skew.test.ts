import { describe, expect, test } from 'vitest';
import { codes, look, withCode } from './look.ts';
import { aLiveNode, aPod, aWorld, type Json, newConfig, nodeSubject, type World } from './world.ts';

const namespace = 'openshift-machine-config-operator';

function part(app: string, digit: string, change: Parameters<typeof aPod>[1] = {}): Json {
  const imageID = digit === '' ? '' : `quay.io/a/b@sha256:${digit.repeat(64)}`;
  const containers = [
    { name: app, ready: true, state: { running: {} }, image: 'quay.io/a/b:latest', imageID },
    { name: 'kube-rbac-proxy', ready: true, state: { running: {} }, imageID: `quay.io/a/c@sha256:${'c'.repeat(64)}` },
  ];
  return aPod(`${app}-x`, { namespace, node: 'worker-2', labels: { 'k8s-app': app }, containers, ...change });
}

const daemon = (digit: string, change: Parameters<typeof aPod>[1] = {}) => part('machine-config-daemon', digit, change);
const controller = (digit: string, change: Parameters<typeof aPod>[1] = {}) =>
  part('machine-config-controller', digit, { node: 'master-0', ...change });

const waiting = aLiveNode('worker-2', { annotations: { desiredConfig: newConfig } });
const puzzled = aLiveNode('worker-2', {
  annotations: { desiredConfig: newConfig, state: 'Degraded', reason: 'flux capacitor misaligned' },
});

describe('[S1-4] config daemon and controller of different releases', () => {
  test('are a possible cause where a node does not begin and nothing else is wrong (S18)', async () => {
    const world = aWorld({ nodes: [waiting], pods: [daemon('a'), controller('b')] });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'waiting'));

    const found = withCode(diagnosis, 'S18');
    expect(codes(diagnosis)).toEqual(['W1', 'S18']);
    expect(found).toMatchObject({ confidence: 'possible', class: 'external' });
    expect(found.evidence.map(({ path, value }) => `${path}=${value}`)).toEqual([
      `status.containerStatuses[machine-config-daemon].imageID=sha256:${'a'.repeat(64)}`,
      `status.containerStatuses[machine-config-controller].imageID=sha256:${'b'.repeat(64)}`,
    ]);
    expect(found.remedies.map(({ command }) => command)).toEqual([
      'oc -n openshift-machine-config-operator get daemonset machine-config-daemon',
      'oc describe clusteroperator machine-config',
    ]);
  });

  test('are one of an error that is in no catalogue', async () => {
    const world = aWorld({ nodes: [puzzled], pods: [daemon('a'), controller('b')] });

    expect(codes(await look(world, nodeSubject(world, 'worker-2', 'failing')))).toEqual(['N0', 'S18']);
  });

  test.each<[string, Partial<World>]>([
    ['both run one image', { pods: [daemon('a'), controller('a')] }],
    ['the kubelet does not report the image', { pods: [daemon(''), controller('b')] }],
    ['the controller is being replaced', { pods: [daemon('a'), controller('b', { ready: false })] }],
    ['nothing is seen of the controller', { pods: [daemon('a')] }],
    ['pods may not be read', { pods: [daemon('a'), controller('b')], refused: [{ path: /pods/, why: '403' }] }],
  ])('[decoy] are not told where %s', async (_, change) => {
    const world = aWorld({ nodes: [waiting], ...change });

    expect(codes(await look(world, nodeSubject(world, 'worker-2', 'waiting')))).not.toContain('S18');
  });
});
