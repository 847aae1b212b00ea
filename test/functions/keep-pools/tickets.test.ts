import { expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Ticket } from '../../../functions/core/configuration/ticket.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import type { TicketAnswer } from '../../../functions/core/gates/evidence.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { anImageBuild, anImageConfig } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, type LabOptions, tickOf } from './keep-lab.ts';

const ticket = Ticket.parse({
  url: 'https://itsm.example.com/{cluster}/{pool}/{config}',
  path: 'state',
  equals: 'approved',
});

/** A pool whose change is synced and rendered, and whose ticket says what the test says. */
async function waiting(options: LabOptions = {}) {
  const lab = keepLab({ ...options, pools: { worker: { ...defaultPoolSettings, ticket } } });
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  lab.syncs(commitB);
  const target = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };
  lab.world.pools.change('worker', 'machine-config-controller', { target });
  lab.ends('Succeeded');
  await lab.pass(60);
  const asked: string[] = [];
  const tick = async (answer: TicketAnswer | Error) => {
    const ask = async (_: Ticket, url: string) => {
      asked.push(url);
      if (answer instanceof Error) throw answer;
      return answer;
    };
    lab.world.clock.advance(60);
    await keep(tickOf(lab.world.clock.now()), { ...lab.ports, tickets: { ask } });
  };
  return { lab, asked, tick };
}

async function gateOf(lab: KeepLab) {
  const [view] = await lab.world.tables.views.list();
  return view?.pools[0]?.closedGates.find(({ gate }) => gate === 'ticket');
}

test('[N-17] a pool resumes once its ticket says so, and stays paused while it says something else or nothing', async () => {
  const { lab, asked, tick } = await waiting();

  await tick({ status: 200, value: 'assess' });
  const other = await gateOf(lab);
  await tick(new Transient('itsm.example.com did not answer: no answer in time'));
  const unread = await gateOf(lab);
  const before = lab.pool().paused;
  await tick({ status: 200, value: 'approved' });

  expect(other?.why).toBe('its ticket at itsm.example.com says state = assess, not state = approved');
  expect(unread?.why).toBe('its ticket could not be read: itsm.example.com did not answer: no answer in time');
  expect([before, lab.pool().paused]).toEqual([true, false]);
  expect(asked).toEqual(Array.from({ length: 3 }, () => 'https://itsm.example.com/prod/worker/rendered-worker-bbb'));
});

test('[N-17] [N-30] a ticket of one rendered config lets no other go, which the MCO renders before the pool is written', async () => {
  const { lab } = await waiting();
  const asked: string[] = [];
  const ask = async (_: Ticket, url: string) => {
    asked.push(url.slice(-3));
    if (asked.length === 1)
      lab.world.pools.change('worker', 'machine-config-controller', {
        target: { name: 'rendered-worker-ccc', sources: ['00-worker', '99-worker-ssh'] },
      });
    return { status: 200, value: url.endsWith('bbb') ? 'approved' : 'assess' };
  };
  const tick = () => keep(tickOf(lab.world.clock.now()), { ...lab.ports, tickets: { ask } });

  await tick();
  const atOnce = lab.pool().paused;
  await tick();

  expect([asked, atOnce, lab.pool().paused]).toEqual([['bbb', 'ccc'], true, true]);
});

test('[N-17] a ticket is not asked while a window is closed', async () => {
  const { lab, asked, tick } = await waiting({
    windows: [Window.parse({ kind: 'deny', from: '2026-03-01', to: '2026-03-04' })],
  });

  await tick({ status: 200, value: 'approved' });

  expect(lab.pool().paused).toBe(true);
  expect(asked).toEqual([]);
});

test('[N-17] in image mode each image of a rendered config has a ticket of its own, asked once it is there', async () => {
  const { lab } = await waiting();
  const asked: string[] = [];
  const ask = async (_: Ticket, url: string) => {
    asked.push(decodeURIComponent(url.split('/').at(-1) ?? ''));
    return { status: 200, value: 'assess' };
  };
  const look = async (image: string, name: string) => {
    const now = lab.world.clock.now().toISOString();
    const build = anImageBuild({ name, image, state: 'succeeded', createdAt: now, config: 'rendered-worker-bbb' });
    lab.world.renderings.putImageBuild({ ...build, endedAt: now });
    lab.world.renderings.putImageConfig(anImageConfig({ currentBuild: name, image }));
    for (const _ of [1, 2, 3]) {
      lab.world.clock.advance(60);
      await keep(tickOf(lab.world.clock.now()), { ...lab.ports, tickets: { ask } });
    }
  };
  const [first, second] = ['b', 'c'].map((hex) => `sha256:${hex.repeat(64)}`);

  await look(`registry.example.com/os@${first}`, 'worker-1');
  await look(`registry.example.com/os@${second}`, 'worker-2');

  expect(unique(asked)).toEqual([first, second].map((digest) => `rendered-worker-bbb@${digest}`));
});
