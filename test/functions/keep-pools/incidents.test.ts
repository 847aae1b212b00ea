import { describe, expect, test } from 'vitest';
import { attend, isAttended } from '../../../functions/core/alerts/attention.ts';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { keyText } from '../../../functions/core/findings/trouble.ts';
import { leftPauses } from '../../../functions/core/judge/left-pauses.ts';
import { keepPausedAnnotation } from '../../../functions/core/openshift/kept-paused.ts';
import type { Node } from '../../../functions/core/openshift/node.ts';
import type { PoolView } from '../../../functions/core/timeline/view.ts';
import { cutsOfPools } from '../../../functions/core/timeline/view-cuts.ts';
import { waitsOf } from '../../../functions/core/timeline/waits-of.ts';
import { emptyCheckpoint } from '../../../functions/keep-pools/observe/observe.ts';
import { aCondition, aNode, anIncident, aView, type Crashed } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

function firing(lab: KeepLab) {
  return lab.world.tables.incidents.all().filter((incident) => incident.state === 'firing');
}

describe('incidents of the keeper itself', () => {
  test('[S0-9] a failed sync opens an incident that names what failed, and a pool held by it has one open at all times', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commitB);
    const failed = {
      group: 'machineconfiguration.openshift.io',
      kind: 'MachineConfig',
      namespace: '',
      name: '99-worker-ssh',
    };
    lab.ends('Failed', {
      results: [{ ...failed, status: 'SyncFailed', message: 'spec.config: invalid', hookType: '' }],
    });

    await lab.pass(300);

    expect(lab.troubles()).toEqual(['run-failed']);
    expect(JSON.stringify(firing(lab)[0]?.trouble)).toContain('99-worker-ssh');
    expect(lab.world.alerts.sent.map(({ event }) => event.data.kind)).toContain('run-failed');
    for (let hour = 0; hour < 6; hour += 1) {
      await lab.pass(3600);
      expect(lab.pool().paused).toBe(true);
      expect(lab.troubles()).toContain('run-failed');
    }
  });

  test('a fault of ours in explaining a trouble keeps nobody from hearing of it, and ends no pass', async () => {
    const lab = keepLab();
    lab.world.faults.failAll(['reader.read'], new TypeError('x is undefined'));
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-bbb', sources: [] },
      counts: { machines: 3, updated: 0, ready: 2, unavailable: 1, degraded: 1 },
      conditions: [aCondition({ type: 'RenderDegraded', status: 'True', message: 'spec.config: invalid' })],
    });
    lab.world.pools.changeNode('worker-1', {
      desiredConfig: 'rendered-worker-bbb',
      state: 'Degraded',
      reason: 'disk is full',
    });

    await lab.pass(600);

    expect(lab.troubles()).toEqual(expect.arrayContaining(['render-failed', 'node-degraded']));
    const memory = await lab.world.tables.checkpoints.load('prod');
    expect(memory?.sweptAt).toBeDefined();
  });

  test('[S1-13] [N-29] what is read again is told at once, also where the API server was away so often that its incident stays open', async () => {
    const lab = keepLab();
    const { clock, faults, pools } = lab.world;
    const minutes = async (count: number) => {
      for (let minute = 0; minute < count; minute += 1) {
        clock.advance(60);
        await lab.tick();
      }
    };
    for (let outage = 0; outage < 3; outage += 1) {
      await minutes(12);
      const seeAgain = faults.failAll(['pools.list']);
      await minutes(4);
      seeAgain();
    }
    await minutes(1);
    const { counts } = lab.pool();
    pools.changeNode('worker-2', { state: 'Degraded', reason: 'disk is full' });
    pools.change('worker', 'machine-config-controller', {
      conditions: [
        aCondition({ type: 'NodeDegraded', status: 'True', message: 'Node worker-2 is reporting: "disk is full"' }),
        aCondition({ type: 'Degraded', status: 'True' }),
      ],
      counts: { ...counts, updated: 2, unavailable: 1, degraded: 1 },
    });

    await minutes(5);

    const incidents = lab.world.tables.incidents.all();
    expect(incidents).toContainEqual(
      expect.objectContaining({ key: expect.objectContaining({ kind: 'watcher-blind' }), state: 'resolving' }),
    );
    expect(lab.troubles()).toEqual(['node-degraded']);
    expect(JSON.stringify(incidents)).not.toContain('"the cluster cannot be read"');
  });

  describe('where the control plane is a single node, which takes the API server along when it reboots', () => {
    const single = { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/master': '' };
    const target = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };

    async function labInUpdate(change: Partial<Node>, isPending = true): Promise<KeepLab> {
      const lab = keepLab();
      lab.world.pools.changeNode('worker-1', { labels: single, isNeverDrained: true, ...change });
      if (isPending) lab.world.pools.change('worker', 'machine-config-controller', { target });
      await lab.pass(60);
      return lab;
    }

    test('[N-24] [N-30] its update is no outage for as long as a reboot may take', async () => {
      const lab = await labInUpdate({ desiredConfig: 'rendered-worker-bbb', state: 'Working' });
      const heal = lab.world.faults.failAll(['pools.list']);

      await lab.pass(60 * 13);
      const during = lab.troubles();
      await lab.pass(60 * 5);
      const late = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'watcher-blind')?.trouble;
      heal();
      await lab.pass(60 * 2);

      expect(during).toEqual([]);
      expect(late).toMatchObject({ severity: 'high', findings: [{ code: 'B1' }] });
      expect(late?.findings[0]?.sentence).toContain('worker-1, the only node of its control plane, was being updated');
      expect(late?.findings[0]?.remedies[0]?.title).toContain('console of worker-1');
      expect(lab.troubles()).not.toContain('watcher-blind');
    });

    test('[N-24] so it is before the node was seen to begin', async () => {
      const lab = await labInUpdate({});
      lab.world.faults.failAll(['pools.list']);

      await lab.pass(60 * 10);

      expect(lab.troubles()).toEqual([]);
    });

    test.each([
      ['nothing is being updated', {}, false],
      ['the node is no single one', { isNeverDrained: undefined, desiredConfig: target.name }, true],
      ['it is a worker of such a cluster', { labels: { 'node-role.kubernetes.io/worker': '' } }, true],
    ])('[N-24] [decoy] where %s, it is told as anywhere', async (_, change, isPending) => {
      const lab = await labInUpdate(change, isPending);
      lab.world.faults.failAll(['pools.list']);

      await lab.pass(60 * 6);

      expect(lab.troubles()).toContain('watcher-blind');
    });
  });

  test('an unreachable cluster opens an incident after three missed ticks, and only a good read ends it', async () => {
    const lab = keepLab();
    await lab.tick();
    const heal = lab.world.faults.failAll(['pools.list']);

    await lab.pass(120);
    expect(lab.troubles()).toEqual([]);

    await lab.pass(60 * 6);
    expect(lab.troubles()).toEqual(['watcher-blind']);

    heal();
    await lab.pass(60 * 10);
    expect(lab.troubles()).toEqual([]);
  });

  test('[N-29] a cluster out of sight keeps what was seen of its guards, and how many pools had no room', async () => {
    const lab = keepLab();
    await lab.tick();
    const guards = [{ about: 'openshift-gitops/nodes', why: 'pool worker is not paused', pools: ['worker'] }];
    const views = async () => (await lab.ports.views.list()).filter(({ cluster }) => cluster === 'prod');
    const poolsLeftOut = { all: 3, paused: 1, degraded: 0 };
    for (const view of await views()) await lab.ports.views.save({ ...view, guards, poolsLeftOut });
    lab.world.faults.failAll(['pools.list']);

    await lab.pass(120);

    expect(await views()).toMatchObject([{ blind: { misses: expect.any(Number) }, guards, poolsLeftOut }]);
  });

  test('[N-30] a cluster out of sight costs a read of its own view, not of those of the whole fleet', async () => {
    const lab = keepLab();
    await lab.tick();
    lab.world.faults.failAll(['pools.list', 'views.list']);

    await lab.tick();

    expect(await lab.ports.views.load('prod')).toMatchObject({
      blind: { misses: 1 },
      pools: [{ name: 'worker' }],
    });
  });

  test('a burst of hints in one bad second is no lasting blindness', async () => {
    const lab = keepLab();
    lab.world.faults.failAll(['pools.list']);

    for (let hint = 0; hint < 20; hint += 1) await lab.deliver(lab.pushOf(commitB)).catch(() => undefined);

    expect((await lab.ports.checkpoints.load('prod'))?.misses).toBe(0);
  });

  test('a sync that runs longer than syncAtMost is called stuck and stays held', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    lab.world.pools.observe('worker');

    await lab.pass(3600 + 600);

    expect(lab.troubles()).toEqual(['sync-stuck']);
    expect(lab.pool().paused).toBe(true);

    lab.ends('Succeeded');
    await lab.pass(15 * 60);

    expect(lab.world.tables.incidents.all()).toMatchObject([
      { state: 'ok', endedBy: 'Argo CD synced openshift-gitops/nodes to bbbbbbbb at 11:10 UTC.' },
    ]);
  });

  test('a pause longer than pausedAtMost is told, whatever holds it', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    lab.world.pools.observe('worker');

    await lab.pass(4 * 3600 + 600);

    expect(lab.troubles().toSorted()).toEqual(['paused-too-long', 'sync-stuck']);
  });

  test('[N-28] a pause that came too late is told with the nodes it missed', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.changeNode('worker-2', {
      desiredConfig: 'rendered-worker-bbb',
      state: 'Working',
      targetedAt: '2026-03-02T10:00:01Z',
    });
    lab.world.pools.observe('worker');

    await lab.pass(300);

    expect(lab.troubles()).toContain('late-pause');
    expect(JSON.stringify(firing(lab)[0]?.trouble)).toContain('worker-2');

    lab.ends('Succeeded');
    lab.world.pools.changeNode('worker-2', { currentConfig: 'rendered-worker-bbb', state: 'Done' });
    await lab.pass(15 * 60);

    expect(lab.world.tables.incidents.all().find(({ key }) => key.kind === 'late-pause')).toMatchObject({
      state: 'ok',
      endedBy: 'Pool worker is no longer held for openshift-gitops/nodes.',
    });
  });

  test('[N-28] [N-29] a pause that is confirmed after all is not told as never confirmed, nor a sync that has ended as running', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    const told = () => firing(lab).find(({ key }) => key.kind === 'late-pause')?.trouble;

    await lab.pass(300);
    expect(told()).toMatchObject({
      severity: 'high',
      headline: 'the pause is not confirmed, the sync runs unprotected',
    });
    expect(told()?.findings[0]?.sentence).toContain('is not yet: nodes may be targeted while the sync runs');

    lab.ends('Failed');
    await lab.pass(120);
    expect(told()?.headline).toBe('the pause is not confirmed');
    expect(told()?.findings[0]?.sentence).toContain('nodes may be targeted in spite of it');

    lab.world.pools.observe('worker');
    await lab.pass(120);
    expect(told()).toMatchObject({ severity: 'warning', headline: 'the pause was confirmed too late' });
    expect(told()?.findings[0]?.sentence).toMatch(/was not confirmed in time, but at .*: no node was found/);
  });

  test('[N-28] [N-29] is told of the pause that the pool has now, after a resume in between', async () => {
    const lab = keepLab({ policy: { onOverride: 'enforce' } });
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    const told = () => firing(lab).find(({ key }) => key.kind === 'late-pause')?.trouble;
    const pauseAnew = async () => {
      lab.world.pools.change('worker', 'kubectl-edit', { paused: false });
      await lab.pass(120);
      expect(lab.pool().paused).toBe(true);
    };
    await lab.pass(300);

    await pauseAnew();
    lab.world.pools.observe('worker');
    await lab.pass(120);
    expect(told()).toMatchObject({ severity: 'warning', headline: 'the pause was confirmed too late' });
    expect(told()?.findings[0]?.sentence).toMatch(/but the one that followed, at .*: nodes may have been targeted/);

    await pauseAnew();
    await lab.pass(120);
    expect(told()).toMatchObject({
      severity: 'high',
      headline: 'the pause is not confirmed, the sync runs unprotected',
    });
    expect(told()?.findings[0]?.sentence).toContain('and the one that followed is not yet');
  });

  test('[S1-4] [N-29] a node that gets no further is told beside a render that fails meanwhile', async () => {
    const lab = keepLab();
    lab.world.pools.changeNode('worker-1', { state: 'Working', desiredConfig: 'rendered-worker-bbb' });
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] },
      counts: { ...lab.pool().counts, updated: 0 },
      conditions: [aCondition({ type: 'RenderDegraded', status: 'True', since: lab.world.clock.now().toISOString() })],
    });

    await lab.pass(2 * 3600);

    expect(firing(lab).map(({ key, trouble }) => [key.kind, trouble?.headline])).toEqual(
      expect.arrayContaining([
        ['render-failed', 'cannot be rendered'],
        ['no-progress', expect.stringContaining('worker-1')],
      ]),
    );
  });

  test('[S1-2] a degraded pool is told with its node once it has lasted, and its end when it is over', async () => {
    const lab = keepLab();
    await lab.tick();
    const reason =
      'unexpected on-disk state validating against rendered-worker-aaa: content mismatch for file "/etc/chrony.conf"';
    lab.world.pools.changeNode('worker-2', { state: 'Degraded', reason });
    const conditions = [
      aCondition({
        type: 'NodeDegraded',
        status: 'True',
        reason: '1 nodes are reporting degraded status on sync',
        message: `Node worker-2 is reporting: ${JSON.stringify(reason)}`,
      }),
      aCondition({ type: 'Degraded', status: 'True' }),
    ];
    const healthy = lab.pool();
    lab.world.pools.change('worker', 'machine-config-controller', {
      conditions,
      counts: { ...healthy.counts, updated: 2, unavailable: 1, degraded: 1 },
    });

    await lab.pass(300);

    const [incident] = firing(lab);
    expect(incident?.key.kind).toBe('node-degraded');
    expect(incident?.trouble?.headline).toContain('worker-2');

    lab.world.pools.changeNode('worker-2', { state: 'Done', reason: '' });
    lab.world.pools.change('worker', 'machine-config-controller', {
      conditions: healthy.conditions,
      counts: healthy.counts,
    });
    await lab.pass(900);

    expect(firing(lab)).toEqual([]);
    expect(lab.told().filter((type) => type === 'incident.opened')).toHaveLength(1);
    expect(lab.told().filter((type) => type === 'incident.resolved')).toHaveLength(1);
  });

  test('what is told of an incident survives a crash between its save and its telling', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    lab.world.pools.observe('worker');
    await lab.pass(120);
    const opened = () => lab.told().filter((type) => type === 'incident.opened');
    let crashes = 0;
    while (opened().length === 0 && crashes < 60) {
      const effect = lab.world.faults.effects();
      const isSave = lab.world.faults.on((call) =>
        call.op === 'incidents.save' && crashes < 1 ? { kind: 'crash', when: 'after' } : undefined,
      );
      lab.world.clock.advance(60);
      await lab.tick().catch((_dead: Crashed) => {
        crashes += 1;
        lab.world.faults.restart();
      });
      isSave();
      expect(effect).toBeGreaterThan(0);
    }

    expect(crashes).toBe(1);
    expect(opened()).toHaveLength(1);
    expect(firing(lab).map((incident) => keyText(incident.key))).toEqual(['v1|prod|worker|sync-stuck']);
  });
});

describe('break-glass of the admission level', () => {
  const machineConfigs = '/apis/machineconfiguration.openshift.io/v1/machineconfigs';
  const annotated = { name: '99-gpu', annotations: { 'poolkeeper.dev/break-glass': 'CVE of tonight' } };

  test('[N-27] is found by the sweep, told once, and over when the annotation is gone', async () => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'admission' } } });
    lab.world.reader.put(machineConfigs, { items: [{ metadata: annotated }] });

    await lab.pass(12 * 60);
    const during = lab.troubles();
    const asked = lab.world.reader.asked.filter(({ path }) => path === machineConfigs).length;
    lab.world.reader.put(machineConfigs, { items: [{ metadata: { name: '99-gpu' } }] });
    await lab.pass(15 * 60);

    expect(during).toEqual(['break-glass']);
    expect(asked).toBeLessThan(5);
    expect(lab.troubles()).toEqual([]);
    const texts = lab.world.tables.timeline.all().map(({ text }) => text);
    expect(texts.filter((text) => text.includes('break-glass on MachineConfig 99-gpu')).length).toBeGreaterThan(0);
  });

  test('is not asked for where no pool has that level', async () => {
    const lab = keepLab();

    await lab.pass(6 * 60);

    expect(lab.world.reader.asked.map(({ path }) => path)).not.toContain(machineConfigs);
  });
});

describe('a node that no pool selects (S8)', () => {
  const listsOfNodes = (lab: KeepLab) => lab.world.faults.calls.filter(({ op }) => op === 'pools.nodes').length;

  test('[S3-3] is found by the sweep, told once, and over when it is in a pool again; no tick between sweeps lists nodes', async () => {
    const lab = keepLab();
    lab.world.pools.putNode(aNode({ name: 'worker-9', labels: { 'kubernetes.io/os': 'linux' } }));

    await lab.pass(12 * 60);
    const during = lab.troubles();
    const lists = listsOfNodes(lab);
    lab.world.pools.putNode(aNode({ name: 'worker-9' }));
    await lab.pass(10 * 60);

    expect(during).toEqual(['no-progress']);
    expect(lists).toBeGreaterThan(0);
    expect(lists).toBeLessThan(5);
    expect(lab.troubles()).toEqual([]);
  });
});

describe('incidents of a cluster that was taken out of the configuration', () => {
  async function withOneOf(cluster: string, state: 'firing' | 'ok' = 'firing'): Promise<KeepLab> {
    const lab = keepLab();
    const { trouble } = anIncident();
    if (trouble === undefined) throw new Error('the sample has no trouble');
    const key = { ...trouble.key, cluster };
    await lab.world.tables.incidents.save(
      anIncident({ key, version: 0, state, number: 7, trouble: { ...trouble, key } }),
    );
    return lab;
  }
  const incidentOf = (lab: KeepLab, cluster: string) =>
    lab.world.tables.incidents.all().find(({ key }) => key.cluster === cluster);

  test('[S1-13] [N-18] end with the next sweep, and say what is known: nothing', async () => {
    const lab = await withOneOf('old');

    await lab.pass(600);

    expect(incidentOf(lab, 'old')).toMatchObject({
      state: 'ok',
      outcome: 'subject-removed',
      endedBy: expect.stringContaining('no longer in poolkeeper.yaml'),
    });
    expect(lab.world.alerts.sent.map(({ event }) => event.data)).toContainEqual(
      expect.objectContaining({ cluster: 'old' }),
    );
    expect(lab.told().filter((type) => type === 'incident.resolved')).toHaveLength(1);
  });

  test.each(['alerts.send', 'bus.publish', 'incidents.save'] as const)(
    '[N-18] end once, and everybody hears of it, also where the first sweep fails at %s',
    async (op) => {
      const lab = await withOneOf('old');
      const recover = lab.world.faults.failAll([op]);
      await lab.pass(60).catch(() => undefined);
      recover();
      lab.world.clock.advance(1);

      await lab.pass(900);

      expect(incidentOf(lab, 'old')?.state).toBe('ok');
      expect(lab.world.alerts.sent.map(({ event }) => event.data)).toContainEqual(
        expect.objectContaining({ cluster: 'old' }),
      );
      const ids = lab.world.bus.published.filter(({ type }) => type.includes('resolved')).map(({ id }) => id);
      expect(new Set(ids).size).toBe(1);
    },
  );

  /** Cluster `old`, as it was seen while its pool was held. */
  async function leftPaused(change: Partial<PoolView> = {}, daysAgo = 1): Promise<KeepLab> {
    const lab = keepLab();
    lab.world.pools.change('worker', 'mco', { createdAt: '2026-01-05T08:00:00Z' });
    await lab.deliver(lab.pushOf(commitB));
    const view = await lab.ports.views.load('prod');
    if (view === undefined) throw new Error('the lab saves no view');
    const pools = view.pools.map((pool) => ({ ...pool, createdAt: '2025-07-01T08:00:00Z', ...change }));
    const readAt = new Date(lab.world.clock.now().getTime() - daysAgo * 86_400_000).toISOString();
    await lab.ports.views.save({ ...view, cluster: 'old', readAt, pools });
    return lab;
  }

  test('[S0-20] [N-30] a pool of it that Poolkeeper left paused is told for a week, with what resumes it', async () => {
    const lab = await leftPaused({}, 6.95);

    await lab.pass(600);
    const told = incidentOf(lab, 'old');
    await lab.pass(2 * 3600);

    expect(told).toMatchObject({ state: 'firing', key: { pool: 'worker', kind: 'paused-too-long' } });
    expect(told?.trouble?.headline).toBe('was paused when its cluster was taken out of poolkeeper.yaml');
    expect(told?.trouble?.findings[0]?.remedies.map(({ command }) => command)).toEqual([
      "oc get machineconfigpool worker -o 'jsonpath={.spec.paused}'",
      undefined,
      expect.stringMatching(/^oc patch machineconfigpool worker .*"poolkeeper.dev\/holds":null.*"paused":false/),
    ]);
    expect(incidentOf(lab, 'old')).toMatchObject({ state: 'ok', outcome: 'subject-removed' });
  });

  test('[S0-20] [N-29] none is told of one that a cluster under another name has, and that cannot be parsed there', async () => {
    const lab = await leftPaused();
    lab.world.pools.spoil('worker');

    await lab.pass(600);

    expect(incidentOf(lab, 'old')).toBeUndefined();
  });

  test('[S0-20] [N-21] one that a person has frozen is left to them, and nothing is printed that resumes it', async () => {
    const frozen = { id: 'freeze/pool/ann', kind: 'freeze', who: 'ann', why: 'trading', phase: '' } as const;
    const since = '2026-03-01T09:00:00.000Z';
    const remediesOf = async (until: string) => {
      const lab = await leftPaused({ holds: [{ ...frozen, since, until }] });
      await lab.pass(600);
      return incidentOf(lab, 'old')?.trouble?.findings[0]?.remedies.at(-1);
    };

    expect(await remediesOf('2026-03-09T00:00:00.000Z')).toMatchObject({
      title: 'Leave it paused until then, or ask first: ann has frozen it until 2026-03-09T00:00:00.000Z',
      command: undefined,
    });
    expect(await remediesOf('2026-03-02T09:00:00.000Z')).toMatchObject({
      title: expect.stringContaining('who held it is not on record any more, also once it is paused again'),
      command: expect.stringContaining('"paused":false'),
      risk: 'outage',
    });
  });

  test('[S0-20] [N-21] one that a person keeps paused by annotation is left to that person', async () => {
    const why = 'a person keeps it paused with annotation poolkeeper.dev/keep-paused: firmware';
    const gate = { gate: 'keep-paused', why, value: 'set', threshold: 'none', since: '2026-03-01T09:00:00.000Z' };
    const lab = await leftPaused({ gatesAhead: [{ ...gate, opens: 'removing it', who: 'anna' }] });

    await lab.pass(600);

    expect(incidentOf(lab, 'old')?.trouble?.findings[0]?.remedies.at(-1)).toMatchObject({
      title: `Leave it paused, or ask first: ${why}`,
      command: undefined,
    });
  });

  test('[S0-20] [N-21] also where the last view of it is in short, as of a crowded cluster', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'mco', { annotations: { [keepPausedAnnotation]: 'anna: firmware' } });
    await lab.deliver(lab.pushOf(commitB));
    const view = await lab.ports.views.load('prod');
    if (view === undefined) throw new Error('the lab saves no view');

    for (const cut of cutsOfPools()) {
      const [left] = leftPauses(cut(view), [], lab.world.clock.now());
      expect(left?.findings[0]?.remedies.at(-1)).toMatchObject({
        title: expect.stringContaining('Leave it paused, or ask first: a person keeps it paused with annotation'),
        command: undefined,
      });
    }
  });

  test('[N-16] [S0-20] [N-29] of a pool that somebody else has paused the annotation is told, and no command resumes it', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'kubectl-edit', {
      paused: true,
      annotations: { [keepPausedAnnotation]: 'anna: firmware' },
    });

    await lab.pass(60);

    const view = await lab.ports.views.load('prod');
    const waits = view?.pools.filter(({ name }) => name === 'worker').map((pool) => waitsOf(pool));
    expect(waits).toMatchObject([
      { now: [{ kind: 'pause', why: expect.stringContaining('keep-paused: anna: firmware') }] },
    ]);
    expect(JSON.stringify(waits)).not.toContain('oc patch');
  });

  test('[N-18] [N-30] end within hours also while the first cluster of the configuration is out of sight', async () => {
    const lab = await withOneOf('old');
    const { clusters } = lab.ports.configuration;
    const first = clusters.map((each) => ({ ...each, name: 'away' }));
    Object.assign(lab.ports, { configuration: { ...lab.ports.configuration, clusters: [...first, ...clusters] } });

    await lab.pass(2 * 3600);

    expect(incidentOf(lab, 'old')?.state).toBe('ok');
  });

  test('[N-18] [N-30] are ended also where another such cluster was never read', async () => {
    const lab = await withOneOf('old');
    await lab.ports.views.save(aView({ cluster: 'mistyped', readAt: '', pools: [] }));

    await lab.pass(600);

    expect(incidentOf(lab, 'old')?.state).toBe('ok');
  });

  test.each<[string, Partial<PoolView>]>([
    ['kept under another name of its cluster', { createdAt: '2026-01-05T08:00:00Z' }],
    ['that somebody else had paused', { pauseOf: 'foreign' }],
    ['that was not paused', { paused: false }],
  ])('[N-29] a pool %s is not told as left paused', async (_, change) => {
    const lab = await leftPaused(change);

    await lab.pass(600);

    expect(incidentOf(lab, 'old')).toBeUndefined();
  });

  test('[N-18] that ended with a last pass which died before it published: the end is published, once', async () => {
    const lab = keepLab();
    const { trouble } = anIncident();
    if (trouble === undefined) throw new Error('the sample has no trouble');
    const key = { ...trouble.key, cluster: 'old' };
    const at = lab.world.clock.now().toISOString();
    const notes = [
      { seq: 1, at, kind: 'opened', text: 'It begins.' },
      { seq: 2, at, kind: 'resolved', text: 'Resolved after 1 min.' },
    ] as const;
    const ended = {
      key,
      version: 0,
      state: 'ok',
      number: 7,
      seq: 2,
      trouble: { ...trouble, key },
      resolvedAt: at,
    } as const;
    await lab.world.tables.incidents.save(anIncident({ ...ended, notes, deliveries: {} }));
    const toldIncidents = { [keyText(key)]: '7/1' };
    await lab.world.tables.checkpoints.save({ ...emptyCheckpoint('old'), toldIncidents, tickedAt: at });

    await lab.pass(3600);
    const resolved = lab.world.bus.published.filter(({ type }) => type.includes('resolved'));
    await lab.pass(3600);

    expect(resolved.map(({ subject }) => subject)).toEqual([`old/${key.pool}`]);
    expect(lab.told().filter((type) => type === 'incident.resolved')).toHaveLength(1);
  });

  test.each<[string, string | undefined]>([
    ['that was not published', undefined],
    ['whose former end was', '7/1'],
  ])('[N-18] [N-29] that got worse before the next look, %s: are published as opened, once', async (_, mark) => {
    const lab = keepLab();
    const { trouble } = anIncident();
    if (trouble === undefined) throw new Error('the sample has no trouble');
    const key = { ...trouble.key, cluster: 'prod', kind: 'notify-failing' as const };
    const at = lab.world.clock.now().toISOString();
    const begun = mark === undefined ? 'opened' : 'reopened';
    const notes = [
      { seq: 2, at, kind: begun, text: 'Slack answers 503.' },
      { seq: 3, at, kind: 'escalated', text: 'No target is left.' },
    ] as const;
    await lab.tick();
    const incident = anIncident({ key, version: 0, number: 7, seq: 3, notes, trouble: { ...trouble, key } });
    await lab.world.tables.incidents.save({ ...incident, deliveries: {} });
    const checkpoint = await lab.world.tables.checkpoints.load('prod');
    if (checkpoint === undefined) throw new Error('there is a checkpoint');
    const toldIncidents = mark === undefined ? {} : { [keyText(key)]: mark };
    await lab.world.tables.checkpoints.save({ ...checkpoint, toldIncidents });

    await lab.pass(120);

    expect(lab.told().filter((type) => type === 'incident.opened')).toHaveLength(1);
    expect(lab.told().filter((type) => type === 'incident.updated')).toEqual([]);
  });

  test('[N-18] that ended long ago, of which nobody knows what was published: are not published anew', async () => {
    const lab = await withOneOf('old', 'ok');

    await lab.pass(1200);

    expect(lab.told().filter((type) => type.startsWith('incident.'))).toEqual([]);
  });

  test('[N-18] are left alone while somebody looks at it: another version of the configuration has it', async () => {
    const lab = await withOneOf('old');
    const tickedAt = lab.world.clock.now().toISOString();
    await lab.world.tables.checkpoints.save({ ...emptyCheckpoint('old'), tickedAt });

    await lab.pass(1200);
    const during = incidentOf(lab, 'old')?.state;
    await lab.pass(1800);

    expect(during).toBe('firing');
    expect(incidentOf(lab, 'old')?.state).toBe('ok');
  });
});

test('[N-30] [S3-10] nodes that a revert has left with another config behind the pause of a person are told', async () => {
  const lab = keepLab();
  const other = 'rendered-worker-bbb';
  lab.world.pools.change('worker', 'kubectl-patch', { paused: true });
  lab.world.pools.change('worker', 'machine-config-controller', { counts: { ...lab.pool().counts, updated: 2 } });
  lab.world.pools.putNode(aNode({ name: 'worker-1', currentConfig: other, desiredConfig: other }));

  await lab.pass(5 * 3600);
  const incidents = await lab.world.tables.incidents.list();

  expect(lab.pool().paused).toBe(true);
  expect(incidents).toMatchObject([
    { key: { kind: 'paused-too-long' }, trouble: { headline: 'nodes pending behind a pause by kubectl-patch' } },
  ]);
  expect(JSON.stringify(incidents)).toContain('no change waits behind it, but 2 of its 3 nodes count as updated');
});

describe('[S1-13] [N-29] [N-30] somebody takes an incident of a pool that waits for approvals', () => {
  const by = ['slack:U0000ALICE', 'slack:U00000BOB', 'slack:U0000CAROL'];
  const bbb = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };

  async function waiting(needed: number) {
    const approve = Approve.parse({ by, needed });
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, approve } } });
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    lab.world.pools.change('worker', 'machine-config-controller', { target: bbb });
    lab.ends('Succeeded');
    await lab.pass(300);
    return lab;
  }

  const incidentOf = (lab: KeepLab, kind: string) =>
    lab.world.tables.incidents.all().find((each) => each.key.kind === kind && each.state === 'firing');

  async function take(lab: KeepLab, kind: string): Promise<boolean> {
    const incident = incidentOf(lab, kind);
    if (incident === undefined || isAttended(incident, lab.world.clock.now())) return false;
    const now = lab.world.clock.now();
    const wish = {
      kind: 'acknowledged',
      by: 'ann',
      reason: '',
      askedAt: now.toISOString(),
      forSeconds: 72 * 3600,
    } as const;
    const attended = attend(incident, wish, { now, targets: { hear: [], all: [] } });
    return attended.kind === 'attended' && (await lab.world.tables.incidents.save(attended.incident));
  }

  test('paused for too long: taken once while it waits and once during a sync, it stays so through every sync', async () => {
    const lab = await waiting(1);
    await lab.pass(8 * 3600);
    const taken = [await take(lab, 'paused-too-long')];

    for (let round = 0; round < 8; round += 1) {
      lab.syncs(commitB);
      await lab.deliver(lab.operationOf('Running'));
      await lab.pass(120);
      taken.push(await take(lab, 'paused-too-long'));
      lab.ends('Succeeded');
      await lab.deliver(lab.operationOf('Succeeded'));
      for (const seconds of [15, 15, 30, 420]) {
        await lab.pass(seconds);
        taken.push(await take(lab, 'paused-too-long'));
      }
    }

    expect(taken.slice(0, 6).filter(Boolean).length).toBeLessThanOrEqual(3);
    expect(taken.slice(6)).toEqual(taken.slice(6).map(() => false));
  });

  test('an approval that somebody gives is told, and wakes nobody', async () => {
    const lab = await waiting(3);
    await take(lab, 'approval-needed');

    for (const who of by.slice(0, 2)) {
      const at = lab.world.clock.now().toISOString();
      const approval = { who, name: '', verb: 'approve', at, reason: '' } as const;
      await lab.world.tables.approvals.save({ cluster: 'prod', pool: 'worker', config: bbb.name, ...approval });
      await lab.pass(120);
    }

    const incident = incidentOf(lab, 'approval-needed');
    expect(incident?.notes.map(({ kind }) => kind)).toEqual(['opened', 'attended', 'changed', 'changed']);
    expect(incident !== undefined && isAttended(incident, lab.world.clock.now())).toBe(true);
  });

  test('what is not read yet is told as no cause of a pause', async () => {
    const lab = await waiting(1);
    const digests = new Set<string>();
    await lab.pass(8 * 3600);

    for (let round = 0; round < 2; round += 1) {
      lab.syncs(commitB);
      await lab.deliver(lab.operationOf('Running'));
      await lab.pass(60);
      lab.ends('Succeeded');
      await lab.deliver(lab.operationOf('Succeeded'));
      for (let second = 0; second < 120; second += 5) {
        digests.add(incidentOf(lab, 'paused-too-long')?.trouble?.digest ?? '');
        await lab.pass(5);
      }
    }

    expect([...digests].join(' ')).not.toContain('gate quiet');
    expect([...digests].join(' ')).toContain('gate approval');
  });
});
