import { describe, expect, test } from 'vitest';
import type { NodeRollout } from '../../../../functions/core/openshift/node-rollout.ts';
import { pair, requestOf, requestWith } from './certificate-requests.ts';
import { codes, look, withCode } from './look.ts';
import {
  aLiveNode,
  aPod,
  aRollingPool,
  aWorld,
  type Json,
  minutesAgo,
  newConfig,
  nodeSubject,
  oldConfig,
  poolSubject,
} from './world.ts';

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const bootstrapper = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
const silent = {
  status: 'Unknown',
  message: 'Kubelet stopped posting node status.',
  lastTransitionTime: minutesAgo(40),
};

function aRequest(name: string, spec: object, status: object = {}) {
  const given = { signerName: 'kubernetes.io/kube-apiserver-client-kubelet', ...spec };
  return { metadata: { name, creationTimestamp: minutesAgo(30) }, spec: given, status };
}

/** What `openssl req -new -subj /O=system:nodes/CN=system:node:worker-2` makes, for a key of 256 bits. */
const byOpenssl =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlId01JR1lBZ0VBTURZeEZUQVRCZ05WQkFvTURITjVjM1JsYlRwdWIyUmxjekVkTUJzR0ExVUVBd3dVYzNsegpkR1Z0T201dlpHVTZkMjl5YTJWeUxUSXdXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQ0FBU0phbVI4CjZyVEV1MDIxV2xSTlQxMTdMTWxIS05CQnpCekdvR05nc3JMVlAwci8xb3N2Rm1SUWFKcWtiZ1lEREZTb3VtN1oKUG85eVNyQm1MWWh4dTA3Y29BQXdDZ1lJS29aSXpqMEVBd0lEUndBd1JBSWdHN080Q203bmptTnUrYkRhU0tKTgpSOXI2dTBNODBsSGpiTmxlL2hZTjVGMENJQ3hWa01YZkJpdHNsVVp0enE5SHZwenBrYjl0VXlTL0JrdVBMQWZxCmpoSk0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';

describe('[S1-4] a node that is not ready', () => {
  const lost = aLiveNode('worker-2', { annotations: { desiredConfig: newConfig, state: 'Working' }, ready: silent });

  test.each([
    ['asks for its first certificate', 'certain', { username: bootstrapper, request: requestOf('worker-2') }],
    ['asks to renew one', 'likely', { username: 'system:node:worker-2', request: requestOf('worker-2') }],
    ['asks with what openssl makes', 'certain', { username: bootstrapper, request: byOpenssl }],
  ])('%s: the pending request is the cause (%s), with its approval', async (_, confidence, spec) => {
    const world = aWorld({ nodes: [lost], others: { [requests]: [aRequest('csr-8b2', spec)] } });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'rebooting'));

    const found = withCode(diagnosis, 'S16');
    expect(codes(diagnosis)).toEqual(['S3', 'S16']);
    expect(found).toMatchObject({ confidence, class: 'structural', subject: { name: 'csr-8b2' } });
    expect(found.remedies.map(({ command }) => command)).toEqual([
      'oc get csr csr-8b2',
      'oc get csr csr-8b2 -o jsonpath={.spec.request} | base64 -d | openssl req -noout -subject',
      'oc adm certificate approve csr-8b2',
    ]);
  });

  test('[S1-4] it is told the same where nothing is rolled out', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-2', { ready: silent })],
      others: {
        [requests]: [aRequest('csr-8b2', { username: 'system:node:worker-2', request: requestOf('worker-2') })],
      },
    });

    expect(codes(await look(world, poolSubject(world, 'unavailable')))).toEqual(['S2', 'S16']);
  });

  test.each([
    ['another node asks', aRequest('csr-1', { username: 'system:node:worker-20', request: requestOf('worker-20') })],
    ['another node asks for its first', aRequest('csr-1', { username: bootstrapper, request: requestOf('worker-20') })],
    [
      'its request is approved',
      aRequest(
        'csr-1',
        { username: 'system:node:worker-2', request: requestOf('worker-2') },
        { conditions: [{ type: 'Approved', status: 'True' }] },
      ),
    ],
    [
      'it asks for the certificate that it serves with: it is ready without that',
      aRequest('csr-1', {
        username: 'system:node:worker-2',
        signerName: 'kubernetes.io/kubelet-serving',
        request: requestOf('worker-2'),
      }),
    ],
    ['somebody else asks in a form of their own', aRequest('csr-1', { username: bootstrapper, request: 'no base64!' })],
  ])('[decoy] [N-29] %s', async (_, request) => {
    const world = aWorld({ nodes: [lost], others: { [requests]: [request] } });

    expect(codes(await look(world, nodeSubject(world, 'worker-2', 'rebooting')))).toEqual(['S3']);
  });

  test.each([
    [
      'names the node beside its subject',
      { request: requestWith([], pair('\u0055\u0004\u0003', 'system:node:worker-2')) },
    ],
    [
      'names the node as an organisation',
      { request: requestWith([pair('\u0055\u0004\u000A', 'system:node:worker-2')]) },
    ],
    ['names the node and another one', { request: requestOf('worker-2', 'master-0') }],
    ['names a node whose name is longer', { request: requestOf('worker-2.example') }],
    ['names the node in letters before its subject', { request: btoa(`${'-'.repeat(5)}system:node:worker-2`) }],
    ['is one of another node', { username: 'system:node:worker-2', request: requestOf('master-0') }],
    ['is for another signer', { signerName: 'kubernetes.io/kube-apiserver-client', request: requestOf('worker-2') }],
    [
      'is longer than any that a kubelet makes',
      {
        request: requestWith([
          pair('\u0055\u0004\u0003', 'system:node:worker-2'),
          pair('\u0055\u0004\u000A', 'x'.repeat(20_000)),
        ]),
      },
    ],
  ])(
    '[N-30] a request that %s is not taken for one of the node, so that nobody is told to approve it',
    async (_, spec) => {
      const request = aRequest('csr-1', { username: bootstrapper, ...spec });
      const world = aWorld({ nodes: [lost], others: { [requests]: [request] } });

      expect(codes(await look(world, nodeSubject(world, 'worker-2', 'rebooting')))).toEqual(['S3']);
    },
  );

  test('[N-30] of several requests the subject of each is shown before they are approved', async () => {
    const spec = { username: bootstrapper, request: requestOf('worker-2') };
    const world = aWorld({ nodes: [lost], others: { [requests]: [aRequest('csr-1', spec), aRequest('csr-2', spec)] } });

    const found = withCode(await look(world, nodeSubject(world, 'worker-2', 'rebooting')), 'S16');

    expect(found.remedies[1]?.command).toBe(
      'for csr in csr-1 csr-2; do oc get csr "$csr" -o jsonpath={.spec.request} | base64 -d | openssl req -noout -subject; done',
    );
  });

  test('[decoy] requests that may not be read change nothing: older roles do not give the right', async () => {
    const world = aWorld({ nodes: [lost], refused: [{ path: /certificatesigningrequests/, why: '403' }] });

    const [found] = (await look(world, nodeSubject(world, 'worker-2', 'rebooting'))).findings;

    expect(found).toMatchObject({ code: 'S3', confidence: 'certain' });
  });
});

describe('[S1-4] a node that is not ready and was given what its pool wants no more', () => {
  const lost = aLiveNode('worker-2', { annotations: { desiredConfig: newConfig, state: 'Working' }, ready: silent });

  test('never gets the reverted config: one annotation is the way', async () => {
    const world = aWorld({ nodes: [lost] });
    const pool = aRollingPool({ target: { name: oldConfig, sources: [] } });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'rebooting', pool));

    const found = withCode(diagnosis, 'S17');
    expect(found.remedies).toMatchObject([
      { command: undefined, risk: 'none' },
      {
        command: `oc annotate node worker-2 machineconfiguration.openshift.io/desiredConfig=${oldConfig} --overwrite`,
        undo: `oc annotate node worker-2 machineconfiguration.openshift.io/desiredConfig=${newConfig} --overwrite`,
        risk: 'outage',
      },
    ]);
  });

  test('[decoy] [S0-8] one of a paused pool is told as it was: what waits behind the pause is not given by hand', async () => {
    const world = aWorld({ nodes: [lost] });
    const pool = aRollingPool({ paused: true, target: { name: oldConfig, sources: [] } });

    expect(codes(await look(world, nodeSubject(world, 'worker-2', 'rebooting', pool)))).toEqual(['S3']);
  });

  test('[decoy] one that was given what its pool wants is told as it was', async () => {
    const world = aWorld({ nodes: [lost] });

    expect(codes(await look(world, nodeSubject(world, 'worker-2', 'rebooting')))).toEqual(['S3']);
  });
});

describe('[S1-4] a reboot that was asked for', () => {
  const up = aLiveNode('worker-2', {
    annotations: { desiredConfig: newConfig, state: 'Working', 'post-config-action': 'Rebooting' },
  });
  const rolloutOf = (boots: readonly string[]): NodeRollout => ({
    cluster: 'prod',
    pool: 'worker',
    node: 'worker-2',
    uid: 'uid-node-worker-2',
    from: oldConfig,
    to: newConfig,
    begun: { at: minutesAgo(40), told: true },
    step: 'reboot',
    steps: {},
    progressedAt: minutesAgo(30),
    boots,
    ready: undefined,
    machine: undefined,
    causes: [],
    rebooted: undefined,
    ended: undefined,
  });
  const bootOf = (node: object) => (node as { status: { nodeInfo: { bootID: string } } }).status.nodeInfo.bootID;

  test('and has not happened is pending', async () => {
    const world = aWorld({ nodes: [up] });
    const subject = { ...nodeSubject(world, 'worker-2', 'rebooting'), rollout: rolloutOf([bootOf(up)]) };

    const diagnosis = await look(world, subject);

    expect(codes(diagnosis)).toEqual(['W2']);
    expect(withCode(diagnosis, 'W2').remedies[0]?.command).toContain('systemd-inhibit --list');
  });

  describe('[N-29] half an hour ago', () => {
    const askedAt = { operation: 'Update', time: minutesAgo(30), manager: 'machine-config-daemon' };
    const fieldsV1 = { 'f:metadata': { 'f:annotations': { 'f:machineconfiguration.openshift.io/state': {} } } };
    const upSince = (minutes: number) =>
      aLiveNode('worker-2', {
        annotations: { desiredConfig: newConfig, state: 'Working', 'post-config-action': 'Rebooting' },
        managedFields: [{ ...askedAt, fieldsV1 }],
        ready: { status: 'True', message: '', lastTransitionTime: minutesAgo(minutes) },
      });
    const daemon = (ready: boolean) =>
      aPod('machine-config-daemon-x', {
        namespace: 'openshift-machine-config-operator',
        node: 'worker-2',
        ready,
        labels: { 'k8s-app': 'machine-config-daemon' },
        containers: [
          ready
            ? { name: 'machine-config-daemon', ready, state: { running: { startedAt: minutesAgo(900) } } }
            : { name: 'machine-config-daemon', ready, state: { waiting: { reason: 'CrashLoopBackOff', message: '' } } },
        ],
      });
    const explained = async (up: Json, isAtWork: boolean, boots?: readonly string[]) => {
      const world = aWorld({ nodes: [up], pods: [daemon(isAtWork)] });
      const rollout = boots && rolloutOf(boots);
      return look(world, { ...nodeSubject(world, 'worker-2', 'rebooting'), rollout });
    };

    test('while the node is ready for hours: it has not gone down, whether it was followed or not', async () => {
      const diagnosis = await explained(upSince(600), true);

      expect(codes(diagnosis)).toEqual(['W2']);
      expect(withCode(diagnosis, 'W2')).toMatchObject({
        confidence: 'likely',
        sentence: expect.stringContaining('worker-2 was asked to reboot 30 min ago and has been ready all the time'),
      });
      expect(codes(await explained(upSince(600), true, []))).toEqual(['W2']);
    });

    test.each([
      ['it is ready since then', upSince(20), true, [], 'W1'],
      ['it is ready since then, whatever boot is taken for that of before', upSince(20), true, ['boot-worker-2'], 'W1'],
      ['it is ready since then, and its daemon is broken', upSince(20), false, ['boot-worker-2'], 'S4'],
      ['its daemon is broken, and nothing but that it is ready says so', upSince(600), false, [], 'S4'],
      ['another boot was seen since', upSince(600), true, ['before', 'boot-worker-2'], 'W1'],
    ] as const)('[decoy] is not pending where %s', async (_, live, isAtWork, boots, code) => {
      const diagnosis = await explained(live, isAtWork, boots);

      expect(codes(diagnosis)).toEqual([code]);
      expect(withCode(diagnosis, code).sentence).not.toContain('is up again');
    });

    test('is pending also behind a broken daemon where it runs the boot that was read before', async () => {
      const diagnosis = await explained(upSince(600), false, ['boot-worker-2']);

      expect(codes(diagnosis)).toEqual(['W2']);
      expect(withCode(diagnosis, 'W2').confidence).toBe('strong');
    });
  });

  test('[decoy] and has happened is not', async () => {
    const world = aWorld({ nodes: [up] });
    const subject = { ...nodeSubject(world, 'worker-2', 'rebooting'), rollout: rolloutOf(['before', bootOf(up)]) };

    expect(codes(await look(world, subject))).not.toContain('W2');
  });
});

describe('[S3-4] a file that is not as its MachineConfig says', () => {
  const drifted = (name: string, file: string) =>
    aLiveNode(name, {
      annotations: {
        state: 'Degraded',
        reason: `unexpected on-disk state validating against rendered-worker-aaa: content mismatch for file "${file}"`,
      },
    });

  test('on one node says that the text does not tell who changed it', async () => {
    const world = aWorld({ nodes: [drifted('worker-1', '/etc/chrony.conf'), aLiveNode('worker-2')] });

    const found = withCode(await look(world, nodeSubject(world, 'worker-1', 'failing')), 'N1');

    expect(found.sentence).toContain('The text does not say what changed it');
    expect(found.confidence).toBe('likely');
  });

  test('on several nodes at once was not edited by hand on one of them', async () => {
    const world = aWorld({ nodes: ['worker-1', 'worker-2'].map((name) => drifted(name, '/etc/chrony.conf')) });

    const found = withCode(await look(world, nodeSubject(world, 'worker-1', 'failing')), 'N1');

    expect(found.sentence).toContain('It differs on 2 nodes at once (worker-1 and worker-2)');
  });

  test('names what the MCO makes it from, and the force file comes last', async () => {
    const world = aWorld({ nodes: [drifted('worker-1', '/etc/containers/registries.conf')] });

    const found = withCode(await look(world, nodeSubject(world, 'worker-1', 'failing')), 'N1');

    expect(found.sentence).toContain('The MCO makes it from Image cluster and the mirror sets');
    expect(found.remedies.map(({ risk }) => risk)).toEqual(['none', 'none', 'low', 'outage']);
  });
});
