import { expect, test } from 'vitest';
import { dynamoCheckpoints } from '../../../functions/adapters/aws/dynamo-checkpoints.ts';
import type { Row } from '../../../functions/adapters/aws/row.ts';
import type { RowKey, Table } from '../../../functions/adapters/aws/table.ts';
import type { Application } from '../../../functions/core/argocd/application.ts';
import { addManualHold } from '../../../functions/core/holds/manual-hold.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { writeByHand } from '../../../local/cli/write-pool.ts';
import { anApplication, anOperation, aPool, naming } from '../../fakes/index.ts';
import { type KeepLab, keepLab, tickOf } from './keep-lab.ts';

const pools = Array.from({ length: 20 }, (_, index) => `pool-${index}`);

/** Of the table, what checkpoints need. */
function rowsInMemory(): Table {
  const rows = new Map<string, Row>();
  const nameOf = ({ pk, sk }: RowKey) => `${pk} ${sk}`;
  const unused = async (): Promise<never> => {
    throw new Error('not needed here');
  };
  return {
    read: async (key) => rows.get(nameOf(key)),
    write: async ({ keepSeconds: ttl, ...draft }, condition) => {
      const stored = rows.get(nameOf(draft));
      const isMet = condition.kind === 'version' ? stored?.version === condition.version : stored === undefined;
      if (!isMet) return { kind: 'refused', stored };
      rows.set(nameOf(draft), { ...draft, ttl, writer: 'writer' });
      return { kind: 'written' };
    },
    query: unused,
    increment: unused,
    remember: unused,
  };
}

function running(namespace: string, name: string, on: readonly string[]): Application {
  const operation = anOperation({ phase: 'Running', finishedAt: undefined, results: [] });
  const named = naming(on.join(), { mayRemove: false });
  return anApplication({ name, namespace, uid: name, resources: [], ...named, operation, operationQueued: true });
}

const long = 'x'.repeat(120);

/** Of one tenant sixty Applications that hold twenty pools each, which is more than a checkpoint has room for. */
function crowded(): { readonly lab: KeepLab; minute(): Promise<readonly string[]> } {
  const lab = keepLab({ policy: { sweepEverySeconds: 60 } });
  const { world } = lab;
  for (const name of pools) world.pools.put(aPool({ name, uid: `uid-${name}` }));
  for (let index = 0; index < 60; index += 1) world.argocd.put(running('team-x', `${long}-${index}`, pools));
  const ports = { ...lab.ports, checkpoints: dynamoCheckpoints(rowsInMemory()) };
  return {
    lab,
    minute: async () => {
      world.clock.advance(60);
      const before = world.bus.published.length;
      await keep(tickOf(world.clock.now()), ports);
      for (const name of pools) world.pools.observe(name);
      return world.bus.published.slice(before).map(({ id }) => id);
    },
  };
}

test('[N-30] thousands of holds are told and stored once: a pass in which nothing happens repeats nothing', async () => {
  const { lab, minute } = crowded();

  const [held, confirmed] = [await minute(), await minute()];
  const races = lab.world.tables.races.all();

  expect(held.filter((id) => id.includes('/held/'))).toHaveLength(1200);
  expect(confirmed).toHaveLength(1200);
  expect(await minute()).toEqual([]);
  expect(lab.world.tables.races.all()).toEqual(races);
});

test('[N-30] beside thousands of holds that begin at once, the timeline lists those of others, and how many more there are', async () => {
  const { lab, minute } = crowded();
  lab.world.argocd.put(running('team-a', 'nodes', ['pool-3']));

  const told = await minute();

  const entries = lab.world.tables.timeline.all();
  const ids = new Set(entries.map(({ id }) => id));
  const listed = told.filter((id) => ids.has(id));
  expect(listed.filter((id) => id.includes('/held/'))).toHaveLength(1000);
  expect(listed.filter((id) => id.includes('team-a/nodes'))).toHaveLength(1);
  expect(listed.filter((id) => id.includes('/paused/'))).toHaveLength(20);
  expect(entries.map(({ text }) => text)).toContain(
    '201 more changes of holds at this time: of each namespace some are listed',
  );
});

test('[N-30] [S0-2] beside thousands of holds, a hold by hand goes on where its pool is deleted and made again', async () => {
  const { lab, minute } = crowded();
  const { pools: cluster, clock } = lab.world;
  const until = new Date(clock.now().getTime() + 3 * 3_600_000);
  await writeByHand(cluster, {
    pool: 'worker',
    decide: (pool) => addManualHold(pool, until, { who: 'ann', why: 'change stop', now: clock.now() }),
    event: () => ({ reason: 'ByHand', message: '', type: 'Normal', at: clock.now() }),
  });
  await minute();
  await minute();
  cluster.remove('worker');
  clock.advance(1);
  cluster.put(aPool({ uid: 'another', createdAt: clock.now().toISOString() }));

  await minute();

  expect(lab.pool().paused).toBe(true);
  expect(lab.record()?.holds).toMatchObject([{ id: 'manual/ann', who: 'ann', why: 'change stop' }]);
});

test('[N-30] [N-28] beside thousands of holds, those of others are told as they begin, change and end, once each', async () => {
  const { lab, minute } = crowded();
  await minute();
  await minute();
  const { argocd, tables } = lab.world;

  argocd.put(running('team-a', 'nodes', ['pool-3']));
  const began = [...(await minute()), ...(await minute())];
  const operation = { ...anOperation({ results: [] }), startedAt: '2026-03-02T10:04:00Z' };
  for (const name of ['nodes', `${long}-7`])
    argocd.change(name, { operation: { ...operation, phase: 'Running', finishedAt: undefined } });
  const changed = [...(await minute()), ...(await minute())];
  argocd.change('nodes', { operation, operationQueued: false });
  const ended = [...(await minute()), ...(await minute())];

  const ofOwn = (ids: readonly string[]) =>
    ids.filter((id) => id.includes('team-a/nodes')).map((id) => id.split('/')[2]);
  expect(ofOwn(began)).toEqual(['held', 'confirmed']);
  expect(ofOwn(changed)).toEqual(['held']);
  expect(changed.filter((id) => id.includes('/held/'))).toHaveLength(1 + 20);
  expect(ofOwn(ended)).toEqual(['released', 'race']);
  expect(tables.races.all().filter(({ hold }) => hold === 'sync/hub/team-a/nodes')).toMatchObject([
    { verdict: 'early' },
  ]);
});
