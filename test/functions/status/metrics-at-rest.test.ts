import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { metricsOf } from '../../../functions/status/metrics-of.ts';
import { aNode, fakeIds } from '../../fakes/index.ts';
import { commitB, keepLab, type LabOptions } from '../keep-pools/keep-lab.ts';

/** The lab begins on Monday 2026-03-02 at 10:00 UTC. */
const onSundays = Window.parse({ kind: 'allow', schedule: '0 12 * * 0', durationSeconds: 4 * 3600 });

function atRest(options: LabOptions = {}) {
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'rest' } }, ...options });
  const { views, incidents, clock } = lab.ports;
  const neverRead = () => Promise.reject(new Error('the metrics need no timeline and no reboots'));
  const metrics = metricsOf({
    ...{ views, incidents, clock, newId: fakeIds() },
    timeline: { latest: neverRead },
    nodeRollouts: { ended: neverRead },
  });
  return {
    ...lab,
    /** Values by the gate, or by nothing. */
    values: async (name: string) => {
      const answer = await metrics(new Request('http://localhost/metrics'));
      const lines = (await answer.text()).split('\n').filter((line) => line.startsWith(`${name}{`));
      return Object.fromEntries(
        lines.map((line) => [/gate="(.*)"/.exec(line)?.[1] ?? '', Number(line.split(' ').at(-1))]),
      );
    },
    now: () => Math.floor(clock().getTime() / 1000),
  };
}

const waitsSince = 'poolkeeper_pool_waits_since_timestamp_seconds';
const pausedSince = 'poolkeeper_pool_paused_since_timestamp_seconds';
const closed = 'poolkeeper_gate_closed';
const closedSince = 'poolkeeper_gate_closed_since_timestamp_seconds';

describe('[N-35] [N-7] GET /metrics on a pool of level rest', () => {
  test('says that it is paused and that nothing waits, however long it has rested', async () => {
    const lab = atRest({ windows: [onSundays] });
    await lab.pass(26 * 3600);

    expect(lab.now() - ((await lab.values(pausedSince))[''] ?? 0)).toBeGreaterThan(24 * 3600);
    expect(await lab.values(waitsSince)).toEqual({});
    expect(await lab.values(closedSince)).toEqual({});
    expect((await lab.values(closed))['rest']).toBe(1);
  });

  test('counts no gate that was not asked as closed', async () => {
    const lab = atRest();
    await lab.pass(3600);

    expect(await lab.values(closed)).toEqual({ rest: 1 });
  });

  test('counts what a change waits from its rendering on, though its window was closed before', async () => {
    const lab = atRest({ windows: [onSundays] });
    await lab.pass(26 * 3600);
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] },
      counts: { ...lab.pool().counts, updated: 0 },
    });
    const rendered = lab.now();
    await lab.pass(3600);

    const { '': since = 0 } = await lab.values(waitsSince);
    expect(since - rendered).toBeGreaterThanOrEqual(0);
    expect(since - rendered).toBeLessThanOrEqual(60);
    expect(await lab.values(closedSince)).toMatchObject({ window: since });
  });

  test('counts what a sync holds it from its hold on', async () => {
    const lab = atRest();
    await lab.pass(26 * 3600);
    const began = lab.now();
    lab.syncs(commitB);
    await lab.pass(600);

    const { '': since = 0 } = await lab.values(waitsSince);
    expect(since - began).toBeGreaterThanOrEqual(0);
    expect(since - began).toBeLessThanOrEqual(60);
  });

  test('counts what nodes with another config wait, as after a change that was reverted halfway', async () => {
    const lab = atRest({ windows: [onSundays] });
    await lab.pass(26 * 3600);
    lab.world.pools.change('worker', 'machine-config-controller', { counts: { ...lab.pool().counts, updated: 2 } });
    lab.world.pools.putNode(aNode({ name: 'worker-1', desiredConfig: 'rendered-worker-bbb' }));
    const behind = lab.now();
    await lab.pass(3600);

    const { '': since = 0 } = await lab.values(waitsSince);
    expect(since - behind).toBeGreaterThanOrEqual(0);
    expect(since - behind).toBeLessThanOrEqual(60);
  });

  test('[N-30] does not take nodes that cannot be read for a pool that rests', async () => {
    const lab = atRest();
    await lab.pass(3600);
    lab.world.pools.change('worker', 'machine-config-controller', { counts: { ...lab.pool().counts, updated: 2 } });
    lab.world.faults.failAll(['pools.nodes'], new Transient('GET /api/v1/nodes: 503'));
    await lab.pass(3600);

    expect(await lab.values(closedSince)).toMatchObject({ rest: expect.any(Number) });
    expect(await lab.values(waitsSince)).toEqual({ '': expect.any(Number) });
  });
});
