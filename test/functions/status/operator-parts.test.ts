import { expect, test } from 'vitest';
import type { OperatorPart } from '../../../functions/core/openshift/operator-parts.ts';
import { Status } from '../../../functions/status/status.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { aView, fakeClock, fakeIds, fakeTables } from '../../fakes/index.ts';

const readAt = '2026-03-02T09:58:00.000Z';
const controller: OperatorPart = { name: 'machine-config-controller', state: 'fine', says: '1 of 1 ready' };
const daemon: OperatorPart = { name: 'machine-config-daemon', state: 'fine', says: '6 of 6 ready' };

async function shown(parts: readonly OperatorPart[], clusters: readonly string[] = ['prod']) {
  const tables = fakeTables();
  for (const [index, cluster] of clusters.entries())
    await tables.views.save({ ...aView(index === 0 ? { operatorParts: { readAt, parts } } : {}), cluster });
  const read = statusOf({ newId: fakeIds(), ...tables, clock: fakeClock().now });
  const ask = async (accept: string) =>
    (await read(new Request('http://localhost/status', { headers: { accept } }))).text();
  const page = (await ask('text/html')).replace(/<style>[\s\S]*?<\/style>/, '');
  const words = page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  return { status: Status.parse(JSON.parse(await ask('application/json'))), page, words };
}

test('[S1-22] where all parts are ready, one line says so beside the pools', async () => {
  const { status, words } = await shown([controller, daemon]);

  expect(status.clusters[0]?.operatorParts?.parts).toEqual([controller, daemon]);
  expect(words).toMatch(
    /Machine Config Operator, read .*: machine-config-controller 1 of 1 ready; machine-config-daemon 6 of 6 ready\./,
  );
});

test('[S1-22] a part that is not ready is named with what it says, as text', async () => {
  const operator: OperatorPart = { name: 'machine-config', state: 'degraded', says: '<b>render</b> failed' };
  const down: OperatorPart = { ...controller, state: 'down', says: '0 of 1 ready' };

  const { page, words } = await shown([operator, down, { ...daemon, state: 'partly', says: '5 of 6 ready' }]);

  expect(words).toContain('Degraded machine-config : &lt;b&gt;render&lt;/b&gt; failed');
  expect(words).toContain('Down machine-config-controller : 0 of 1 ready');
  expect(words).toContain('Partly machine-config-daemon : 5 of 6 ready');
  expect(page).not.toContain('<b>render');
});

test('[S1-22] among many clusters, one whose controller is down is not folded away as updated', async () => {
  const names = ['a-prod', 'b', 'c', 'd', 'e'];
  const folded = async (parts: readonly OperatorPart[]) =>
    (await shown(parts, names)).page.match(/<details class="card cluster">/g)?.length;

  expect(await folded([controller])).toBe(names.length);
  expect(await folded([{ ...controller, state: 'progressing', says: 'Working towards 4.18.1' }])).toBe(names.length);
  for (const state of ['down', 'degraded'] as const)
    expect(await folded([{ ...controller, state, says: '0 of 1 ready' }])).toBe(names.length - 1);
});

test.each(['down', 'degraded'] as const)('[S1-22] [N-29] all is not clear while a part is %s', async (state) => {
  const { status, words } = await shown([{ ...controller, state, says: '0 of 1 ready' }], ['prod', 'test']);

  const sentence = '1 cluster whose Machine Config Operator is down or degraded.';
  expect(status.summary).toMatchObject({ state: 'trouble', operatorsDown: 1, sentence });
  expect(words).toContain(sentence);
  expect(words).not.toContain('All clear');
});

test('[S1-22] of many clusters, one whose controller is down is among those that are shown whole', async () => {
  const names = ['z-prod', ...Array.from({ length: 60 }, (_, index) => `c${index}`)];

  const { status } = await shown([{ ...controller, state: 'down', says: '0 of 1 ready' }], names);

  expect(status.clusters[0]).toMatchObject({ name: 'z-prod', whole: true });
});
