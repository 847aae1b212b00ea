import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { GateTimeouts } from '../../../functions/core/configuration/gate-timeouts.ts';
import { Ticket } from '../../../functions/core/configuration/ticket.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { addManualHold } from '../../../functions/core/holds/manual-hold.ts';
import { fieldManager } from '../../../functions/core/openshift/hold.ts';
import { aPool } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, type LabOptions } from './keep-lab.ts';

const hour = 3600;
const counts = { machines: 3, updated: 0, ready: 3, unavailable: 0, degraded: 0 };
const both = ['infra', 'worker'];
const infra = { ...defaultPoolSettings, wave: 0 };
const worker = { ...defaultPoolSettings, wave: 1 };
/** Every day for eight hours. */
const fromThree = Window.parse({ kind: 'allow', schedule: '0 15 * * *', durationSeconds: 8 * hour });

const ofInfra = [{ ...fromThree, pools: ['infra'] }];

/** The lab begins on Monday 2026-03-02 at 10:00 UTC. */
async function waiting(options: LabOptions, names: readonly string[] = both) {
  const lab = keepLab({
    windows: [fromThree],
    pools: { infra, worker },
    ...options,
    policy: { pausedAtMostSeconds: 1800, ...options.policy },
  });
  for (const name of names) lab.world.pools.put(aPool({ name, uid: name }));
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  for (const name of names)
    lab.world.pools.change(name, 'machine-config-controller', {
      target: { name: `rendered-${name}-bbb`, sources: ['99-worker-ssh'] },
      counts,
    });
  await lab.pass(60);
  return lab;
}

/** Pools that are told as paused too long. */
function tooLong(lab: KeepLab): readonly (string | undefined)[] {
  const firing = lab.world.tables.incidents.all().filter(({ state }) => state === 'firing');
  return firing
    .filter(({ key }) => key.kind === 'paused-too-long')
    .map(({ key }) => key.pool)
    .toSorted();
}

/** Those that ever were. */
function everTooLong(lab: KeepLab): readonly (string | undefined)[] {
  const told = lab.world.tables.incidents.all().filter(({ openedAt }) => openedAt !== undefined && openedAt !== null);
  return told.filter(({ key }) => key.kind === 'paused-too-long').map(({ key }) => key.pool);
}

/** Somebody holds a pool. */
function hold(lab: KeepLab, pool: string, seconds: number): void {
  const now = lab.world.clock.now();
  const until = new Date(now.getTime() + seconds * 1000);
  const { record } = addManualHold(lab.pool(pool), until, { who: 'ann', why: 'a test', now });
  if (record) lab.world.pools.change(pool, fieldManager, { paused: true, record: { kind: 'record', record } });
}

function degrade(lab: KeepLab, pool: string): void {
  const since = lab.world.clock.now().toISOString();
  lab.world.pools.change(pool, 'machine-config-controller', {
    counts: { ...counts, degraded: 1 },
    conditions: [
      { type: 'NodeDegraded', status: 'True', reason: '', message: 'x', since },
      { type: 'Degraded', status: 'True', reason: '', message: 'x', since },
    ],
  });
}

function pause(lab: KeepLab, pool: string): void {
  lab.world.pools.change(pool, 'kubectl-patch', { paused: true });
}

/** It has nothing left to roll out. */
function lackNodes(lab: KeepLab): void {
  lab.world.pools.change('infra', 'machine-config-controller', {
    current: { name: 'rendered-infra-bbb', sources: ['99-worker-ssh'] },
    counts: { ...counts, updated: 3, ready: 2, unavailable: 1 },
    conditions: [{ type: 'Updated', status: 'False', reason: '', message: '', since: '2026-03-02T15:00:00Z' }],
  });
}

describe('[N-8] [N-29] [S1-13] pools of several waves that wait for one window', () => {
  test.each([
    ['of all', []],
    ['of the lower one alone', ['infra']],
  ])('the higher is not told before, nor while the lower one rolls: %s', async (_, pools) => {
    const lab = await waiting({ windows: [{ ...fromThree, pools }] });

    await lab.pass(5 * hour - 600);
    const before = [lab.pool('infra').paused, lab.pool().paused];
    await lab.pass(3 * hour);

    expect([before, lab.pool('infra').paused, lab.pool().paused]).toEqual([[true, true], false, true]);
    expect(everTooLong(lab)).toEqual([]);
  });

  test('nor one behind that', async () => {
    const gpu = { ...defaultPoolSettings, wave: 2 };
    const lab = await waiting({ pools: { infra, worker, gpu } }, [...both, 'gpu']);

    await lab.pass(4 * hour);

    expect(everTooLong(lab)).toEqual([]);
  });

  test('without a window the higher is told by the age of its pause', async () => {
    const lab = await waiting({ windows: [] });

    await lab.pass(hour);

    expect([lab.pool('infra').paused, tooLong(lab)]).toEqual([false, ['worker']]);
  });

  test('a timeout that is configured for gate wave counts', async () => {
    const gates: GateTimeouts = { wave: { afterSeconds: hour, action: 'alert' } };
    const lab = await waiting({ policy: { gates } });

    await lab.pass(hour);

    expect(tooLong(lab)).toEqual(['worker']);
  });

  test('the higher is told after a week', async () => {
    const lab = await waiting({ windows: [{ ...fromThree, schedule: '0 15 15 * *' }] });

    await lab.pass(hour);

    expect(tooLong(lab)).toEqual(both);
  });

  test('a lower one that waits for an approval is told, and so is the higher behind it, unless its own window is closed', async () => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE'] });
    const pools = { infra: { ...infra, approve }, worker };
    const own = await waiting({ pools });
    const behind = await waiting({ pools, windows: ofInfra });

    await own.pass(2 * hour);
    await behind.pass(2 * hour);

    expect([tooLong(own), tooLong(behind)]).toEqual([['infra'], both]);
  });

  test('a higher one that waits for an approval as well is told', async () => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE'] });
    const lab = await waiting({ pools: { infra, worker: { ...worker, approve } } });

    await lab.pass(2 * hour);

    expect(tooLong(lab)).toEqual(['worker']);
  });

  test.each<[string, number, (lab: KeepLab) => void]>([
    ['degraded before its window', 2, (lab) => degrade(lab, 'infra')],
    ['degraded in its rollout', 6, (lab) => degrade(lab, 'infra')],
    ['paused by a person in its rollout', 6, (lab) => pause(lab, 'infra')],
    ['held up by a cordoned node alone', 6, lackNodes],
  ])('the higher is told once the lower one is %s for as long as a pause may last', async (_, hours, happens) => {
    const lab = await waiting({ windows: ofInfra });
    await lab.pass(hours * hour);
    happens(lab);

    await lab.pass(600);
    const soon = tooLong(lab);
    await lab.pass(1800);

    expect([soon, tooLong(lab)]).toEqual([[], expect.arrayContaining(['worker'])]);
  });

  test.each<[string, (lab: KeepLab) => void]>([
    ['degraded', (lab) => degrade(lab, 'infra')],
    ['paused by a person', (lab) => pause(lab, 'infra')],
  ])('one whose own window is closed is not told because a lower one is %s', async (_, happens) => {
    const lab = await waiting({ windows: [fromThree, { ...fromThree, schedule: '0 20 * * *', pools: ['worker'] }] });
    await lab.pass(2 * hour);
    happens(lab);

    await lab.pass(2 * hour);

    expect(tooLong(lab)).not.toContain('worker');
  });

  test.each(both)('what holds %s for minutes makes no difference', async (held) => {
    const lab = await waiting({});
    await lab.pass(2 * hour);
    hold(lab, held, 180);

    await lab.pass(900);

    expect(everTooLong(lab)).toEqual([]);
  });

  test('what is told of the higher is not over because something holds it for minutes', async () => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE'] });
    const lab = await waiting({ pools: { infra, worker: { ...worker, approve } } });
    await lab.pass(2 * hour);
    const before = tooLong(lab);
    hold(lab, 'worker', 180);

    await lab.pass(1800);

    expect([before, tooLong(lab)]).toEqual([['worker'], ['worker']]);
    expect(lab.told()).not.toContain('incident.resolved');
  });
});

test('[N-8] [N-29] what keeps a pool only in its openings ends as it is: paused, until the next one', async () => {
  const ticket = Ticket.parse({ url: 'https://itsm.example.com/{config}', path: 'state', equals: 'approved' });
  const windows = [Window.parse({ kind: 'allow', schedule: '0 12 * * *', durationSeconds: 2 * hour })];
  const lab = await waiting({ windows, pools: { worker: { ...worker, ticket } } }, ['worker']);
  Object.assign(lab.ports, { tickets: { ask: async () => ({ status: 200, value: 'assess' }) } });

  await lab.pass(3 * hour);
  const told = tooLong(lab);
  await lab.pass(2 * hour);

  const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'paused-too-long');
  expect([told, tooLong(lab), lab.pool().paused]).toEqual([['worker'], [], true]);
  expect(incident?.endedBy).toBe(
    'Pool worker is still paused: it waits for its window, which opens at 2026-03-03T12:00:00.000Z.',
  );
});
