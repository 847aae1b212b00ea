import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { anApplication, anOperation, aPool } from '../../fakes/index.ts';
import { commitA, commitB, commitC, keepLab, nodesHold } from './keep-lab.ts';

describe('the main way', () => {
  test('[S0-1] [C-5] a push pauses the pool of the Application that will sync, before anything runs', async () => {
    const lab = keepLab();

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool()).toMatchObject({ paused: true, pausedBy: { manager: 'poolkeeper' } });
    expect(lab.record()).toMatchObject({
      pause: 'ours',
      holds: [{ id: nodesHold, phase: 'expected', revision: commitB }],
    });
    expect(lab.told()).toContain('pool.paused');
  });

  test('[S0-7] a succeeded sync lets the pool go once its render has settled', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(3);
    lab.ends('Succeeded');

    await lab.deliver(lab.operationOf('Succeeded'));

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toEqual([]);

    await lab.pass(30);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()).toMatchObject({ holds: [], last: { did: 'resumed' } });
    expect(lab.told().filter((type) => type === 'pool.resumed')).toHaveLength(1);
  });

  test('[S0-20] pause and resume stand on the pool as annotation and as Kubernetes event, and on the timeline', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    lab.ends('Succeeded');

    await lab.pass(60);

    const [paused, resumed] = lab.world.pools.announced.map(({ event }) => event);
    expect([paused?.reason, resumed?.reason]).toEqual(['PausedByPoolkeeper', 'ResumedByPoolkeeper']);
    expect(paused?.message).toMatch(
      /To keep it paused: oc annotate mcp worker 'poolkeeper\.dev\/keep-paused=say why'$/,
    );
    const types = lab.world.tables.timeline.all().map((entry) => entry.type);
    expect(types).toEqual(expect.arrayContaining(['poolkeeper.pool.paused.v1', 'poolkeeper.pool.resumed.v1']));
  });

  test('a quiet tick costs one list of pools and one GET for each Application that holds something', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(70);
    lab.world.faults.forget();

    await lab.tick();

    const reads = lab.world.faults.calls.map((call) => call.op).filter((op) => /^(pools|argocd|reader)\./.test(op));
    expect(reads.toSorted()).toEqual(['argocd.read', 'pools.list']);
  });
});

describe('what holds and what does not', () => {
  test('[S0-4] one operation pauses every pool whose render lists its MachineConfig', async () => {
    const lab = keepLab();
    const target = { name: 'rendered-infra-1', sources: ['00-worker', '99-worker-ssh', '99-infra'] };
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', target, current: target }));

    await lab.deliver(lab.pushOf(commitB));

    expect([lab.pool('worker').paused, lab.pool('infra').paused]).toEqual([true, true]);
  });

  test('[S3-2] a change of a custom pool alone pauses only it; a worker change pauses both', async () => {
    const lab = keepLab();
    const target = { name: 'rendered-infra-1', sources: ['00-worker', '99-worker-ssh', '99-infra'] };
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', target, current: target }));
    const [resource] = anApplication().resources;
    lab.world.argocd.change('nodes', { resources: resource === undefined ? [] : [{ ...resource, name: '99-infra' }] });

    await lab.deliver(lab.pushOf(commitB));

    expect([lab.pool('worker').paused, lab.pool('infra').paused]).toEqual([false, true]);
  });

  test('an Application that manages nothing the MCO renders holds nothing', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', {
      resources: [{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', status: 'Synced' }],
    });

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.world.pools.patches).toEqual([]);
  });

  test('a push holds nothing where no sync follows by itself, and the timeline says so', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { automated: false });

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(false);
    expect(lab.world.tables.timeline.all().map((entry) => entry.text)).toEqual([
      expect.stringContaining('automated sync is off'),
    ]);
  });

  test('master is never touched unless it is opted in by name', async () => {
    const target = { name: 'rendered-master-1', sources: ['99-worker-ssh'] };
    const master = aPool({ name: 'master', uid: 'uid-master', target, current: target });
    const careful = keepLab();
    const optedIn = keepLab({ pools: { master: { ...defaultPoolSettings, manageRequired: true } } });
    for (const lab of [careful, optedIn]) lab.world.pools.put(master);

    for (const lab of [careful, optedIn]) await lab.deliver(lab.pushOf(commitB));

    expect([careful.pool('master').paused, optedIn.pool('master').paused]).toEqual([false, true]);
  });

  test('[S0-12] a selective sync, whose hooks are skipped, is protected like any other', async () => {
    const lab = keepLab();
    lab.syncs(commitA, { partial: true, startedBy: 'admin' });

    await lab.deliver(lab.operationOf('Running'));

    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ phase: 'syncing' }] });
  });

  test('a dry run is no sync', async () => {
    const lab = keepLab();
    lab.syncs(commitB, { dryRun: true });

    await lab.deliver(lab.operationOf('Running'));

    expect(lab.pool().paused).toBe(false);
  });
});

describe('how a sync can end', () => {
  async function syncing() {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(5);
    return lab;
  }

  test('[S0-9] a failed sync keeps the pool held and says why', async () => {
    const lab = await syncing();
    const failure = {
      group: 'machineconfiguration.openshift.io',
      kind: 'MachineConfig',
      namespace: '',
      name: '99-worker-ssh',
    };
    lab.ends('Failed', {
      message: 'one or more objects failed to apply',
      results: [{ ...failure, status: 'SyncFailed', message: 'no', hookType: '' }],
    });

    await lab.deliver(lab.operationOf('Failed'));
    await lab.pass(300);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([
      { phase: 'failed', why: expect.stringContaining('MachineConfig 99-worker-ssh') },
    ]);
  });

  test('[S0-9] [N-4] at failedAtMost a failed sync stays held by default and is let go by policy resume', async () => {
    const labs = [keepLab(), keepLab({ policy: { onSyncFailure: 'resume' } })];

    for (const lab of labs) {
      await lab.deliver(lab.pushOf(commitB));
      lab.world.clock.advance(2);
      lab.syncs(commitB);
      lab.ends('Failed');
      await lab.pass(3600 + 180);
    }

    expect(labs.map((lab) => lab.pool().paused)).toEqual([true, false]);
    expect(labs[0]?.record()?.holds).toMatchObject([{ phase: 'failed' }]);
  });

  test('a failed sync whose machine configuration was all applied lets go', async () => {
    const lab = await syncing();
    const [applied] = (lab.ends('Succeeded').operation ?? { results: [] }).results;
    const other = {
      group: 'apps',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
      status: 'SyncFailed',
      message: 'no',
      hookType: '',
    };
    lab.ends('Failed', { results: applied === undefined ? [] : [applied, other] });

    await lab.pass(60);

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-10] a terminated sync, which runs no hook, is found by reading the Application', async () => {
    const lab = await syncing();
    lab.ends('Failed', { message: 'Operation terminated' });

    await lab.pass(60);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed', why: expect.stringContaining('was terminated') }]);
  });

  test('[S0-11] a superseded sync keeps one pause: only the newest operation lets go', async () => {
    const lab = await syncing();
    await lab.deliver(lab.pushOf(commitC));
    lab.world.clock.advance(1);
    lab.ends('Succeeded', {}, 'nodes');
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitC] } });

    await lab.pass(60);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'expected', revision: commitC }]);

    lab.syncs(commitC);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(4);
    lab.ends('Succeeded');
    await lab.pass(60);
    await lab.pass(20);

    expect(lab.pool().paused).toBe(false);
    expect(lab.world.pools.patches.filter(({ change }) => change.paused === true)).toHaveLength(1);
  });

  test('[S0-11] an operation that waits for its retry is still held', async () => {
    const lab = await syncing();
    const running = lab.world.argocd.get('nodes').operation;
    if (running === undefined) throw new Error('the lab runs no operation');
    lab.world.argocd.change('nodes', { operation: { ...running, finishedAt: '2026-03-02T10:00:06Z', retryCount: 1 } });

    await lab.pass(600);

    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ phase: 'syncing' }] });
  });

  test('a deleted Application holds nothing any more', async () => {
    const lab = await syncing();
    lab.world.argocd.remove('nodes');

    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test('[N-4] a push that no sync follows is let go after expectSyncWithin', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));

    await lab.pass(14 * 60);

    expect(lab.pool().paused).toBe(true);

    await lab.pass(3 * 60);

    expect(lab.pool().paused).toBe(false);
  });

  test('a push that changed no manifest is let go as soon as the Application is Synced at its commit', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitB] } });

    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
  });

  test('a sync that never ends is never resumed on age alone', async () => {
    const lab = await syncing();

    await lab.pass(6 * 3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ phase: 'syncing' }]);
  });
});

describe('whose pause it is', () => {
  test('[S0-13] [N-3] with two Applications on one pool, it resumes only after both let go', async () => {
    const lab = keepLab();
    lab.world.argocd.put(
      anApplication({ name: 'tuning', uid: 'uid-tuning', sync: { status: 'Synced', revisions: [commitA] } }),
    );
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    lab.syncs(commitB, {}, 'tuning');
    lab.ends('Succeeded');

    await lab.pass(120);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds.map((hold) => hold.who)).toEqual(['openshift-gitops/tuning']);

    lab.ends('Succeeded', {}, 'tuning');
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-14] [N-3] a pool that somebody paused is marked, told as foreign, and never resumed', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'kubectl-patch', { paused: true });

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.record()).toMatchObject({ pause: 'foreign', holds: [{ id: nodesHold }] });
    expect(lab.world.bus.published).toContainEqual(
      expect.objectContaining({
        type: 'poolkeeper.pool.foreign.v1',
        data: { cluster: 'prod', pool: 'worker', by: 'kubectl-patch' },
      }),
    );

    lab.world.clock.advance(2);
    lab.syncs(commitB);
    lab.ends('Succeeded');
    await lab.pass(300);

    expect(lab.pool()).toMatchObject({ paused: true, pausedBy: { manager: 'kubectl-patch' } });
    expect(lab.record()?.holds).toEqual([]);
  });

  test('a foreign pause that is lifted while a sync runs leaves the pool paused by us', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'sriov-operator', { paused: true });
    lab.syncs(commitB);
    await lab.tick();
    lab.world.pools.change('worker', 'sriov-operator', { paused: false });

    await lab.tick();

    expect(lab.record()?.pause).toBe('ours');
    expect(lab.pool().paused).toBe(true);
  });

  test('[S0-15] a person who resumes a held pool wins, is named, and is not overruled', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    lab.world.pools.change('worker', 'kubectl-edit', { paused: false });

    await lab.pass(300);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()).toMatchObject({ pause: 'overridden', last: { did: 'overridden', by: 'kubectl-edit' } });
    expect(lab.world.bus.published.filter((event) => event.type === 'poolkeeper.pool.overridden.v1')).toHaveLength(1);
  });

  describe('[S0-25] a resume by a hook Job that was left in Git', () => {
    const job = {
      group: 'batch',
      kind: 'Job',
      namespace: 'openshift-gitops',
      name: 'mcp-worker-resumed',
      status: '',
      message: '',
      hookType: 'PostSync',
    };

    test('is not a decision: the pool is paused again, and the timeline names the Job', async () => {
      const lab = keepLab();
      lab.syncs(commitB, { results: [job] });
      await lab.tick();
      lab.world.clock.advance(5);
      lab.world.pools.change('worker', 'kubectl-patch', { paused: false });

      await lab.tick();

      expect(lab.pool()).toMatchObject({ paused: true, pausedBy: { manager: 'poolkeeper' } });
      expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ id: nodesHold, phase: 'syncing' }] });
      expect(lab.told()).not.toContain('pool.overridden');
      const why = lab.world.bus.published.flatMap(({ type, data }) => (type.includes('pool.paused') ? [data] : []));
      expect(JSON.stringify(why.at(-1))).toContain(
        'Job openshift-gitops/mcp-worker-resumed, a hook of openshift-gitops/nodes, resumed the pool during its sync: paused again',
      );
    });

    test('happens once: who resumes again is a person, and wins', async () => {
      const lab = keepLab();
      lab.syncs(commitB, { results: [job] });
      await lab.tick();
      for (let time = 0; time < 2; time += 1) {
        lab.world.clock.advance(5);
        lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
        await lab.tick();
      }

      expect(lab.pool().paused).toBe(false);
      expect(lab.record()).toMatchObject({ pause: 'overridden', last: { by: 'kubectl-patch' } });
    });

    test('[N-30] happens once to an Application, whatever Jobs its status names', async () => {
      const lab = keepLab();
      lab.world.argocd.put({ ...lab.world.argocd.get('nodes'), name: 'other', uid: 'other' });
      for (const name of ['nodes', 'other']) lab.syncs(commitB, { results: [job] }, name);
      await lab.tick();
      const isPaused: boolean[] = [];
      for (let time = 0; time < 3; time += 1) {
        lab.world.clock.advance(5);
        lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
        await lab.tick();
        isPaused.push(lab.pool().paused);
        const results = [{ ...job, name: `claimed-${time}` }];
        for (const name of ['nodes', 'other']) {
          const operation = { ...(lab.world.argocd.get(name).operation ?? anOperation()), results };
          lab.world.argocd.change(name, { operation });
        }
      }
      await lab.pass(300);

      expect(isPaused).toEqual([true, true, false]);
      expect(lab.pool().paused).toBe(false);
      expect(lab.record()).toMatchObject({ pause: 'overridden', last: { by: 'kubectl-patch' } });
    });

    test('[N-30] happens twice within an hour at most, whoever else begins to sync', async () => {
      const lab = keepLab();
      lab.syncs(commitB);
      await lab.tick();
      const isPaused: boolean[] = [];
      for (let time = 0; time < 4; time += 1) {
        lab.world.argocd.put(anApplication({ name: `claims-${time}`, uid: `claims-${time}` }));
        lab.syncs(commitB, { results: [job] }, `claims-${time}`);
        await lab.pass(310);
        lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
        await lab.tick();
        isPaused.push(lab.pool().paused);
        lab.ends('Succeeded', { results: [] }, `claims-${time}`);
        await lab.pass(65);
      }

      expect(isPaused).toEqual([true, true, false, false]);
    });

    test('[S0-9] [N-17] does not forget what waits for an approval', async () => {
      const policy = { onSyncFailure: 'resume-after-approval', failedAtMostSeconds: 600 } as const;
      const lab = keepLab({ policy });
      lab.world.pools.change('worker', 'machine-config-controller', {
        target: { name: 'rendered-worker-bbb', sources: [] },
      });
      lab.syncs(commitB);
      await lab.tick();
      lab.ends('Failed');
      await lab.pass(900);
      const waits = lab.record()?.release?.afterFailed;
      lab.world.argocd.put(anApplication({ name: 'other', uid: 'other', operation: undefined }));
      lab.syncs(commitB, { results: [job] }, 'other');
      await lab.pass(360);
      lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
      await lab.pass(60);
      lab.ends('Succeeded', { results: [] }, 'other');

      await lab.pass(300);

      expect(waits).toEqual([nodesHold]);
      expect(lab.record()?.release?.afterFailed).toEqual([nodesHold]);
      expect(lab.pool().paused).toBe(true);
    });

    test.each<readonly [string, string, Partial<typeof job>]>([
      ['another tool', 'Mozilla', {}],
      ['an operator', 'sriov-operator', {}],
      ['an editor', 'kubectl-edit', {}],
      ['a hook that only pauses', 'kubectl-patch', { hookType: 'PreSync' }],
      ['what is no Job', 'kubectl-patch', { group: '', kind: 'Pod' }],
      ['an applied Job', 'kubectl-patch', { hookType: '' }],
    ])('is not seen in %s', async (_, manager, change) => {
      const lab = keepLab();
      lab.syncs(commitB, { results: [{ ...job, ...change }] });
      await lab.tick();
      lab.world.clock.advance(5);
      lab.world.pools.change('worker', manager, { paused: false });

      await lab.tick();

      expect(lab.record()).toMatchObject({ pause: 'overridden', last: { by: manager } });
    });
  });

  test.each([
    ['is found while the sync runs', true],
    ['is found together with its end', false],
  ])(
    '[N-28] [N-29] a pause that Argo CD takes back by self-heal was neither early nor in time: that %s',
    async (_, isSeen) => {
      const lab = keepLab();
      await lab.deliver(lab.pushOf(commitB));
      lab.world.pools.observe('worker');
      await lab.tick();
      lab.world.clock.advance(2);
      lab.world.pools.change('worker', 'argocd-controller', { paused: false });
      lab.syncs(commitB);
      if (isSeen) await lab.tick();
      lab.world.clock.advance(30);
      lab.ends('Succeeded');

      await lab.pass(300);

      expect(lab.world.tables.races.all()).toMatchObject([{ verdict: undefined, endedAt: expect.any(String) }]);
      expect(lab.told()).not.toContain('race.decided');
    },
  );

  test('[S0-15] under policy enforce a held pool is paused again, and the reason names who had resumed it', async () => {
    const lab = keepLab({ policy: { onOverride: 'enforce' } });
    lab.syncs(commitB);
    await lab.tick();
    lab.world.pools.change('worker', 'kubectl-edit', { paused: false });

    await lab.tick();

    expect(lab.pool()).toMatchObject({ paused: true, pausedBy: { manager: 'poolkeeper' } });
    expect(lab.record()?.last?.why).toMatch(/^kubectl-edit resumed the pool: paused again; /);
    expect(lab.told()).not.toContain('pool.overridden');
  });

  test('a pool that another took over while we held it is left paused', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    lab.world.pools.change('worker', 'kubectl-edit', { paused: false });
    lab.world.pools.change('worker', 'kubectl-edit', { paused: true });
    lab.ends('Succeeded');

    await lab.pass(300);

    expect(lab.pool()).toMatchObject({ paused: true, pausedBy: { manager: 'kubectl-edit' } });
  });

  test('a record that cannot be read is left alone', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'someone', {
      record: { kind: 'unreadable', why: 'annotation poolkeeper.dev/holds: v: expected 1' },
    });

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.world.pools.patches).toEqual([]);
  });
});

describe('when things go wrong', () => {
  test('[S0-16] [N-2] with every webhook lost, polling alone pauses under a sync and resumes after it', async () => {
    const lab = keepLab();
    await lab.tick();
    lab.syncs(commitB);

    await lab.pass(6 * 60);

    expect(lab.pool().paused).toBe(true);

    lab.ends('Succeeded');
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
  });

  test('an unreachable cluster changes no hold, and resuming waits for sight of the Application', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    const before = lab.record();
    const heal = lab.world.faults.failAll(['pools.list', 'argocd.read', 'argocd.list']);

    await lab.pass(7 * 3600);

    expect(lab.record()).toEqual(before);

    heal();
    lab.ends('Succeeded');
    await lab.pass(180);

    expect(lab.pool().paused).toBe(false);
  });

  test('an Argo CD that cannot be read keeps its holds, also past their end', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.faults.failAll(['argocd.read', 'argocd.list']);

    await lab.pass(3600);

    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ phase: 'expected' }] });
  });

  test('a push while the cluster cannot be seen is brought again by the queue', async () => {
    const lab = keepLab();
    lab.world.faults.failNth('pools.list', 1);

    await expect(lab.deliver(lab.pushOf(commitB))).rejects.toThrow('made to fail');
    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(true);
  });

  test('whoever loses a resourceVersion race reads again and decides again', async () => {
    const lab = keepLab();
    lab.world.faults.meanwhile('pools.patch', 1, () =>
      lab.world.pools.change('worker', 'machine-config-controller', { maxUnavailable: '2' }),
    );

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool()).toMatchObject({ paused: true, maxUnavailable: '2' });
  });

  test('Applications of a hint are read after the pools: what another pass wrote meanwhile is a conflict', async () => {
    const lab = keepLab();
    lab.syncs(commitB);

    await lab.deliver(lab.operationOf('Running'));

    const reads = lab.world.faults.calls
      .map((call) => call.op)
      .filter((op) => ['pools.list', 'argocd.read'].includes(op));
    expect(reads.at(-1)).toBe('argocd.read');
  });

  test('a race lost to a person who paused first ends as a foreign pause', async () => {
    const lab = keepLab();
    lab.world.faults.meanwhile('pools.patch', 1, () =>
      lab.world.pools.change('worker', 'kubectl-patch', { paused: true }),
    );

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.record()?.pause).toBe('foreign');
  });
});

describe('a person wins, also where the API server does not see them', () => {
  test('[S0-14] a pool that a person keeps paused while we hold it does not resume with our hold, until they say so', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.change('worker', 'kubectl-annotate', {
      annotations: { 'poolkeeper.dev/keep-paused': 'disk swap' },
    });
    lab.ends('Succeeded');
    await lab.pass(120);
    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toEqual([]);

    lab.world.pools.change('worker', 'kubectl-annotate', { annotations: {} });
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-14] [N-30] a pause under our name that we know nothing of is not ours to end, and is told', async () => {
    const lab = keepLab({ policy: { pausedAtMostSeconds: 1200 } });
    await lab.pass(60);
    lab.world.pools.change('worker', 'poolkeeper', { paused: true });

    await lab.pass(1800);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()).toBeUndefined();
    expect(await lab.world.tables.incidents.list()).toMatchObject([
      {
        key: { pool: 'worker', kind: 'paused-too-long' },
        trouble: { headline: 'paused too long, by somebody who uses our name' },
      },
    ]);
  });
});

describe('the race against the MCO', () => {
  test('[N-28] a pause confirmed before the change was applied is early', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commitB);
    lab.world.clock.advance(3);
    lab.world.pools.putMachineConfig({ name: '99-worker-ssh', labels: {}, changedAt: '2026-03-02T10:00:06Z' });
    lab.ends('Succeeded');

    await lab.pass(60);

    expect(lab.world.tables.races.all()).toMatchObject([
      { verdict: 'early', appliedAt: '2026-03-02T10:00:06Z', missedNodes: [] },
    ]);
  });

  const rendered = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', hookType: '' };
  const ssh = { ...rendered, name: '99-worker-ssh', status: 'Synced', message: 'configured' };

  test.each([
    ['a KubeletConfig', { ...ssh, kind: 'KubeletConfig' }, 'in time'],
    [
      'a KubeletConfig that stays as it is',
      { ...ssh, kind: 'KubeletConfig', message: 'kubeletconfig unchanged' },
      'early',
    ],
    ['a deleted MachineConfig', { ...ssh, status: 'Pruned', message: 'pruned' }, 'in time'],
  ])(
    '[N-28] [N-29] a pause is called early only where the change is known to be later: %s',
    async (_, one, verdict) => {
      const lab = keepLab();
      lab.syncs(commitB);
      lab.world.clock.advance(8);
      await lab.deliver(lab.operationOf('Running'));
      lab.world.pools.observe('worker');
      await lab.pass(5);
      lab.ends('Succeeded', { results: [one] });

      await lab.pass(60);

      expect(lab.world.tables.races.all()).toMatchObject([{ verdict, appliedAt: undefined }]);
    },
  );

  test('[N-28] [N-29] it is early, too, where it was confirmed before the sync began', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commitB);
    lab.ends('Succeeded', { results: [{ ...ssh, kind: 'KubeletConfig' }] });

    await lab.pass(60);

    expect(lab.world.tables.races.all()).toMatchObject([{ verdict: 'early', appliedAt: undefined }]);
  });

  test('[N-28] [N-29] of several MachineConfigs the first counts', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    lab.world.clock.advance(3);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.observe('worker');
    await lab.pass(5);
    for (const [name, second] of [
      ['99-worker-ssh', '01'],
      ['99-worker-two', '30'],
    ] as const)
      lab.world.pools.putMachineConfig({ name, labels: {}, changedAt: `2026-03-02T10:00:${second}Z` });
    lab.world.clock.advance(30);
    lab.ends('Succeeded', { results: [{ ...ssh, name: '99-worker-two' }, ssh] });

    await lab.pass(60);

    expect(lab.world.tables.races.all()).toMatchObject([{ verdict: 'in time', appliedAt: '2026-03-02T10:00:01Z' }]);
  });

  test('[N-28] a sync that self-heal begins once more is the same one: what the first applied counts', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.putMachineConfig({ name: '99-worker-ssh', labels: {}, changedAt: '2026-03-02T10:00:00Z' });
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.observe('worker');
    await lab.pass(5);
    lab.ends('Succeeded');

    await lab.pass(60);

    expect(lab.world.tables.races.all()).toMatchObject([{ verdict: 'in time', appliedAt: '2026-03-02T10:00:00Z' }]);
  });

  test('[N-29] [N-28] until its own sync begins, the time of the sync before is not taken for its apply', async () => {
    const lab = keepLab();
    lab.world.pools.putMachineConfig({ name: '99-worker-ssh', labels: {}, changedAt: '2026-03-02T08:20:00Z' });
    lab.syncs(commitA);
    lab.ends('Succeeded');
    lab.world.clock.advance(30);
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');

    await lab.pass(4);

    expect(lab.world.tables.races.all()).toMatchObject([{ appliedAt: undefined, operation: undefined }]);
  });

  test('[N-29] a push that no sync followed has no verdict, and nobody is told of one', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');

    await lab.pass(defaultPolicy.expectSyncWithinSeconds + 60);

    expect(lab.pool().paused).toBe(false);
    expect(lab.world.tables.races.all()).toMatchObject([{ verdict: undefined, endedAt: expect.any(String) }]);
    expect(lab.told()).not.toContain('race.decided');
  });

  test('[S0-6] whenRolling refuse: a push pauses nothing in the middle of a rollout, and says why', async () => {
    const lab = keepLab({ policy: { whenRolling: 'refuse' } });
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-bbb', sources: [] },
    });

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(false);
    expect(lab.world.bus.published).toContainEqual(
      expect.objectContaining({
        type: 'poolkeeper.decision.nothing.v1',
        data: expect.objectContaining({ why: expect.stringContaining('policy whenRolling is refuse') }),
      }),
    );
  });

  test.each([
    ['stopped, as the MCO takes no further node', undefined, true],
    ['going on, as it takes another one', '2', false],
  ])(
    '[S0-6] [N-30] whenRolling refuse, and a node has failed: the rollout is %s',
    async (_, maxUnavailable, paused) => {
      const lab = keepLab({ policy: { whenRolling: 'refuse' } });
      lab.world.pools.change('worker', 'machine-config-controller', {
        target: { name: 'rendered-worker-bad', sources: [] },
        counts: { machines: 3, updated: 0, ready: 0, unavailable: 0, degraded: 1 },
        maxUnavailable,
      });

      await lab.deliver(lab.pushOf(commitB));

      expect(lab.pool().paused).toBe(paused);
    },
  );

  test('[N-28] a pause confirmed after the apply that missed no node is in time', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.putMachineConfig({ name: '99-worker-ssh', labels: {}, changedAt: '2026-03-02T10:00:00Z' });
    lab.world.clock.advance(1);
    lab.world.pools.observe('worker');
    await lab.pass(5);
    lab.ends('Succeeded');

    await lab.pass(60);

    expect(lab.world.tables.races.all()).toMatchObject([{ verdict: 'in time', missedNodes: [] }]);
  });

  test('[N-28] [S0-5] nodes that were targeted before the confirmation make it late, and are named', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.changeNode('worker-2', {
      desiredConfig: 'rendered-worker-bbb',
      state: 'Working',
      targetedAt: '2026-03-02T10:00:01Z',
    });
    lab.world.pools.observe('worker');
    await lab.pass(5);
    lab.ends('Succeeded');

    await lab.pass(60);

    expect(lab.world.tables.races.all()).toMatchObject([
      { verdict: 'late', missedNodes: ['worker-2'], firstTargetedAt: '2026-03-02T10:00:01Z' },
    ]);
    expect(lab.world.bus.published).toContainEqual(
      expect.objectContaining({
        type: 'poolkeeper.race.decided.v1',
        data: expect.objectContaining({ verdict: 'late' }),
      }),
    );
  });

  test('[S0-5] a pause counts as confirmed only when the MCO has observed it, however often it is looked at', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));

    await lab.pass(30);

    expect(lab.world.tables.races.all()).toMatchObject([{ confirmedAt: undefined }]);

    lab.world.pools.observe('worker');
    await lab.pass(2);

    expect(lab.world.tables.races.all()[0]?.confirmedAt).toBeDefined();
    expect(lab.told()).toContain('pool.confirmed');
  });

  test('[N-28] a small sync that ends before the MCO observed its pause is judged by what is seen once it has', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(1);
    lab.syncs(commitB);
    lab.world.pools.putMachineConfig({ name: '99-worker-ssh', labels: {}, changedAt: '2026-03-02T10:00:01Z' });
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    lab.world.clock.advance(3);
    lab.world.pools.observe('worker');

    await lab.pass(60);

    expect(lab.world.tables.races.all()).toMatchObject([{ verdict: 'in time', missedNodes: [] }]);
    expect(lab.told()).toContain('pool.confirmed');
  });

  test('[S0-5] a pause that the MCO never observes is told as unprotected within a minute, also while the sync runs', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));

    await lab.pass(130);

    expect(lab.world.tables.races.all()).toMatchObject([{ verdict: 'unprotected', confirmedAt: undefined }]);
    expect(lab.pool().paused).toBe(true);
  });
});
