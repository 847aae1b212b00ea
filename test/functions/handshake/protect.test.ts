import { describe, expect, test } from 'vitest';
import { applicationOf } from '../../../functions/adapters/kubernetes/application-of.ts';
import type { Policy } from '../../../functions/core/configuration/policy.ts';
import { holdsOf } from '../../../functions/core/openshift/pool-record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { protect } from '../../../functions/handshake/protect.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { anApplication, anOperation, aPool, naming } from '../../fakes/index.ts';
import { commitA, commitB, type KeepLab, keepLab } from '../keep-pools/keep-lab.ts';

/** After every sync of this file has begun. */
const later = '2026-03-02T10:00:05Z';
const requiredForUpgrade = { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' };
const nodes = { argocd: 'hub', namespace: 'openshift-gitops', name: 'nodes' };

/** A sync begins while worker-2 is still on its way to what the pool has had for an hour. */
function rollingLab(whenRolling: Policy['whenRolling']) {
  const lab = keepLab({ policy: { whenRolling } });
  lab.syncs(commitB);
  lab.world.pools.changeNode('worker-2', {
    currentConfig: 'rendered-worker-old',
    desiredConfig: 'rendered-worker-aaa',
    targetedAt: '2026-03-02T09:00:00Z',
  });
  return lab;
}

/** The first call pauses the pool, and the MCO observes that. Returns what it was answered. */
async function pauseAndConfirm(lab: KeepLab): ReturnType<typeof protect> {
  const answer = await protect(nodes, lab.ports);
  lab.world.pools.observe('worker');
  return answer;
}

describe('[S0-5] the handshake of a PreSync Job', () => {
  test('pauses at once and is protected only when the MCO has observed the pause', async () => {
    const lab = keepLab();
    lab.syncs(commitB);

    const first = await protect(nodes, lab.ports);

    expect(lab.pool().paused).toBe(true);
    expect(first).toEqual({
      kind: 'waiting',
      pools: [{ name: 'worker', why: expect.stringContaining('not observed'), isBrief: true }],
    });

    lab.world.pools.observe('worker');

    expect(await protect(nodes, lab.ports)).toEqual({ kind: 'protected', pools: ['worker'] });
  });

  test('[N-29] [N-30] neither waits nor is late for nodes of a custom pool, which the selector of worker matches too', async () => {
    const lab = keepLab();
    const role = 'node-role.kubernetes.io/infra';
    lab.world.argocd.change('nodes', { reconciledAt: later });
    const target = { name: 'rendered-infra-bbb', sources: ['99-infra'] };
    const nodeSelector = { matchLabels: { [role]: '' } };
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', nodeSelector, target }));
    const { labels } = lab.world.pools.changeNode('worker-3', {});
    lab.syncs(commitB);
    await protect(nodes, lab.ports);
    lab.world.pools.changeNode('worker-3', {
      labels: { ...labels, [role]: '' },
      currentConfig: 'rendered-infra-aaa',
      desiredConfig: 'rendered-infra-bbb',
      targetedAt: '2026-03-02T10:00:01Z',
    });
    lab.world.pools.observe('worker');

    expect(await protect(nodes, lab.ports)).toEqual({ kind: 'protected', pools: ['worker'] });
    expect(lab.world.tables.races.all()).toMatchObject([{ pool: 'worker', missedNodes: [], verdict: undefined }]);
  });

  test('is not protected by an earlier pause of the same hold', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await pauseAndConfirm(lab);
    const before = await protect(nodes, lab.ports);
    const { generation, record } = lab.pool();
    if (record.kind !== 'record') throw new Error('the pool has no record');
    const pausedSince = new Date(lab.world.clock.now().getTime() + 1000).toISOString();
    lab.world.pools.put({
      ...lab.pool(),
      generation: generation + 2,
      observedGeneration: generation + 1,
      record: { kind: 'record', record: { ...record.record, pausedSince } },
    });
    const after = await protect(nodes, lab.ports);

    expect([before.kind, after]).toEqual([
      'protected',
      { kind: 'waiting', pools: [{ name: 'worker', why: expect.stringContaining('not observed'), isBrief: true }] },
    ]);
  });

  test('[N-30] is protected also where the record of the pool has no room for its hold', async () => {
    const lab = keepLab();
    const real = lab.world.argocd.get('nodes');
    lab.world.argocd.remove('nodes');
    const operation = anOperation({ phase: 'Running', finishedAt: undefined, results: [] });
    for (let index = 0; index < 580; index += 1) {
      const name = `x${`${index}`.padStart(4, '0')}`;
      lab.world.argocd.put(anApplication({ name, uid: name, operation, operationQueued: true }));
    }
    await lab.tick();
    lab.world.argocd.put({ ...real, uid: 'a'.repeat(36) });
    lab.syncs(commitB);

    const first = await pauseAndConfirm(lab);

    expect(holdsOf(lab.pool()).some(({ who }) => who.endsWith('/nodes'))).toBe(false);
    expect(first).toMatchObject({ kind: 'waiting' });
    expect(await protect(nodes, lab.ports)).toEqual({ kind: 'protected', pools: ['worker'] });
  });

  test('[N-30] waits for a pool that cannot be parsed, because nothing pauses it', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    lab.world.pools.put(aPool({ name: 'infra', uid: 'p-infra' }));
    lab.world.pools.spoil('infra');
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toEqual({
      kind: 'waiting',
      pools: [{ name: 'infra', why: 'it cannot be parsed, so it is neither paused nor resumed' }],
    });

    lab.world.pools.mend('infra');
    await protect(nodes, lab.ports);
    lab.world.pools.observe('infra');

    expect(await protect(nodes, lab.ports)).toEqual({ kind: 'protected', pools: ['infra', 'worker'] });
  });

  test.each([
    [{ pools: ['worker'], mayAdd: true, mayRemove: true }, 'protected'],
    [{ pools: ['worker'], mayAdd: true, mayRemove: false }, 'waiting'],
    [{ pools: [], mayAdd: false, mayRemove: true }, 'nothing-to-protect'],
    [{ pools: [], mayAdd: false, mayRemove: false }, 'waiting'],
    [{ pools: ['infra'], mayAdd: true, mayRemove: true }, 'waiting'],
    [{ pools: ['worker', 'infra'], mayAdd: true, mayRemove: true }, 'waiting'],
  ])('[N-30] with a pool infra that cannot be parsed, and the annotation %j: %s', async (named, kind) => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { named: { ...named, text: '', entry: '' } });
    lab.syncs(commitB);
    lab.world.pools.put(aPool({ name: 'infra', uid: 'p-infra' }));
    lab.world.pools.spoil('infra');
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toMatchObject({ kind });
  });

  test('[N-30] an Application that cannot be parsed is not one without anything to protect', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    lab.world.argocd.spoil('nodes');

    await expect(protect(nodes, lab.ports)).rejects.toThrow(/cannot be parsed/);
  });

  test('waits for nodes that were already on their way', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    lab.world.pools.changeNode('worker-2', { desiredConfig: 'rendered-worker-bbb' });
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toEqual({
      kind: 'waiting',
      pools: [{ name: 'worker', why: expect.stringContaining('worker-2') }],
    });

    lab.world.pools.changeNode('worker-2', { currentConfig: 'rendered-worker-bbb' });

    expect(await protect(nodes, lab.ports)).toMatchObject({ kind: 'protected' });
  });

  test('[S0-6] whenRolling finish: waits for nodes of the rollout before, and says that', async () => {
    const lab = rollingLab('finish');
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toEqual({
      kind: 'waiting',
      pools: [
        {
          name: 'worker',
          why: '1 node of the previous rollout (worker-2) continues and must finish first (policy whenRolling: finish)',
        },
      ],
    });
    expect(lab.world.tables.races.all()).toMatchObject([{ missedNodes: [], rollingBefore: ['worker-2'] }]);

    lab.world.pools.changeNode('worker-2', { currentConfig: 'rendered-worker-aaa' });

    expect(await protect(nodes, lab.ports)).toMatchObject({ kind: 'protected' });
  });

  test('[S0-6] [N-29] image mode: waits for a node that reboots into another image with the same config', async () => {
    const lab = rollingLab('finish');
    const at = { currentConfig: 'rendered-worker-aaa', desiredConfig: 'rendered-worker-aaa' };
    lab.world.pools.changeNode('worker-2', {
      ...at,
      currentImage: 'registry/os@sha256:a',
      desiredImage: 'registry/os@sha256:b',
    });
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toMatchObject({
      kind: 'waiting',
      pools: [{ name: 'worker', why: expect.stringContaining('1 node of the previous rollout (worker-2)') }],
    });

    lab.world.pools.changeNode('worker-2', { currentImage: 'registry/os@sha256:b' });

    expect(await protect(nodes, lab.ports)).toMatchObject({ kind: 'protected' });
  });

  test('[S0-6] [N-29] whenRolling pause: is protected as soon as the pause is confirmed, and told which nodes go on', async () => {
    const lab = rollingLab('pause');
    await pauseAndConfirm(lab);
    const why = '1 node of the previous rollout (worker-2) continues, and policy whenRolling is pause';
    const notWaitedFor = [{ name: 'worker', why, isNotWaitedFor: true }];

    expect(await protect(nodes, lab.ports)).toEqual({ kind: 'protected', pools: ['worker'], notWaitedFor });
  });

  test('[S0-6] [N-29] several nodes that have failed their update are named with what may come of them', async () => {
    const lab = rollingLab('finish');
    for (const name of ['worker-1', 'worker-2'])
      lab.world.pools.changeNode(name, { desiredConfig: 'rendered-worker-aab', state: 'Degraded', reason: 'bad' });
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toMatchObject({
      kind: 'protected',
      notWaitedFor: [
        {
          why: 'worker-1 and worker-2 have failed their update and are not waited for; the MCO tries again by itself, also while the pool is paused, and may reboot them as soon as that succeeds',
        },
      ],
    });
  });

  test('[S0-6] [N-29] whenRolling pause: nor does it wait for a node on its way to an older config, whose drain ends meanwhile', async () => {
    const lab = rollingLab('pause');
    lab.world.pools.changeNode('worker-2', {
      desiredConfig: 'rendered-worker-older',
      state: 'Working',
      desiredDrain: 'drain-rendered-worker-older',
      reportedAt: '2026-03-02T09:00:10Z',
    });
    await protect(nodes, lab.ports);
    lab.world.pools.changeNode('worker-2', {
      lastAppliedDrain: 'drain-rendered-worker-older',
      targetedAt: lab.world.clock.now().toISOString(),
    });
    lab.world.pools.observe('worker');

    const why = '1 node of the previous rollout (worker-2) continues, and policy whenRolling is pause';
    expect(await protect(nodes, lab.ports)).toEqual({
      kind: 'protected',
      pools: ['worker'],
      notWaitedFor: [{ name: 'worker', why, isNotWaitedFor: true }],
    });
    expect(lab.world.tables.races.all()).toMatchObject([{ missedNodes: [], rollingBefore: ['worker-2'] }]);
  });

  test('[S0-6] whenRolling refuse: turns the sync down at once and says why', async () => {
    const lab = rollingLab('refuse');
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toEqual({
      kind: 'refused',
      pools: [
        {
          name: 'worker',
          why: '1 node of the previous rollout (worker-2) continues, and policy whenRolling is refuse',
          isRefused: true,
        },
      ],
    });
  });

  test.each(['finish', 'refuse', 'pause'] as const)(
    '[S0-6] [N-30] whenRolling %s: a node that has failed its update holds back no sync, which may mend it, and is named',
    async (whenRolling) => {
      const lab = rollingLab(whenRolling);
      lab.world.pools.changeNode('worker-2', { state: 'Degraded', reason: 'failed to write /etc/x' });
      await pauseAndConfirm(lab);
      const why =
        'worker-2 has failed its update and is not waited for; the MCO tries again by itself, also while the pool is paused, and may reboot it as soon as that succeeds';
      const notWaitedFor = [{ name: 'worker', why, isNotWaitedFor: true }];

      expect(await protect(nodes, lab.ports)).toEqual({ kind: 'protected', pools: ['worker'], notWaitedFor });
    },
  );

  test.each([
    ['that is at work', { state: 'Working' }],
    [
      'that the controller has written to since, a minute ago',
      { targetedAt: '2026-03-02T09:59:00Z', reportedAt: '2026-03-02T09:00:00Z' },
    ],
    ['whose drain is asked for', { desiredDrain: 'drain-b', lastAppliedDrain: 'uncordon-a' }],
    ['that reboots', { postConfigAction: 'Rebooting' }],
  ])('[S0-6] [N-30] waits for a node with the reason of an earlier failure %s', async (_, change) => {
    const lab = rollingLab('finish');
    lab.world.pools.changeNode('worker-2', { state: 'Degraded', reason: 'failed to write /etc/x', ...change });
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toMatchObject({
      kind: 'waiting',
      pools: [{ name: 'worker', why: expect.stringMatching(/\(worker-2\) .*must finish first/) }],
    });
  });

  test('[S0-6] [N-29] [N-30] a node that failed at once, and whose taint the controller took off after that, holds back no sync', async () => {
    const lab = rollingLab('finish');
    lab.world.pools.changeNode('worker-2', {
      state: 'Degraded',
      reason: 'cannot reconcile config',
      targetedAt: '2026-03-02T09:30:05Z',
      reportedAt: '2026-03-02T09:30:00Z',
    });
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toMatchObject({
      kind: 'protected',
      notWaitedFor: [{ why: expect.stringContaining('worker-2 has failed its update') }],
    });
  });

  test.each([
    ['finish', '2026-02-27T09:10:00Z', 'protected'],
    ['refuse', '2026-02-27T09:10:00Z', 'protected'],
    ['finish', '2026-03-02T09:58:00Z', 'waiting'],
  ] as const)(
    '[S0-6] [N-29] [N-30] whenRolling %s: a node that reboots since %s holds back no sync for longer than a reboot may take: %s',
    async (whenRolling, reportedAt, kind) => {
      const lab = rollingLab(whenRolling);
      lab.world.pools.changeNode('worker-2', { postConfigAction: 'Rebooting', reportedAt });
      await pauseAndConfirm(lab);

      const answer = await protect(nodes, lab.ports);

      const away = 'worker-2 has not come back from its reboot and is not waited for';
      expect(answer.kind).toBe(kind);
      expect(JSON.stringify(answer).includes(away)).toBe(kind === 'protected');
    },
  );

  test('[S0-6] [N-30] beside a node that has failed, waits for the one that goes on', async () => {
    const lab = rollingLab('finish');
    lab.world.pools.changeNode('worker-1', {
      desiredConfig: 'rendered-worker-aab',
      targetedAt: '2026-03-02T09:00:00Z',
      state: 'Unreconcilable',
    });
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toEqual({
      kind: 'waiting',
      pools: [{ name: 'worker', why: expect.stringContaining('1 node of the previous rollout (worker-2) continues') }],
    });
  });

  test('[S0-5] [N-30] a node that was targeted before the pause was confirmed, and has failed, is not waited for', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    lab.world.pools.changeNode('worker-2', { desiredConfig: 'rendered-worker-bbb', state: 'Degraded', reason: 'bad' });
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toMatchObject({
      kind: 'protected',
      notWaitedFor: [{ why: expect.stringContaining('worker-2 has failed its update') }],
    });
  });

  test('[S0-6] [N-30] image mode: waits for a node that is on its way to another image, with the same rendered config', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    lab.world.pools.changeNode('worker-2', {
      currentImage: 'registry.example/os@sha256:aaaa',
      desiredImage: 'registry.example/os@sha256:bbbb',
      targetedAt: '2026-03-02T09:00:00Z',
    });
    await pauseAndConfirm(lab);

    expect(await protect(nodes, lab.ports)).toEqual({
      kind: 'waiting',
      pools: [{ name: 'worker', why: expect.stringContaining('worker-2') }],
    });

    lab.world.pools.changeNode('worker-2', { currentImage: 'registry.example/os@sha256:bbbb' });

    expect(await protect(nodes, lab.ports)).toEqual({ kind: 'protected', pools: ['worker'] });
  });

  test('has nothing to protect for an Application that manages nothing the MCO renders', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { resources: [], sync: { status: 'OutOfSync', revisions: [commitB] } });
    lab.syncs(commitB);

    expect(await protect(nodes, lab.ports)).toMatchObject({ kind: 'nothing-to-protect' });
  });

  test.each([
    ['Argo CD shows an earlier commit', {}],
    ['and compared it in the second in which the sync began', { reconciledAt: '2026-03-02T10:00:00Z' }],
    ['it was never compared', { sync: { status: '', revisions: [] } as const }],
    [
      'Git could not be read since',
      { sync: { status: 'Unknown', revisions: [commitB] } as const, reconciledAt: later },
    ],
  ])(
    '[N-30] does not know what a sync brings where %s: no pool is confirmed, and none is paused for it',
    async (_what, change) => {
      const lab = keepLab();
      lab.world.argocd.change('nodes', { resources: [], automated: false, ...change });
      lab.syncs(commitB, { startedBy: 'ann' });

      expect(await protect(nodes, lab.ports)).toEqual({
        kind: 'waiting',
        pools: [{ name: 'worker', why: expect.stringContaining('Argo CD has not compared the Application') }],
      });
      expect(lab.pool().paused).toBe(false);
    },
  );

  describe('[N-30] a sync at the very commit at which everything was found Synced', () => {
    const source = { repoURL: 'https://github.com/acme/platform.git', path: 'nodes', targetRevision: 'HEAD' };
    const resource = {
      group: 'machineconfiguration.openshift.io',
      kind: 'MachineConfig',
      name: '99-worker-ssh',
      status: 'Synced',
    };
    const manifests = [JSON.stringify({ kind: 'MachineConfig', metadata: { name: '99-worker-ssh' } })];

    function labWith(initiatedBy: object | undefined, asked: object, comparedTo: object = { source }) {
      const lab = keepLab();
      const operation = { ...(initiatedBy && { initiatedBy }), sync: { revision: commitA, ...asked } };
      const body = {
        metadata: { name: 'nodes', namespace: 'openshift-gitops', uid: 'uid-app-nodes', resourceVersion: '9' },
        spec: { destination: { server: 'https://kubernetes.default.svc' }, source, syncPolicy: { automated: {} } },
        operation,
        status: {
          sync: { status: 'Synced', revision: commitA, comparedTo },
          reconciledAt: '2026-03-02T09:58:00Z',
          resources: [resource],
          operationState: { phase: 'Running', startedAt: '2026-03-02T10:00:00Z', operation },
        },
      };
      lab.world.argocd.put(applicationOf('hub', body));
      return lab;
    }

    test.each([
      ['with no source', {}],
      ['with that of the spec, as newer versions do', { source: { ...source, helm: {} } }],
    ])('has nothing to protect where Argo CD began it by itself, %s', async (_which, asked) => {
      const lab = labWith({ automated: true }, asked);

      expect(await protect(nodes, lab.ports)).toMatchObject({ kind: 'nothing-to-protect' });
      expect(lab.pool().paused).toBe(false);
    });

    test.each<[string, object | undefined, object, object?]>([
      ['a person begins it', { username: 'anna' }, {}],
      ['an ApplicationSet begins it', { username: 'applicationset-controller', automated: true }, {}],
      ['Argo CD names nobody, as with --core', { username: '' }, {}],
      ['it is written into the Application', undefined, {}],
      ['automated is said in another way', { automated: 'true' }, {}],
      ['it is called automated and has manifests of its own', { automated: true }, { manifests }],
      ['it is called automated and has a source of its own', { automated: true }, { source: { ...source, path: 'x' } }],
      ['it is called automated and has sources of its own', { automated: true }, { sources: [source] }],
      ['the spec has been changed since', { automated: true }, {}, { source: { ...source, path: 'nodes/old' } }],
      ['nothing says what was compared', { automated: true }, {}, {}],
    ])('is paused for where %s', async (_who, initiatedBy, asked, comparedTo) => {
      const lab = labWith(initiatedBy, asked, comparedTo);

      const first = await pauseAndConfirm(lab);

      expect(first).toMatchObject({ kind: 'waiting', pools: [{ name: 'worker' }] });
      expect(await protect(nodes, lab.ports)).toEqual({ kind: 'protected', pools: ['worker'] });
    });
  });

  test('[N-30] Argo CD that compares seldom: the reason promises no time and names the command that refreshes', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { resources: [], automated: false });
    lab.syncs(commitB, { startedBy: 'ann' });

    const protection = await protect(nodes, lab.ports);

    expect(protection).toEqual({
      kind: 'waiting',
      pools: [
        {
          name: 'worker',
          why: 'Argo CD has not compared the Application at the commit that it syncs, which may change this pool too; it does so at its next poll, or at once after: oc -n openshift-gitops annotate --overwrite applications.argoproj.io nodes argocd.argoproj.io/refresh=normal',
        },
      ],
    });
  });

  test('[N-30] waits for the comparison also for a pool that a sync of a newer commit gains, and for those that are known', async () => {
    const lab = keepLab();
    const target = { name: 'rendered-infra-aaa', sources: [] };
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', target, nodeSelector: undefined }));
    lab.world.pools.put(aPool({ name: 'master', uid: 'uid-master', labels: requiredForUpgrade, target }));
    lab.syncs(commitB, { startedBy: 'ann' });
    await pauseAndConfirm(lab);

    const early = await protect(nodes, lab.ports);
    lab.world.argocd.change('nodes', { reconciledAt: later });
    const compared = await protect(nodes, lab.ports);

    expect(early).toMatchObject({ kind: 'waiting', pools: [{ name: 'infra' }] });
    expect(compared).toEqual({ kind: 'protected', pools: ['worker'] });
  });

  test('[N-30] does not wait for the comparison where the annotation alone says which pools', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { ...naming('none'), automated: false });
    lab.syncs(commitB, { startedBy: 'ann' });

    expect(await protect(nodes, lab.ports)).toMatchObject({ kind: 'nothing-to-protect' });
  });

  describe('[N-30] a pool that the API server does not let Poolkeeper write', () => {
    function refusing(lab: KeepLab, refused: string): KeepPorts {
      const refuse = () => Promise.reject(new Transient('403', { kind: 'forbidden' }));
      const cluster: KeepPorts['cluster'] = async (name) => {
        const { pools, ...others } = await lab.ports.cluster(name);
        const patchPool: typeof pools.patchPool = (pool, change) =>
          pool.name === refused ? refuse() : pools.patchPool(pool, change);
        return { ...others, pools: { ...pools, patchPool } };
      };
      return { ...lab.ports, cluster };
    }

    test('does not keep the sync of an Application that does not change it', async () => {
      const lab = keepLab();
      lab.world.argocd.change('nodes', { reconciledAt: later });
      const target = { name: 'rendered-infra-aaa', sources: ['99-infra'] };
      const machineConfigSelector = { matchLabels: { 'machineconfiguration.openshift.io/role': 'infra' } };
      lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', machineConfigSelector, target, current: target }));
      const [managed] = lab.world.argocd.get('nodes').resources;
      if (managed === undefined) throw new Error('it manages nothing');
      lab.world.argocd.put(
        anApplication({ name: 'tenant', uid: 'tenant', resources: [{ ...managed, name: '99-infra' }] }),
      );
      lab.syncs(commitB, {}, 'tenant');
      await protect({ ...nodes, name: 'tenant' }, lab.ports);
      lab.ends('Succeeded', {}, 'tenant');
      lab.syncs(commitB);
      const ports = refusing(lab, 'infra');

      await protect(nodes, ports);
      lab.world.pools.observe('worker');

      expect(lab.pool('infra').paused).toBe(true);
      expect(await protect(nodes, ports)).toEqual({ kind: 'protected', pools: ['worker'] });
    });

    test('is named, and nobody is kept waiting for it', async () => {
      const lab = keepLab();
      lab.syncs(commitB);

      expect(await protect(nodes, refusing(lab, 'worker'))).toEqual({
        kind: 'waiting',
        pools: [{ name: 'worker', why: 'Poolkeeper lacks the right to change it, or a policy refuses that' }],
      });
      // The log has what the API server said of it.
      expect(lab.world.logger.lines.map(({ message }) => message)).toEqual(['a part of the pass failed']);
    });
  });

  test('does not confirm a pool whose record cannot be read', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    lab.world.pools.change('worker', 'someone', { record: { kind: 'unreadable', why: 'annotation: not JSON' } });

    expect(await protect(nodes, lab.ports)).toMatchObject({
      kind: 'waiting',
      pools: [{ name: 'worker', why: expect.stringContaining('cannot be read') }],
    });
  });

  test.each([
    ['kubectl-edit', 'a person'],
    ['argocd-controller', 'argocd-controller'],
  ])('[S0-15] does not confirm a pool that %s resumed, and says who it was: %s', async (manager, who) => {
    const lab = keepLab();
    lab.syncs(commitB);
    await protect(nodes, lab.ports);
    lab.world.pools.change('worker', manager, { paused: false });

    expect(await protect(nodes, lab.ports)).toMatchObject({
      kind: 'waiting',
      pools: [{ why: `${who} resumed it; Poolkeeper leaves it alone` }],
    });
  });

  test('refuses an Application or an instance that does not exist', async () => {
    const lab = keepLab();

    await expect(protect({ ...nodes, name: 'ghost' }, lab.ports)).rejects.toMatchObject({
      name: 'BadInput',
      status: 404,
    });
    await expect(protect({ ...nodes, argocd: 'other' }, lab.ports)).rejects.toMatchObject({
      name: 'BadInput',
      status: 404,
    });
  });

  test('[N-30] does not judge an Application of a namespace that is not one of the instance, nor pauses for it', async () => {
    const lab = keepLab();
    lab.world.argocd.put({ ...lab.world.argocd.get('nodes'), namespace: 'team-argocd', name: 'forged', uid: 'forged' });
    lab.syncs(commitB, {}, 'forged');

    await expect(protect({ ...nodes, namespace: 'team-argocd', name: 'forged' }, lab.ports)).rejects.toMatchObject({
      name: 'BadInput',
      status: 404,
      message: expect.stringContaining('argocd[].namespaces'),
    });
    expect(lab.pool().paused).toBe(false);
  });

  test.each([
    { server: 'https://api-int.elsewhere.example.com:6443', name: '' },
    { server: '', name: 'elsewhere' },
  ])('[N-30] does not let a sync to %j begin, which is no configured cluster', async (destination) => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { destination });
    lab.syncs(commitB);

    await expect(protect(nodes, lab.ports)).rejects.toMatchObject({
      name: 'BadInput',
      status: 404,
      message: expect.stringContaining('argocd[].destinations'),
    });
  });

  test('throws Transient when the cluster cannot be seen, and nothing is confirmed', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    lab.world.faults.failAll(['pools.list']);

    await expect(protect(nodes, lab.ports)).rejects.toMatchObject({ name: 'Transient' });
  });
});
