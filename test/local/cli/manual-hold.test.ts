import { describe, expect, test } from 'vitest';
import {
  addManualHold,
  type ManualChange,
  type ManualRequest,
  resumeManually,
} from '../../../functions/core/holds/manual-hold.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { hold } from '../../../local/cli/hold.ts';
import { resume } from '../../../local/cli/resume.ts';
import { writeByHand } from '../../../local/cli/write-pool.ts';
import { commitB, type KeepLab, keepLab, nodesHold } from '../../functions/keep-pools/keep-lab.ts';

function deed(lab: KeepLab): ManualRequest {
  return { who: 'ann', why: 'a fix must roll out', now: lab.world.clock.now() };
}

function act(lab: KeepLab, decide: (pool: Pool) => ManualChange): Promise<ManualChange> {
  const event = () => ({ reason: 'ByHand', message: '', type: 'Normal' as const, at: lab.world.clock.now() });
  return writeByHand(lab.world.pools, { pool: 'worker', decide, event });
}

function inHours(lab: KeepLab, hours: number): Date {
  return new Date(lab.world.clock.now().getTime() + hours * 3_600_000);
}

describe('a pool held by hand', () => {
  test('[S0-21] is paused with name, reason and end, and let go by itself when the end has come', async () => {
    const lab = keepLab();

    await act(lab, (pool) => addManualHold(pool, inHours(lab, 2), deed(lab)));
    await lab.pass(90 * 60);
    const held = lab.pool();
    await lab.pass(31 * 60);

    expect(held).toMatchObject({
      paused: true,
      record: { record: { pause: 'ours', holds: [{ id: 'manual/ann', kind: 'manual', why: 'a fix must roll out' }] } },
    });
    expect(lab.pool().paused).toBe(false);
    expect(lab.told()).toEqual(expect.arrayContaining(['pool.held', 'pool.paused', 'pool.released', 'pool.resumed']));
  });

  test('[S0-21] has one hold for each person, whose end moves', async () => {
    const lab = keepLab();

    await act(lab, (pool) => addManualHold(pool, inHours(lab, 2), deed(lab)));
    await act(lab, (pool) => addManualHold(pool, inHours(lab, 5), deed(lab)));
    await act(lab, (pool) => addManualHold(pool, inHours(lab, 1), { ...deed(lab), who: 'bob' }));

    expect(lab.record()?.holds.map(({ id, until }) => [id, until])).toEqual([
      ['manual/ann', inHours(lab, 5).toISOString()],
      ['manual/bob', inHours(lab, 1).toISOString()],
    ]);
  });

  test('[S0-14] that somebody else paused is only marked, and never resumed at the end', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'kubectl-patch', { paused: true });

    const done = await act(lab, (pool) => addManualHold(pool, inHours(lab, 1), deed(lab)));
    await lab.pass(2 * 3600);

    expect(done.paused).toBeUndefined();
    expect(lab.pool().paused).toBe(true);
  });
});

describe('a pool resumed by hand', () => {
  test('[S0-15] [S0-21] is not paused again by the sync that was held for, and the person is told of', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(5);

    await act(lab, (pool) => resumeManually(pool, deed(lab)));
    const resumed = lab.pool().paused;
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(120);

    expect(resumed).toBe(false);
    expect(lab.pool().paused).toBe(false);
    expect(lab.record()).toMatchObject({ pause: 'overridden', holds: [{ id: nodesHold }] });
    const told = lab.world.bus.published.filter((event) => event.type === 'poolkeeper.pool.overridden.v1');
    expect(told.map((event) => event.data)).toEqual([{ cluster: 'prod', pool: 'worker', by: 'ann' }]);
  });

  test('[S0-21] loses the holds of people, and the next sync holds it as ever', async () => {
    const lab = keepLab();
    await act(lab, (pool) => addManualHold(pool, inHours(lab, 2), deed(lab)));
    await lab.pass(60);

    await act(lab, (pool) => resumeManually(pool, deed(lab)));
    await lab.pass(60);
    const free = lab.pool();
    await lab.deliver(lab.pushOf(commitB));

    expect(free).toMatchObject({ paused: false, record: { record: { holds: [] } } });
    expect(lab.told()).toContain('pool.overridden');
    expect(lab.pool().paused).toBe(true);
  });

  test('[S0-21] [S0-15] says nothing of what was let go where only overruled holds are left on a pool that is not paused', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    await act(lab, (pool) => addManualHold(pool, inHours(lab, 2), deed(lab)));
    lab.world.clock.advance(5);
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(60);
    const before = lab.record();
    const done = await act(lab, (pool) => resumeManually(pool, deed(lab)));

    expect(before?.holds.map(({ kind, overruled }) => [kind, overruled?.by])).toEqual([
      ['sync', 'kubectl-patch'],
      ['manual', 'kubectl-patch'],
    ]);
    expect([done.paused, done.said]).toEqual([undefined, 'was not paused']);
    expect(lab.record()).toEqual({ ...before, holds: before?.holds.filter(({ kind }) => kind === 'sync') });
  });

  test('[S0-14] stays paused when the pause is not ours, and nothing is written', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'kubectl-patch', { paused: true });

    const done = await act(lab, (pool) => resumeManually(pool, deed(lab)));

    expect(done.said).toBe('stays paused: kubectl-patch has paused it, not Poolkeeper');
    expect(lab.world.pools.patches).toEqual([]);
  });

  test('whose record nobody understands is left to a person', () => {
    const pool: Pool = { ...keepLab().pool(), record: { kind: 'unreadable', why: 'not ours' } };

    expect(() => resumeManually(pool, deed(keepLab()))).toThrow('not ours');
  });
});

describe('the commands', () => {
  const surroundings = { out: () => {}, note: () => {}, environment: {}, now: () => new Date(0) };

  test('[S0-21] ask for a pool, a reason and an end before they go anywhere', async () => {
    await expect(resume.run([], surroundings)).rejects.toThrow(/--pool is missing[\s\S]*--reason is missing/);
    await expect(hold.run(['--pool', 'worker', '--reason', 'why not'], surroundings)).rejects.toThrow(
      '--for is missing',
    );
    await expect(hold.run(['--pool', 'a', '--reason', 'why not', '--for', '300h'], surroundings)).rejects.toThrow(
      '--for 300h',
    );
  });
});
