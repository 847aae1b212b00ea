import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../functions/core/findings/question.ts';
import { type SequenceCluster, type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';

const classes = '/apis/storage.k8s.io/v1/storageclasses';

/** Packets to the cluster are dropped: each call takes its ten seconds, calls at once the same ten. Returns how many
 *  there were. */
function dropsPackets(cluster: SequenceCluster, { lab: { world } }: SequenceLab): () => number {
  let calls = 0;
  Object.assign(cluster.ports.reader, {
    async read(): Promise<Answer> {
      calls += 1;
      const end = world.clock.now().getTime() + 10_000;
      await Promise.resolve();
      world.clock.set(new Date(Math.max(end, world.clock.now().getTime())));
      return { kind: 'failed', why: 'no complete answer in time', readAt: world.clock.now(), isUnreachable: true };
    },
  });
  return () => calls;
}

/** Gates of one step, each of which may be open in one of five ways. */
function gates(count: number) {
  const any = Array.from({ length: 5 }, (_, index) => ({ resourceType: 'sc', resourceName: `class-${index}` }));
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`gate-${index}`, { kind: 'check', waitFor: { any } }]),
  );
}

async function secondsOf(lab: SequenceLab): Promise<number> {
  const { clock } = lab.lab.world;
  const before = clock.now().getTime();
  await lab.tick();
  return (clock.now().getTime() - before) / 1000 - 60;
}

describe('a cluster of a sequence that drops packets', () => {
  it('[S2-18] [S2-19] [N-30] does not make the pass long, and what was not read is unseen', async () => {
    const lab = sequenceLab(gates(60), { clusters: ['prod', 'edge'] });
    lab.prod.objects.set(`${classes}/class-4`, { metadata: { name: 'class-4' } });
    const calls = dropsPackets(lab.edge, lab);

    const seconds = await secondsOf(lab);

    expect(seconds).toBeLessThanOrEqual(30);
    expect(calls()).toBeLessThanOrEqual(40);
    const states = Object.entries(lab.record().items).map(([id, { state }]) => [id.includes('@edge/'), state]);
    expect(new Set(states.filter(([isEdge]) => isEdge).map(([, state]) => state))).toEqual(new Set(['unseen']));
    expect(lab.record().items['gate-59@prod/any']?.state).toBe('healthy');
  });

  it('[S2-18] [N-30] costs one attempt a pass, however many sequences there are, and holds no other up', async () => {
    const lab = sequenceLab(gates(1));
    const named = Array.from({ length: 30 }, (_, index) => `s${index}`);
    const each = { clusters: ['prod', 'edge'], steps: gates(5) };
    lab.configureAll(Object.fromEntries([...named.map((name) => [name, each]), [sequenceName, { steps: gates(1) }]]));
    lab.prod.objects.set(`${classes}/class-0`, { metadata: { name: 'class-0' } });
    const calls = dropsPackets(lab.edge, lab);

    expect(await secondsOf(lab)).toBeLessThanOrEqual(30);
    expect(calls()).toBeLessThanOrEqual(20);
    expect(lab.record().done).toBeDefined();
  });

  it('[S2-18] [N-30] is asked again by the next tick, and goes on when it answers', async () => {
    const lab = sequenceLab(gates(3), { clusters: ['prod', 'edge'] });
    const { reader } = lab.edge.ports;
    const { read } = reader;
    for (const cluster of [lab.prod, lab.edge])
      cluster.objects.set(`${classes}/class-0`, { metadata: { name: 'class-0' } });
    dropsPackets(lab.edge, lab);
    await lab.tick();
    Object.assign(reader, { read });

    await lab.tick();
    await lab.tick();

    expect(lab.record().done).toBeDefined();
  });
});

describe('looks that take long', () => {
  it('[S2-18] [N-30] end in time, and every sequence has its turn to be the first', async () => {
    const lab = sequenceLab(gates(1));
    const names = ['one', 'two', 'three'];
    lab.configureAll(Object.fromEntries(names.map((name) => [name, { steps: gates(1) }])));
    const { clock } = lab.lab.world;
    const { reader } = lab.prod.ports;
    const { read } = reader;
    Object.assign(reader, {
      read: (...asked: Parameters<typeof read>) => {
        clock.set(new Date(clock.now().getTime() + 9_000));
        return read(...asked);
      },
    });

    for (let minute = 0; minute < 3; minute += 1) expect(await secondsOf(lab)).toBeLessThanOrEqual(30);

    const records = names.map((name) => lab.prod.records.get(`poolkeeper/${name}`)?.text);
    expect(records.every((text) => text !== undefined)).toBe(true);
  });
});
