import { describe, expect, test } from 'vitest';
import { Transient } from '../../functions/core/text/errors.ts';
import { aPool, Crashed, fakeWorld } from './index.ts';

/** Three effects and two reads, as a pass makes them. */
async function pass(world: ReturnType<typeof fakeWorld>): Promise<void> {
  const [pool] = (await world.pools.listPools()).items;
  if (pool === undefined) throw new Error('no pool');
  await world.pools.patchPool(pool, { paused: true });
  await world.bus.publish([]);
  await world.tables.checkpoints.load('prod');
  await world.tables.incidents.nextNumber();
}

function worldWithPool() {
  const world = fakeWorld();
  world.pools.put(aPool());
  return world;
}

describe('faults', () => {
  test('count calls and effects across all fakes of a world', async () => {
    const world = worldWithPool();

    await pass(world);

    expect(world.faults.calls.map(({ op, effect }) => [op, effect])).toEqual([
      ['pools.list', undefined],
      ['pools.patch', 0],
      ['bus.publish', 1],
      ['memories.load', undefined],
      ['incidents.nextNumber', 2],
    ]);
    expect(world.faults.effects()).toBe(3);
  });

  test.each([
    ['before', false],
    ['after', true],
  ] as const)('kill the process %s an effect, and everything it calls then', async (when, paused) => {
    const world = worldWithPool();
    world.faults.crashAtEffect(0, when);

    await expect(pass(world)).rejects.toBeInstanceOf(Crashed);

    expect(world.faults.crashed).toBe(true);
    expect(world.pools.get('worker').paused).toBe(paused);
    await expect(
      world.pools.recordEvent(aPool(), { reason: 'x', message: 'x', type: 'Normal', at: new Date(0) }),
    ).rejects.toBeInstanceOf(Crashed);
  });

  test('let the process come back to what was stored', async () => {
    const world = worldWithPool();
    world.faults.crashAtEffect(0, 'after');
    await pass(world).catch(() => undefined);

    world.faults.restart();
    await pass(world);

    expect(world.pools.get('worker').paused).toBe(true);
    expect(world.pools.patches).toHaveLength(2);
  });

  test('make one call fail, before or after it was done', async () => {
    const world = worldWithPool();
    world.faults.failNth('pools.patch', 1, {
      when: 'after',
      error: new Transient('answer lost', { kind: 'unreachable' }),
    });

    await expect(pass(world)).rejects.toThrow('answer lost');

    expect(world.pools.get('worker').paused).toBe(true);
  });

  test('make all calls of a kind fail until they are mended', async () => {
    const world = worldWithPool();
    const mend = world.faults.failAll(['pools.list']);

    await expect(pass(world)).rejects.toMatchObject({ name: 'Transient', kind: 'unreachable' });
    mend();
    await expect(pass(world)).resolves.toBeUndefined();
  });

  test('let another writer be faster', async () => {
    const world = worldWithPool();
    world.faults.meanwhile('pools.patch', 1, () => world.pools.change('worker', 'oc', { paused: true }));

    await expect(pass(world)).rejects.toMatchObject({ name: 'Transient', kind: 'conflict' });

    expect(world.pools.get('worker').pausedBy?.manager).toBe('oc');
  });

  test('are forgotten with their counts, but a dead process stays dead', async () => {
    const world = worldWithPool();
    world.faults.crashAtEffect(0, 'before');
    await pass(world).catch(() => undefined);

    world.faults.forget();

    await expect(pass(world)).rejects.toBeInstanceOf(Crashed);
    world.faults.restart();
    await expect(pass(world)).resolves.toBeUndefined();
    expect(world.faults.effects()).toBe(3);
  });
});

describe('a queue in memory', () => {
  test('gives what is due, earliest first, and again what comes back', async () => {
    const { work, clock } = fakeWorld();
    const tick = (id: string) =>
      ({
        specversion: '1.0',
        type: 'poolkeeper.tick.v1',
        id,
        source: '/test',
        time: '2026-03-02T10:00:00.000Z',
        data: { cluster: 'prod', why: 'clock' },
      }) as const;
    await work.send(tick('later'), 60);
    await work.send(tick('now'));

    const first = work.take();
    clock.advance(60);
    for (const message of first) work.back(message);
    const second = work.take();

    expect(first.map(({ event }) => event.id)).toEqual(['now']);
    expect(second.map(({ event }) => event.id)).toEqual(['later', 'now']);
    expect(work.waiting()).toEqual([]);
  });
});
