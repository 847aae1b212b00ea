import { expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keepLab } from './keep-lab.ts';

const hour = 3600;
const why = 'GET /api/v1/nodes: 403, is forbidden';

/** A drain that does not end, on a pool that rolls out. */
async function drainingLab() {
  const lab = keepLab();
  await lab.tick();
  const to = 'rendered-worker-2';
  lab.world.pools.change('worker', 'machine-config-controller', {
    target: { name: to, sources: ['00-worker'] },
    counts: { machines: 3, updated: 0, ready: 2, unavailable: 1, degraded: 0 },
  });
  lab.world.pools.changeNode('worker-1', {
    desiredConfig: to,
    state: 'Working',
    desiredDrain: `drain-${to}`,
    lastAppliedDrain: '',
  });
  return lab;
}

test('[S0-3] [N-30] nodes that cannot be listed while one drains are told, with the right that is missing', async () => {
  const lab = await drainingLab();
  lab.world.faults.failAll(['pools.nodes'], new Transient(why));

  await lab.pass(12 * hour);

  expect(lab.world.tables.incidents.all()).toMatchObject([
    {
      key: { pool: '*', kind: 'objects-unreadable' },
      trouble: {
        headline: 'Nodes cannot be read',
        findings: [{ code: 'B5', remedies: [{ title: expect.stringContaining('get and list Nodes') }] }],
      },
    },
  ]);
});

test('[S3-3] [N-30] once they can be listed again, that is over, and the drain is told', async () => {
  const lab = await drainingLab();
  const heal = lab.world.faults.failAll(['pools.nodes'], new Transient(why));
  await lab.pass(2 * hour);
  heal();

  await lab.pass(2 * hour);

  expect(lab.troubles()).toEqual(['drain-blocked']);
});

test('[S3-3] [N-30] one failed list of them, in a sweep of pools at rest, is told by no incident', async () => {
  const lab = keepLab();
  const heal = lab.world.faults.failAll(['pools.nodes'], new Transient(why));
  await lab.tick();
  heal();

  await lab.pass(hour);

  expect(lab.world.tables.incidents.all()).toEqual([]);
});

test('[S0-3] [N-30] those that only sweeps ask for are asked for by each tick until they are listed', async () => {
  const lab = keepLab();
  lab.world.faults.failAll(['pools.nodes'], new Transient(why));

  await lab.pass(5 * 60);

  expect(lab.troubles()).toEqual(['objects-unreadable']);
});
