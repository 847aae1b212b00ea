import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { Budget } from '../../../functions/core/configuration/budget.ts';
import { defaultPoolSettings, type PoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Ticket } from '../../../functions/core/configuration/ticket.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import type { Node } from '../../../functions/core/openshift/node.ts';
import { aCondition, aNode, aPool, aRecord } from '../../fakes/index.ts';
import { commitB, commitC, keepLab, type LabOptions } from './keep-lab.ts';

const mco = 'machine-config-controller';
const [before, after] = ['rendered-worker-aaa', 'rendered-worker-bbb'] as const;
const alice = 'slack:U0000ALICE';

/** The lab begins on Monday 2026-03-02 at 10:00 UTC. */
const twice = Window.parse({ kind: 'allow', schedule: '0 9,15 * * *', durationSeconds: 3 * 3600 });

/** Worker-1 has the change, and the pool has been resumed for it, when its revert is pushed. */
async function rollingLab(settings: Partial<PoolSettings> = {}, options: LabOptions = {}) {
  const lab = keepLab({ ...options, pools: { worker: { ...defaultPoolSettings, ...settings } } });
  const { pools, tables, clock } = lab.world;
  const isNow = (change: Parameters<typeof pools.change>[2]) => pools.change('worker', mco, change);
  const updated = (count: number) => ({ ...lab.pool().counts, updated: count });
  const withUpdated = (status: 'True' | 'False') => ({
    conditions: lab
      .pool()
      .conditions.map((each) =>
        each.type === 'Updated' ? aCondition({ status, since: clock.now().toISOString() }) : each,
      ),
  });
  const has = (config: string, node: Partial<Node> = {}) =>
    pools.putNode(aNode({ name: 'worker-1', currentConfig: config, desiredConfig: config, ...node }));
  const approves = (config: string) =>
    tables.approvals.save({
      ...{ cluster: 'prod', pool: 'worker', config, who: alice, name: '', verb: 'approve', reason: '' },
      at: clock.now().toISOString(),
    });
  const sync = async (commit: string, renders: () => void) => {
    pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commit);
    renders();
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(120);
  };

  await lab.deliver(lab.pushOf(commitB));
  await sync(commitB, () =>
    isNow({ target: { name: after, sources: ['99-worker-ssh'] }, counts: updated(0), ...withUpdated('False') }),
  );
  return {
    ...lab,
    has,
    approves,
    /** The MCO renders what was there before again. */
    renderedBack: () => isNow({ target: lab.pool().current, counts: updated(2) }),
    begins: () => {
      has(after);
      isNow({ counts: updated(1) });
    },
    pushRevert: () => lab.deliver(lab.pushOf(commitC, { before: commitB })),
    async syncRevert() {
      await sync(commitC, () => isNow({ target: lab.pool().current, counts: updated(2) }));
    },
    isTakenBack: () => {
      has(before);
      isNow({ counts: updated(3), ...withUpdated('True') });
    },
    drifts: () => {
      has(before, { state: 'Degraded' });
      isNow({
        counts: { ...updated(2), degraded: 1 },
        conditions: [...withUpdated('False').conditions, aCondition({ type: 'NodeDegraded', status: 'True' })],
      });
    },
    moves: () => lab.told().filter((type) => /^pool\.(?:paused|resumed|overridden)$/.test(type)),
    gates: async () =>
      (await tables.views.list())[0]?.pools[0]?.closedGates.flatMap(({ gate, unread }) => (unread ? [] : [gate])) ?? [],
  };
}

type RollingLab = Awaited<ReturnType<typeof rollingLab>>;

/** The rollout has begun, and its revert has been pushed and synced. */
async function revertedLab(
  settings: Partial<PoolSettings> = {},
  options: LabOptions = {},
  ahead: (lab: RollingLab) => Promise<unknown> = async () => {},
) {
  const lab = await rollingLab(settings, options);
  await ahead(lab);
  expect(lab.pool().paused).toBe(false);
  lab.begins();
  await lab.pass(20 * 60);
  await lab.pushRevert();
  expect(lab.pool().paused).toBe(true);
  await lab.syncRevert();
  return lab;
}

describe('[N-30] nodes that go back after a revert in the middle of their rollout', () => {
  describe.each(['react', 'handshake', 'admission', 'guard'] as const)('at level %s', (protection) => {
    test('[N-9] stop when their window closes, and go on in the next one', async () => {
      const lab = await revertedLab({ protection }, { windows: [twice] });
      const begun = lab.pool().paused;
      await lab.pass(3 * 3600);
      const [stopped, why] = [lab.pool().paused, lab.record()?.last?.why];
      await lab.pass(2 * 3600);
      const next = lab.pool().paused;
      lab.isTakenBack();
      await lab.pass(4 * 3600);

      expect([begun, stopped, next, lab.pool().paused]).toEqual([false, true, false, false]);
      expect(why).toMatch(/^its window closes in .* 2 of 3 nodes are updated, the rest waits for the next opening$/);
      expect(lab.moves().filter((type) => type === 'pool.resumed')).toHaveLength(3);
    });

    test('[N-17] go when people have approved the config to which they go back', async () => {
      const approve = Approve.parse({ by: [alice], expiresSeconds: 3600 });
      const lab = await revertedLab({ protection, approve }, {}, async (rolling) => {
        await rolling.approves(after);
        await rolling.pass(60);
      });
      const [asked, gates, troubles] = [lab.pool().paused, await lab.gates(), lab.troubles()];
      await lab.approves(before);
      await lab.pass(60);

      expect([asked, gates, lab.pool().paused]).toEqual([true, ['approval'], false]);
      expect(troubles).toContain('approval-needed');
      expect(lab.record()?.last?.why).toContain(`approved by ${alice}`);
    });
  });

  test.each([
    ['need no new approval while one of that config counts', false],
    ['[S3-14] need one where the last was given before what they go back from was let go', true],
  ] as const)('[N-17] %s', async (_, isEarlier) => {
    const approve = Approve.parse({ by: [alice], expiresSeconds: 3600 });
    const lab = await revertedLab({ approve }, {}, async (rolling) => {
      if (isEarlier) await rolling.approves(before);
      await rolling.approves(after);
      await rolling.pass(60);
      if (!isEarlier) await rolling.approves(before);
    });

    expect(lab.pool().paused).toBe(isEarlier);
  });

  test('[N-17] are asked for while their window is closed, too', async () => {
    const morning = Window.parse({ kind: 'allow', schedule: '0 9 * * *', durationSeconds: 80 * 60 });
    const lab = await revertedLab(
      { approve: Approve.parse({ by: [alice] }), overrun: 'go' },
      { windows: [morning] },
      async (rolling) => {
        await rolling.approves(after);
        await rolling.pass(60);
      },
    );

    expect(await lab.gates()).toEqual(['approval', 'window']);
    expect(lab.troubles()).toContain('approval-needed');
  });

  test('[N-17] wait where nobody can tell which config they have, and are told after a while', async () => {
    const lab = await rollingLab({ approve: Approve.parse({ by: [alice] }) });
    await lab.approves(after);
    await lab.pass(60);
    lab.begins();
    await lab.pass(20 * 60);
    await lab.pushRevert();
    const heal = lab.world.faults.failAll(['pools.nodes']);
    await lab.syncRevert();
    const gates = await lab.gates();
    await lab.pass(5 * 3600);
    const troubles = lab.troubles();
    heal();
    await lab.pass(60);

    expect([gates, lab.pool().paused]).toEqual([['approval'], true]);
    expect(troubles).toContain('paused-too-long');
    expect(JSON.stringify(await lab.ports.views.list())).toContain(`${before} needs 1 approval`);
  });

  test('[N-19] go when their ticket says so', async () => {
    const ticket = Ticket.parse({ url: 'https://itsm.example.com/{config}', path: 'state', equals: 'approved' });
    const asked: string[] = [];
    const lab = await rollingLab({ ticket });
    const withTickets = lab.ports as { tickets: typeof lab.ports.tickets };
    withTickets.tickets = {
      ask: async (address) => {
        asked.push(JSON.stringify(address));
        return { status: 200, value: asked.length > 1 ? 'rejected' : 'approved' };
      },
    };
    await lab.pass(60);
    lab.begins();
    await lab.pass(20 * 60);
    await lab.pushRevert();
    await lab.syncRevert();

    expect([lab.pool().paused, await lab.gates()]).toEqual([true, ['ticket']]);
  });

  test('[N-9] wait for a window that is long enough, where the whole rollout is to fit', async () => {
    const lab = await revertedLab({ overrun: 'wait' }, { windows: [twice] });
    const begun = lab.pool().paused;

    const late = await rollingLab({ overrun: 'wait' }, { windows: [twice] });
    late.begins();
    await late.pass(85 * 60);
    await late.pushRevert();
    await late.syncRevert();

    expect([begun, late.pool().paused, await late.gates()]).toEqual([false, true, ['fit']]);
  });

  test.each([
    ['go', { overrun: 'go' }],
    ['have no windows', {}],
  ] as const)('[N-9] are not stopped where they %s', async (_, settings) => {
    const lab = await revertedLab(settings, { windows: 'overrun' in settings ? [twice] : [] });
    await lab.pass(3 * 3600);

    expect(lab.pool().paused).toBe(false);
  });

  test('[N-9] [S0-12] are not stopped where a person resumed the pool', async () => {
    const lab = await revertedLab({}, { windows: [twice] });
    await lab.pass(3 * 3600);
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(5 * 3600);

    expect(lab.moves().slice(-2)).toEqual(['pool.paused', 'pool.overridden']);
    expect(lab.pool().paused).toBe(false);
  });

  test('[N-9] are stopped by what was known, while they cannot be read', async () => {
    const lab = await revertedLab({}, { windows: [twice] });
    await lab.pass(60);
    lab.world.faults.failAll(['pools.nodes']);
    await lab.pass(3 * 3600);

    expect(lab.pool().paused).toBe(true);
  });

  test('[N-9] no longer stop once all of them are on their way: nothing would be held back', async () => {
    const lab = await revertedLab({}, { windows: [twice] });
    lab.has(after, { desiredConfig: before, state: 'Working' });
    await lab.pass(3 * 3600);

    expect(lab.pool().paused).toBe(false);
  });

  test('[N-8] are asked for where the revert is rendered in the minutes after the resume', async () => {
    const lab = await rollingLab({ approve: Approve.parse({ by: [alice] }) });
    await lab.approves(after);
    await lab.pass(60);
    lab.begins();
    await lab.pass(120);
    lab.renderedBack();
    await lab.pass(60);
    const [paused, why] = [lab.pool().paused, lab.record()?.last?.why];
    await lab.approves(before);
    await lab.pass(60);

    expect([paused, lab.pool().paused]).toEqual([true, false]);
    expect(why).toMatch(
      /^rendered-worker-aaa was rendered after the pool had been resumed, and gate approval is closed for it: /,
    );
  });

  test('[N-15] are seen by the health of the rollout: while one fails on its way, no other pool begins', async () => {
    const lab = await revertedLab();
    lab.world.pools.put(waitingInfra());
    const own = lab.pool();
    lab.world.pools.change('worker', mco, {
      counts: { ...own.counts, degraded: 1 },
      conditions: [...own.conditions, aCondition({ type: 'NodeDegraded', status: 'True', message: 'Node worker-1' })],
    });
    await lab.pass(300);
    const waits = lab.pool('infra').paused;
    lab.isTakenBack();
    lab.world.pools.change('worker', mco, { conditions: aPool().conditions, counts: aPool().counts });
    await lab.pass(120);

    expect([waits, lab.pool('infra').paused]).toEqual([true, false]);
  });

  test('[N-22] take a place of the budget until they are back', async () => {
    const lab = await rollingLab();
    const [only] = lab.ports.configuration.clusters;
    Object.assign(only ?? {}, { budget: { fleet: Budget.parse({ pools: 1 }) } });
    await lab.pass(60);
    lab.begins();
    await lab.pass(20 * 60);
    await lab.pushRevert();
    await lab.syncRevert();
    lab.world.pools.put(waitingInfra());
    await lab.pass(20 * 60);
    const waits = [lab.pool().paused, lab.pool('infra').paused];
    lab.isTakenBack();
    await lab.pass(120);

    expect([waits, lab.pool('infra').paused]).toEqual([[false, true], false]);
  });
});

function waitingInfra() {
  return aPool({
    name: 'infra',
    uid: 'uid-infra',
    nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
    current: { name: 'rendered-infra-aaa', sources: [] },
    target: { name: 'rendered-infra-bbb', sources: [] },
    paused: true,
    record: {
      kind: 'record',
      record: aRecord({
        holds: [],
        release: {
          ...{ since: '2026-03-02T10:00:00Z', finishedAt: '2026-03-02T10:00:00Z', machineConfigs: [], why: 'synced' },
        },
      }),
    },
  });
}

describe('[N-30] nodes that are no part of a rollout', () => {
  const strict = { approve: Approve.parse({ by: [alice] }) };
  const joiner = (config: string) => aNode({ name: 'worker-4', currentConfig: config, desiredConfig: config });

  /** A push and a sync that change nothing for the MCO; what `meanwhile` does happens in between. */
  async function syncedLab(settings: Partial<PoolSettings>, windows: readonly Window[], meanwhile: 'joins' | 'drifts') {
    const lab = keepLab({ windows, pools: { worker: { ...defaultPoolSettings, ...settings } } });
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commitB);
    const conditions = [
      ...lab.pool().conditions,
      aCondition({ type: 'Updated', since: lab.world.clock.now().toISOString() }),
    ];
    if (meanwhile === 'joins') {
      lab.world.pools.putNode(joiner('rendered-master-aaa'));
      lab.world.pools.change('worker', mco, { conditions, counts: { ...lab.pool().counts, machines: 4 } });
    } else {
      lab.world.pools.changeNode('worker-1', { state: 'Degraded' });
      lab.world.pools.change('worker', mco, {
        conditions,
        counts: { ...lab.pool().counts, updated: 2, degraded: 1 },
      });
    }
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(180);
    return lab;
  }

  test.each([
    ['has joined from another pool', 'joins'],
    ['has drifted', 'drifts'],
  ] as const)('one that %s waits for no approval', async (_, meanwhile) => {
    const lab = await syncedLab(strict, [], meanwhile);

    expect(lab.pool().paused).toBe(false);
  });

  test('one that has joined from another pool is not kept by a window that closes soon', async () => {
    const soon = Window.parse({ kind: 'allow', schedule: '0 9 * * *', durationSeconds: 3600 + 600 });
    const lab = await syncedLab({}, [soon], 'joins');
    const atOnce = lab.pool().paused;
    await lab.pass(3600);

    expect([atOnce, lab.pool().paused]).toEqual([false, false]);
  });

  test.each(['rendered-master-aaa', after])(
    'one that joins with %s after the rollout pauses nothing',
    async (config) => {
      const lab = await revertedLab({}, { windows: [twice] });
      lab.isTakenBack();
      await lab.pass(600);
      lab.world.pools.putNode(joiner(config));
      lab.world.pools.change('worker', mco, {
        counts: { ...lab.pool().counts, machines: 4 },
        conditions: [aCondition({ type: 'Updated', since: lab.world.clock.now().toISOString() })],
      });
      await lab.pass(5 * 3600);

      expect(lab.pool().paused).toBe(false);
      expect(lab.moves().at(-1)).toBe('pool.resumed');
    },
  );

  test('one that drifts after the rollout holds no other pool back', async () => {
    const lab = await revertedLab();
    lab.isTakenBack();
    await lab.pass(600);
    lab.drifts();
    lab.world.pools.put(waitingInfra());
    await lab.pass(300);

    expect(lab.pool('infra').paused).toBe(false);
  });
});
