import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { Budget } from '../../../functions/core/configuration/budget.ts';
import { defaultPoolSettings, type PoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { aPool } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, type LabOptions } from './keep-lab.ts';

const minute = 60;
const [alice, bob] = ['slack:U0000ALICE', 'slack:U00000BOB'] as const;
const counts = { machines: 3, updated: 0, ready: 3, unavailable: 0, degraded: 0 };

/** A push and its sync; nothing is rendered for it while the pool is paused. */
async function resumed(settings: Partial<PoolSettings>, options: LabOptions = {}): Promise<KeepLab> {
  const lab = keepLab({ ...options, pools: { worker: { ...defaultPoolSettings, ...settings } } });
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  await lab.pass(4);
  lab.syncs(commitB);
  await lab.pass(4);
  lab.ends('Succeeded');
  await lab.pass(2 * minute);
  expect(lab.pool().paused).toBe(false);
  return lab;
}

/** The MCO renders a config that lists the same MachineConfigs, and begins to roll it out. */
function renders(lab: KeepLab, name: string): void {
  const target = { name, sources: lab.pool().target.sources };
  lab.world.pools.change('worker', 'machine-config-controller', { target, counts });
}

function approves(lab: KeepLab, who: string, config: string) {
  const at = lab.world.clock.now().toISOString();
  return lab.world.tables.approvals.save({
    cluster: 'prod',
    pool: 'worker',
    config,
    who,
    name: '',
    verb: 'approve',
    at,
    reason: '',
  });
}

const approve = Approve.parse({ by: [alice, bob], needed: 1, expiresSeconds: 48 * 3600 });

describe('what is rendered after its pool was resumed', () => {
  test('[N-17] is paused until it is approved, and that is told', async () => {
    const lab = await resumed({ approve });
    renders(lab, 'rendered-worker-late');

    await lab.pass(minute);
    const paused = lab.record();
    await approves(lab, alice, 'rendered-worker-late');
    await lab.pass(2 * minute);

    expect(paused).toMatchObject({ pause: 'ours', holds: [] });
    expect(paused?.last?.why).toBe(
      'rendered-worker-late was rendered after the pool had been resumed, and gate approval is closed for it: ' +
        'rendered-worker-late needs 1 approval: nobody has approved',
    );
    expect(lab.pool().paused).toBe(false);
    expect(lab.told().filter((type) => /paused|resumed/.test(type))).toEqual([
      'pool.paused',
      'pool.resumed',
      'pool.paused',
      'pool.resumed',
    ]);
  });

  test('[N-9] is paused where its rollout does not fit into what is left of the window', async () => {
    const short = Window.parse({ kind: 'allow', schedule: '0 10 * * *', durationSeconds: 3600 });
    const lab = await resumed({ overrun: 'wait' }, { windows: [short] });
    renders(lab, 'rendered-worker-late');

    await lab.pass(minute);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.last?.why).toContain('gate fit is closed for it: the rollout may take 90 min');
  });

  test('[N-8] is paused where the window has closed since', async () => {
    const short = Window.parse({ kind: 'allow', schedule: '0 10 * * *', durationSeconds: 4 * minute });
    const lab = await resumed({ overrun: 'go' }, { windows: [short] });
    await lab.pass(3 * minute);
    renders(lab, 'rendered-worker-late');

    await lab.pass(minute);

    expect(lab.record()?.last?.why).toContain('gate window is closed for it');
  });

  test('[N-10] is paused where another pool has the last place of the budget', async () => {
    const lab = keepLab();
    const [only] = lab.ports.configuration.clusters;
    if (only === undefined) throw new Error('the lab has a cluster');
    Object.assign(only, { budget: Budget.parse({ pools: 1 }) });
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(4);
    lab.ends('Succeeded');
    await lab.pass(2 * minute);
    const before = lab.pool().paused;
    const target = { name: 'rendered-infra-bbb', sources: [] };
    lab.world.pools.put(aPool({ name: 'infra', uid: 'infra', target }));
    await lab.pass(minute);
    renders(lab, 'rendered-worker-late');

    await lab.pass(minute);

    expect([before, lab.pool().paused]).toEqual([false, true]);
    expect(lab.record()?.last?.why).toContain('gate budget is closed for it');
  });

  test('[N-9] goes on where every gate is open for it, and stops with its window like any other', async () => {
    const window = Window.parse({ kind: 'allow', schedule: '0 10 * * *', durationSeconds: 90 * minute });
    const lab = await resumed({ overrun: 'part' }, { windows: [window] });
    renders(lab, 'rendered-worker-late');

    await lab.pass(30 * minute);
    const during = [lab.pool().paused, lab.record()?.last?.asked];
    await lab.pass(45 * minute);

    expect(during).toEqual([false, 'rendered-worker-late']);
    expect(lab.record()?.last?.why).toContain('its window closes in');
  });

  test('[N-21] goes on in an emergency', async () => {
    const lab = await resumed({ approve });
    const emergency = { who: 'ann', why: 'CVE', since: '2026-03-02T10:00:00Z', until: '2026-03-02T12:00:00Z' };
    const record = { ...(lab.record() ?? { v: 1, holds: [] }), emergency };
    lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record } });
    renders(lab, 'rendered-worker-late');

    await lab.pass(5 * minute);

    expect(lab.pool().paused).toBe(false);
  });

  test.each([
    ['a pool without such gates', {}, 0],
    ['a change long after the resume', { approve }, 15],
  ] as const)('[S0-12] of %s is left alone', async (_, settings, minutes) => {
    const lab = await resumed(settings);
    await lab.pass(minutes * minute);
    renders(lab, 'rendered-worker-other');

    await lab.pass(10 * minute);

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-12] of a pool that a person resumed is left alone', async () => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, approve } } });
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(minute);
    renders(lab, 'rendered-worker-other');

    await lab.pass(9 * minute);

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-1] costs a quiet tick neither a read nor a write', async () => {
    const lab = await resumed({ approve });
    await lab.pass(minute);
    const before = lab.world.faults.calls.length;
    await lab.tick();
    const quiet = lab.world.faults.calls.slice(before).map(({ op }) => op);

    expect(quiet.filter((op) => /approvals|patch/.test(op))).toEqual([]);
  });
});

test('[N-9] [N-17] a rollout that stops with its window still knows who pushed it, and goes on with its approval', async () => {
  const fromNoon = Window.parse({ kind: 'allow', schedule: '0 12,15 * * *', durationSeconds: 3600 });
  const settings = { ...defaultPoolSettings, overrun: 'part', approve: { ...approve, excludePusher: true } } as const;
  const lab = keepLab({ windows: [fromNoon], pools: { worker: settings } });
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  renders(lab, 'rendered-worker-bbb');
  await approves(lab, alice, 'rendered-worker-bbb');
  await lab.pass(100 * minute);
  const before = lab.pool().paused;
  await lab.pass(25 * minute);
  const begun = lab.pool().paused;
  await lab.pass(30 * minute);
  const stopped = [lab.pool().paused, lab.record()?.release?.pushers];
  await lab.pass(2 * 3600 + 35 * minute);

  expect([before, begun]).toEqual([true, false]);
  expect(stopped).toEqual([true, ['dev']]);
  expect(lab.pool().paused).toBe(false);
});
