import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pushOutcomes } from '../../../functions/adapters/aws/push-outcomes.ts';
import { relayedPushes, relayNotes } from '../../../functions/adapters/aws/relay-notes.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { PushOutcome } from '../../../functions/core/relay/push-outcome.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { fakeClock } from '../../fakes/index.ts';

let table: EmbeddedTable;
beforeAll(async () => {
  table = await startEmbeddedTable();
});
afterAll(() => table.stop());

const clock = fakeClock();
const storedBy = () => ({ ...systemRuntime, client: table.client, table: table.table, clock: clock.now });

function aSend(delivery: string, receivedAt = '2026-03-02T10:00:00.000Z') {
  return { delivery, receivedAt, argocd: 'hub', endpoint: 'applications' as const, round: 1 as const };
}

function anOutcome(change: Partial<PushOutcome> & Pick<PushOutcome, 'delivery'>): PushOutcome {
  return {
    receivedAt: '2026-03-02T10:00:00.000Z',
    decidedAt: '2026-03-02T10:00:01.000Z',
    unasked: [],
    unseen: [],
    paused: [{ cluster: 'prod', pool: 'worker', hold: 'sync/hub/argocd/nodes', since: '2026-03-02T10:00:01.000Z' }],
    ...change,
  };
}

const receptionOf = (delivery: string) => anOutcome({ delivery });

describe('who makes which POST', () => {
  test('[N-26] of twenty at once, one', async () => {
    const notes = relayNotes(storedBy());

    const claims = await Promise.all(Array.from({ length: 20 }, () => notes.claim(aSend('n-20'), 20)));

    expect(claims.filter(({ kind }) => kind === 'mine')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'taken')).toHaveLength(19);
  });

  test('[N-26] whoever died over it is followed by another, once its time is up', async () => {
    const notes = relayNotes(storedBy());
    await notes.claim(aSend('n-dead'), 20);

    clock.advance(19);
    const early = await notes.claim(aSend('n-dead'), 20);
    clock.advance(1);
    const late = await notes.claim(aSend('n-dead'), 20);

    expect([early, late.kind]).toEqual([{ kind: 'taken', untilSeconds: 1 }, 'mine']);
  });

  test('[N-26] what was accepted is not made again, what follows it is', async () => {
    const notes = relayNotes(storedBy());
    const accepted = {
      at: '2026-03-02T10:00:04.000Z',
      receivedAt: '2026-03-02T10:00:00.000Z',
      isLate: false,
      why: 'confirmed paused: prod/worker',
    };
    const first = await notes.claim(aSend('n-accepted'), 20);
    if (first.kind !== 'mine') throw new Error('not mine');

    await notes.settle(first, { kind: 'accepted', accepted });
    const second = await notes.claim(aSend('n-accepted'), 20);
    if (second.kind !== 'mine') throw new Error('not mine');
    await notes.settle(second, { kind: 'done' });
    const third = await notes.claim(aSend('n-accepted', '2026-03-02T11:00:00.000Z'), 20);

    expect([second.accepted, third]).toEqual([accepted, { kind: 'done' }]);
  });

  test('[N-26] what was refused may be tried by another reception of it only', async () => {
    const notes = relayNotes(storedBy());
    const claim = await notes.claim(aSend('n-refused'), 20);
    if (claim.kind !== 'mine') throw new Error('not mine');

    await notes.settle(claim, { kind: 'refused' });

    expect(await notes.claim(aSend('n-refused'), 20)).toEqual({ kind: 'done' });
    expect(await notes.claim(aSend('n-refused', '2026-03-02T11:00:00.000Z'), 20)).toMatchObject({ kind: 'mine' });
  });

  test('a claim whose time was up changes nothing of its successor', async () => {
    const notes = relayNotes(storedBy());
    const first = await notes.claim(aSend('n-slow'), 20);
    clock.advance(30);
    const second = await notes.claim(aSend('n-slow'), 20);
    if (first.kind !== 'mine' || second.kind !== 'mine') throw new Error('not mine');

    await notes.settle(first, { kind: 'free' });

    expect(await notes.claim(aSend('n-slow'), 20)).toMatchObject({ kind: 'taken' });
  });
});

describe('whether Argo CD has got a push', () => {
  const to = (delivery: string) => ({ delivery, argocd: 'hub', endpoint: 'applications' as const });
  const again = '2026-03-02T11:00:00.000Z';

  test('[N-26] it has what it has accepted, as of the reception that it accepted', async () => {
    const [notes, relayed] = [relayNotes(storedBy()), relayedPushes(storedBy())];
    const seen: unknown[] = [await relayed.acceptedAsOf(to('g-1'))];
    const settle = async (receivedAt: string, outcome: Parameters<typeof notes.settle>[1]) => {
      const claim = await notes.claim(aSend('g-1', receivedAt), 20);
      if (claim.kind !== 'mine') throw new Error('not mine');
      seen.push(await relayed.acceptedAsOf(to('g-1')));
      await notes.settle(claim, outcome);
      seen.push(await relayed.acceptedAsOf(to('g-1')));
    };

    await settle('2026-03-02T10:00:00.000Z', { kind: 'free' });
    await settle('2026-03-02T10:00:00.000Z', { kind: 'refused' });
    await settle(again, { kind: 'accepted', accepted: { at: again, receivedAt: again, isLate: false, why: '' } });
    await settle('2026-03-02T12:00:00.000Z', { kind: 'done' });

    expect(seen).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, again, again, again]);
  });
});

describe('what a push came to', () => {
  test('[N-26] is read as it was noted, for four days', async () => {
    const outcomes = pushOutcomes(storedBy());
    await outcomes.save(anOutcome({ delivery: 'o-1' }));

    const noted = await outcomes.load(receptionOf('o-1'));
    clock.advance(4 * 24 * 3600);

    expect(noted).toEqual(anOutcome({ delivery: 'o-1' }));
    expect(await outcomes.load(receptionOf('o-1'))).toBeUndefined();
    expect(await outcomes.load(receptionOf('o-2'))).toBeUndefined();
  });

  test('[N-26] once everybody was seen, a pass that lost sight of a cluster takes nothing back', async () => {
    const outcomes = pushOutcomes(storedBy());
    await outcomes.save(anOutcome({ delivery: 'o-3', unseen: ['prod'], paused: [] }));
    await outcomes.save(anOutcome({ delivery: 'o-3' }));

    await outcomes.save(anOutcome({ delivery: 'o-3', unasked: ['hub'], paused: [] }));

    expect(await outcomes.load(receptionOf('o-3'))).toEqual(anOutcome({ delivery: 'o-3' }));
  });

  test('[N-26] of one reception says nothing of another', async () => {
    const outcomes = pushOutcomes(storedBy());
    const again = { delivery: 'o-again', receivedAt: '2026-03-02T11:00:00.000Z' };
    await outcomes.save(anOutcome({ delivery: 'o-again' }));

    const before = await outcomes.load(again);
    await outcomes.save(anOutcome({ ...again, unseen: ['prod'] }));

    expect([before, (await outcomes.load(again))?.unseen]).toEqual([undefined, ['prod']]);
    expect((await outcomes.load(receptionOf('o-again')))?.unseen).toEqual([]);
  });

  test('[N-30] [N-26] is stored however many Applications it concerns, and names every pool', async () => {
    const outcomes = pushOutcomes(storedBy());
    const since = '2026-03-02T10:00:01.000Z';
    const paused = Array.from({ length: 40_000 }, (_, index) => ({
      ...{ cluster: 'prod', pool: `pool-${index % 20}`, since },
      hold: `sync/${index < 20_000 ? 'hub' : 'edge'}/team/${'x'.repeat(200)}-${index}`,
    }));

    await outcomes.save(anOutcome({ delivery: 'o-many', paused }));

    const stored = await outcomes.load(receptionOf('o-many'));
    const names = ({ pool, hold }: PushOutcome['paused'][number]) => `${pool} ${hold.slice(0, 9)}`;
    expect(stored?.unseen).toEqual([]);
    expect(new Set(stored?.paused.map(names))).toEqual(new Set(paused.map(names)));
  });

  test('[N-30] [N-26] is stored for however many pools, and those that are not named are waited for', async () => {
    const outcomes = pushOutcomes(storedBy());
    const paused = Array.from({ length: 4_000 }, (_, index) => ({
      ...{ cluster: `cluster-${index % 400}`, pool: 'p'.repeat(200), since: '2026-03-02T10:00:01.000Z' },
      hold: `sync/hub-${index}/team/${'x'.repeat(250)}`,
    }));

    await outcomes.save(anOutcome({ delivery: 'o-pools', paused }));

    const stored = await outcomes.load(receptionOf('o-pools'));
    const clusters = new Set([...(stored?.unseen ?? []), ...(stored?.paused ?? []).map(({ cluster }) => cluster)]);
    expect(clusters.size).toBe(400);
    expect(stored?.paused.length).toBeGreaterThan(200);
  });
});
