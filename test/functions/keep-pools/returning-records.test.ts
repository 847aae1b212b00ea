import { describe, expect, it } from 'vitest';
import { parseSequenceRecord, type SequenceRecord } from '../../../functions/core/sequences/record.ts';
import { fakePools } from '../../fakes/fake-pools.ts';
import { failures, type Watch } from '../failing-calls.ts';
import { ask, only, ticks, timelineOf } from './moving-sequences.ts';
import { type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';

const ceph = '/apis/storage.k8s.io/v1/storageclasses/ceph';
const last = '/api/v1/namespaces/shop/configmaps/settings';
const key = `poolkeeper/${sequenceName}`;
const elsewhere = `elsewhere/${sequenceName}`;

const waitFor = { resourceType: 'sc', resourceName: 'ceph' };
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };

/** Its record is on cluster prod; what it waits for, and what it applies then, on cluster edge. */
const applies = {
  clusters: ['prod', 'edge'],
  onAbort: 'restore',
  steps: {
    storage: { kind: 'check', waitFor, wave: 5, clusters: ['edge'] },
    last: { kind: 'object', object: 'settings', wave: 8, clusters: ['edge'] },
  },
  extraObjects: { settings },
};

/** Its record is on cluster prod; the pool that waits, on the same. */
const resumes = {
  clusters: ['edge', 'prod'],
  steps: {
    storage: { kind: 'check', waitFor, clusters: ['prod'] },
    nodes: { kind: 'pool', name: 'worker', wave: 10, clusters: ['prod'] },
  },
};

const isDown =
  (cluster: string): Watch =>
  ({ name, on }) =>
    on === cluster ? failures['timeout']?.(name) : undefined;

/** As where the account is gone. */
const prodForbids: Watch = ({ name, on }) => (on === 'prod' ? failures['403']?.(name) : undefined);

/** One look of the sequence fails. */
const blip: Watch = ({ name, on }) =>
  on === 'edge' && name === 'cluster.sequenceRecords.load' ? failures['timeout']?.(name) : undefined;

async function begun(sequence: Readonly<Record<string, unknown>>): Promise<SequenceLab> {
  const all = sequenceLab({});
  only(all, 'prod', 'edge');
  const { clock, faults } = all.lab.world;
  Object.assign(all.edge.ports, { pools: fakePools({ clock: clock.now, faults }) });
  all.configureAll({ [sequenceName]: sequence });
  await ticks(4, all);
  return all;
}

function recordOn({ records }: SequenceLab['prod'], at = key): SequenceRecord {
  const record = parseSequenceRecord(records.get(at)?.text ?? '');
  if (record === 'unreadable') throw new Error('there is no record');
  return record;
}

describe('a sequence that began anew while its first cluster was down for longer than is waited for', () => {
  const reversed = { ...applies, clusters: ['edge', 'prod'] };

  /** Aborted on prod, done on edge since. */
  async function done(): Promise<SequenceLab> {
    const all = await begun(applies);
    ask(all, { kind: 'abort', who: 'ann' }, all.prod, key);
    await ticks(5, all);
    await ticks(35, all, isDown('prod'));
    all.configureAll({ [sequenceName]: reversed });
    all.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(60, all, isDown('prod'));
    expect([all.edge.objects.has(last), recordOn(all.edge).done !== undefined]).toEqual([true, true]);
    return all;
  }

  it.each<[string, (all: SequenceLab) => Promise<void>]>([
    ['and it is moved back', async (all) => all.configureAll({ [sequenceName]: applies })],
    [
      'and Poolkeeper is down for five minutes',
      async (all) => {
        await ticks(5, all);
        all.lab.world.clock.advance(300);
      },
    ],
  ])('[S2-11] [S2-12] [N-30] an abort of before deletes nothing of it as that cluster is back %s', async (_, then) => {
    const all = await done();

    await then(all);
    await ticks(10, all);

    expect(all.edge.objects.has(last)).toBe(true);
  });

  it('[S2-11] [N-30] what people say lets it go, also after a look that failed, while that cluster refuses', async () => {
    const all = await begun(applies);
    await ticks(2, all, prodForbids);
    all.configureAll({ [sequenceName]: reversed });
    await ticks(5, all, prodForbids);
    expect(all.edge.records.has(key)).toBe(false);
    ask(all, { kind: 'go-on', who: 'bob' }, all.edge, key);
    await ticks(3, all, prodForbids);
    await ticks(1, all, (call) => blip(call) ?? prodForbids(call));
    all.edge.objects.set(ceph, { metadata: { name: 'ceph' } });

    await ticks(5, all, prodForbids);

    expect(all.edge.objects.has(last)).toBe(true);
  });
});

describe('a pool that waits for a sequence that began anew', () => {
  /** Its first cluster is edge, which goes down; then prod is, where a change waits. */
  async function waiting(said: (all: SequenceLab) => void): Promise<SequenceLab> {
    const all = await begun(resumes);
    said(all);
    await ticks(10, all);
    await ticks(35, all, isDown('edge'));
    all.configureAll({ [sequenceName]: { ...resumes, clusters: ['prod', 'edge'] } });
    await ticks(5, all, isDown('edge'));
    return all;
  }

  async function heldAsItIsBack(all: SequenceLab): Promise<boolean> {
    const target = { name: 'rendered-worker-new', sources: ['99-worker-ssh'] };
    all.lab.world.pools.change('worker', 'machine-config-controller', { target });
    await all.resumable();
    await ticks(10, all, isDown('edge'));
    expect(all.lab.pool().paused).toBe(true);
    await ticks(5, all);
    all.lab.world.clock.advance(240);
    await ticks(10, all);
    return all.lab.pool().paused;
  }

  it('[S2-11] [N-29] is not let go by an abort of before', async () => {
    const all = await waiting((each) => ask(each, { kind: 'abort', who: 'ann' }, each.edge, key));

    expect(await heldAsItIsBack(all)).toBe(true);
    expect(recordOn(all.prod).paused?.who).toBe('ann');
  });

  it('[S2-11] [N-29] nor by a skip of before', async () => {
    const skip = { kind: 'skip', who: 'ann', item: 'storage@prod/waitFor' } as const;
    const all = await waiting((each) => ask(each, skip, each.edge, key));

    expect(await heldAsItIsBack(all)).toBe(true);
  });

  it('[S2-11] [N-29] and an abort of before is over once somebody has told it to go on', async () => {
    const all = await waiting((each) => ask(each, { kind: 'abort', who: 'ann' }, each.edge, key));
    ask(all, { kind: 'go-on', who: 'bob' }, all.prod, key);
    await ticks(2, all, isDown('edge'));

    expect(await heldAsItIsBack(all)).toBe(true);
    expect([recordOn(all.prod).paused, recordOn(all.prod).aborted]).toEqual([undefined, undefined]);
  });
});

describe('what people say of a sequence in its new place, before anybody has looked there', () => {
  const reversed = { ...applies, clusters: ['edge', 'prod'] };

  async function isStopped(all: SequenceLab, who: string): Promise<void> {
    all.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(6, all);
    expect(all.edge.objects.has(last)).toBe(false);
    expect(recordOn(all.edge).paused?.who).toBe(who);
  }

  it('[S2-11] [N-30] counts as its former cluster is back, though that finds only then that it was left', async () => {
    const all = await begun(applies);
    await ticks(3, all, isDown('prod'));
    all.configureAll({ [sequenceName]: reversed });
    await ticks(3, all, isDown('prod'));
    ask(all, { kind: 'pause', who: 'ann' }, all.edge, key);
    await ticks(8, all, isDown('prod'));

    await ticks(3, all);

    await isStopped(all, 'ann');
  });

  it('[S2-11] [N-30] counts as Poolkeeper is back only minutes after it was moved', async () => {
    const all = await begun(applies);
    all.configureAll({ [sequenceName]: reversed });
    ask(all, { kind: 'pause', who: 'ann' }, all.edge, key);
    all.lab.world.clock.advance(600);

    await ticks(3, all);

    await isStopped(all, 'ann');
  });

  it('[S2-11] [N-22] counts once when it was said in Slack', async () => {
    const all = await begun(applies);
    all.configureAll({ [sequenceName]: reversed });
    await ticks(2, all, isDown('prod'));
    const said = { who: 'bob (Slack U1)', why: 'button', at: all.lab.world.clock.now().toISOString() };
    const request = { kind: 'pause', said } as const;
    await all.lab.world.tables.sequenceRequests.save({ id: 'x1', sequence: sequenceName, request });
    await ticks(2, all, isDown('prod'));

    await ticks(3, all);

    await isStopped(all, said.who);
    expect(recordOn(all.edge).log.filter(({ what }) => what.includes('paused by'))).toHaveLength(1);
  });
});

describe('what people say of a sequence in its new place, while its former cluster is down', () => {
  const reversed = { ...applies, clusters: ['edge', 'prod'] };

  /** It is moved because its first cluster is down, and that is back ten minutes after what is said. */
  async function saidMeanwhile(all: SequenceLab, request: Parameters<typeof ask>[1]): Promise<SequenceRecord> {
    await ticks(3, all);
    await ticks(3, all, isDown('prod'));
    all.configureAll({ [sequenceName]: reversed });
    await ticks(3, all, isDown('prod'));
    ask(all, request, all.edge, key);
    await ticks(10, all, isDown('prod'));
    await ticks(5, all);
    return recordOn(all.edge);
  }

  it('[S2-11] [N-30] go-on counts', async () => {
    const all = await begun(applies);
    ask(all, { kind: 'pause', who: 'ann' }, all.prod, key);

    const record = await saidMeanwhile(all, { kind: 'go-on', who: 'bob' });

    expect(record.paused).toBeUndefined();
    expect((await timelineOf(all)).join()).not.toContain('before the move');
  });

  it('[S2-11] [N-30] an abort counts as one', async () => {
    const all = await begun(applies);
    all.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(6, all);
    expect(all.edge.objects.has(last)).toBe(true);

    const record = await saidMeanwhile(all, { kind: 'abort', who: 'bob' });

    expect([record.aborted?.who, all.edge.objects.has(last)]).toEqual(['bob', false]);
  });

  it('[S2-11] [N-30] a skip counts', async () => {
    const all = await begun(applies);

    const record = await saidMeanwhile(all, { kind: 'skip', who: 'bob', item: 'storage@edge/waitFor' });

    expect(Object.keys(record.skipped)).toEqual(['storage@edge/waitFor']);
  });

  it('[S2-11] [N-30] so it does after minutes without Poolkeeper, where the first look fails', async () => {
    const all = await begun(applies);
    ask(all, { kind: 'pause', who: 'ann' }, all.prod, key);
    await ticks(3, all);
    all.configureAll({ [sequenceName]: { ...applies, namespace: 'elsewhere' } });
    all.lab.world.clock.advance(60);
    ask(all, { kind: 'go-on', who: 'bob' }, all.prod, elsewhere);
    all.lab.world.clock.advance(540);
    const isUnread: Watch = ({ name, on }) =>
      on === 'prod' && name === 'cluster.sequenceRecords.load' ? failures['timeout']?.(name) : undefined;
    await ticks(1, all, isUnread);

    await ticks(5, all);

    expect(recordOn(all.prod, elsewhere).paused).toBeUndefined();
  });
});

describe('what people say of a sequence by a file that is deployed days later', () => {
  const threeDays = 3 * 86_400;

  async function deployedLater(all: SequenceLab, sequence: Readonly<Record<string, unknown>>): Promise<void> {
    await ticks(10, all);
    all.lab.world.clock.advance(threeDays);
    await ticks(10, all);
    all.configureAll({ [sequenceName]: { ...sequence, namespace: 'elsewhere' } });
    await ticks(10, all);
  }

  /** Its pool waits for the sequence. */
  async function waiting(...before: readonly Parameters<typeof ask>[1][]): Promise<SequenceLab> {
    const all = await begun({ ...resumes, clusters: ['prod', 'edge'] });
    for (const each of before) ask(all, each, all.prod, key);
    await ticks(3, all);
    const target = { name: 'rendered-worker-new', sources: ['99-worker-ssh'] };
    all.lab.world.pools.change('worker', 'machine-config-controller', { target });
    await all.resumable();
    await ticks(10, all);
    return all;
  }

  it('[S2-11] [N-30] go-on does not lift the pause of before, and that is told', async () => {
    const all = await waiting({ kind: 'pause', who: 'ann' });
    all.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    ask(all, { kind: 'go-on', who: 'bob' }, all.prod, elsewhere);

    await deployedLater(all, { ...resumes, clusters: ['prod', 'edge'] });

    expect([recordOn(all.prod, elsewhere).paused?.who, all.lab.pool().paused]).toEqual(['ann', true]);
    expect((await timelineOf(all)).join()).toContain('what people said here before the move does not count');
  });

  it('[S2-11] [N-30] a skip does not open its gate', async () => {
    const all = await waiting();
    ask(all, { kind: 'skip', who: 'bob', item: 'storage@prod/waitFor' }, all.prod, elsewhere);

    await deployedLater(all, { ...resumes, clusters: ['prod', 'edge'] });

    expect(all.lab.pool().paused).toBe(true);
  });

  it.each([['abort'], ['pause', 'abort']] as const)(
    '[S2-11] [N-30] %s pauses it, and deletes nothing',
    async (...kinds) => {
      const all = await begun(applies);
      for (const kind of kinds.slice(0, -1)) ask(all, { kind, who: 'ann' }, all.prod, elsewhere);
      await ticks(2, all);
      all.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
      await ticks(10, all);
      ask(all, { kind: 'abort', who: 'bob' }, all.prod, elsewhere);

      await deployedLater(all, applies);

      expect(all.edge.objects.has(last)).toBe(true);
      expect([recordOn(all.prod, elsewhere).paused?.who, recordOn(all.prod, elsewhere).aborted]).toEqual([
        'bob',
        undefined,
      ]);
      expect((await timelineOf(all)).join()).toContain('the stop by bob alone counts, as a pause');
    },
  );
});

describe('what people say of a sequence while another place is its own', () => {
  it.each(['abort', 'pause'] as const)(
    '[S2-11] [N-30] %s by a file of before does not count when it is moved back weeks later',
    async (kind) => {
      const all = await begun(applies);
      all.configureAll({ [sequenceName]: { ...applies, namespace: 'elsewhere' } });
      await ticks(5, all);
      expect([...all.prod.records.keys()]).toEqual([elsewhere]);
      ask(all, { kind, who: 'ann' }, all.prod, key);
      all.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
      await ticks(60, all);
      expect(all.edge.objects.has(last)).toBe(true);

      all.configureAll({ [sequenceName]: applies });
      await ticks(10, all);

      expect(all.edge.objects.has(last)).toBe(true);
      expect([all.record().paused, all.record().aborted]).toEqual([undefined, undefined]);
      expect((await timelineOf(all)).join()).toContain('what people said here before the move does not count');
    },
  );

  it.each(['go-on', 'abort'] as const)(
    '[S2-11] [N-22] %s in Slack counts while the record of before may not be read',
    async (kind) => {
      const all = await begun(applies);
      const refused: Watch = ({ name, args: [namespace] }) =>
        name.startsWith('cluster.sequenceRecords') && namespace === 'poolkeeper' ? failures['403']?.(name) : undefined;
      all.configureAll({ [sequenceName]: { ...applies, namespace: 'elsewhere' } });
      await ticks(3, all, refused);
      expect(all.prod.records.has(elsewhere)).toBe(false);
      const said = { who: 'bob (Slack U1)', why: 'button', at: all.lab.world.clock.now().toISOString() };
      await all.lab.world.tables.sequenceRequests.save({ id: 'x1', sequence: sequenceName, request: { kind, said } });

      await ticks(3, all, refused);

      const { aborted, log } = recordOn(all.prod, elsewhere);
      expect(log.filter(({ what }) => what.includes('bob'))).toHaveLength(1);
      expect(aborted?.who).toBe(kind === 'abort' ? said.who : undefined);
      expect((await timelineOf(all)).join()).toContain('its record on cluster prod cannot be read');
    },
  );
});
