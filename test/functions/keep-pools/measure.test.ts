import { describe, expect, test } from 'vitest';
import { measurePass } from '../../../functions/keep-pools/tell/measure.ts';
import { aPool } from '../../fakes/index.ts';
import { drainBlocked } from '../core/alerts/samples.ts';
import { mailTarget, openSendLab } from '../send-alerts/send-alerts-lab.ts';
import { commitB, keepLab } from './keep-lab.ts';

const now = new Date('2026-03-02T12:00:00Z');

function aHold(id: string, since: string, until: string) {
  return { id, kind: 'sync' as const, who: 'a/b', why: 'sync', since, until };
}

describe('figures of a pass', () => {
  test('count every hold, tell those past their end, and age the oldest', () => {
    const holds = [
      aHold('sync/hub/a/b', '2026-03-02T11:00:00Z', '2026-03-02T11:30:00Z'),
      aHold('sync/hub/a/c', '2026-03-02T11:50:00Z', '2026-03-02T12:30:00Z'),
    ];
    const pools = [aPool({ record: { kind: 'record', record: { v: 1, pause: 'ours', holds } } }), aPool()];

    const figures = measurePass({ events: [], pools, isClockTick: false, now });

    expect(figures).toEqual([
      { name: 'Holds', count: 2 },
      { name: 'HoldsOverdue', count: 1 },
      { name: 'OldestHoldAge', milliseconds: 3_600_000 },
    ]);
  });

  test('[C-12] a push that is paused in time, synced and resumed is one early race, one pause and one resume', async () => {
    const lab = keepLab();

    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commitB);
    lab.world.clock.advance(3);
    lab.world.pools.putMachineConfig({ name: '99-worker-ssh', labels: {}, changedAt: '2026-03-02T10:00:06Z' });
    lab.ends('Succeeded');
    await lab.pass(300);

    const { counts, values } = lab.metrics;
    expect(counts).toMatchObject({ RacesEarly: 1, PoolsPaused: 1, PoolsResumed: 1 });
    expect(counts['RacesLate']).toBeUndefined();
    expect(Math.max(...(values['Holds'] ?? []))).toBe(1);
    expect(values['Holds']?.at(-1)).toBe(0);
  });

  test('[C-12] a pause that missed a node is one late race, however often it is looked at', async () => {
    const lab = keepLab();
    lab.syncs(commitB);

    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.changeNode('worker-2', { desiredConfig: 'rendered-worker-bbb', state: 'Working' });
    lab.world.pools.observe('worker');
    await lab.pass(180);

    expect(lab.metrics.counts['RacesLate']).toBe(1);
  });

  test('[N-24] a tick says how late it is, and whether its cluster was seen', async () => {
    const lab = keepLab();

    await lab.tick();
    lab.world.faults.failAll(['pools.list']);
    await lab.tick();
    await lab.tick();

    expect(lab.metrics.values['BlindClusters']).toEqual([0, 1, 1]);
    expect(lab.metrics.values['TicksMissed']).toEqual([0, 1, 2]);
    expect(lab.metrics.values['TickAge']).toEqual([0, 0, 0]);
  });

  test('[N-24] hints and second looks say nothing of the clock', async () => {
    const lab = keepLab();

    await lab.deliver(lab.operationOf('Running'));

    expect(Object.keys(lab.metrics.values)).not.toContain('BlindClusters');
    expect(Object.keys(lab.metrics.values)).not.toContain('TickAge');
  });
});

describe('figures of messages', () => {
  test('[N-24] say what was delivered, what is delayed and what was refused for good', async () => {
    const lab = await openSendLab({ targets: [mailTarget] });
    lab.clock.set('2026-03-02T14:01:40Z');
    lab.mailbox.failNext({ kind: 'not-sent', why: 'busy', retryAfterSeconds: 1 });
    lab.mailbox.failNext({ kind: 'dead', why: 'no such mailbox' });

    await lab.see({ kind: 'true', trouble: drainBlocked });
    await lab.send(drainBlocked.key);
    lab.clock.advance(60);
    await lab.send(drainBlocked.key);
    lab.clock.advance(7200);
    await lab.send(drainBlocked.key);
    await lab.close();

    expect(lab.metrics.counts).toEqual({ AlertsDelayed: 1, AlertsRefused: 1, AlertsDelivered: 1 });
  });
});
