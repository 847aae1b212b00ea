import { describe, expect, test } from 'vitest';
import type { Node } from '../../../../functions/core/openshift/node.ts';
import { advanceRace, type RaceFacts } from '../../../../functions/core/races/judge-race.ts';
import { joinRaces, type Race } from '../../../../functions/core/races/race.ts';
import { aNode, aPool, aRace } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';

const pushedAt = '2026-03-02T10:00:00.000Z';
const operation = '2026-03-02T10:00:01Z';
const before = 'rendered-worker-aaa';
const target = { name: before, sources: [] };
const record = { kind: 'record', record: { v: 1, pause: 'ours', pausedSince: pushedAt, holds: [] } } as const;
const ours = { ...record, record: { ...record.record, holds: [] } };
const pool = aPool({ paused: true, generation: 4, observedGeneration: 4, target, record: ours });

function facts(change: Partial<RaceFacts> = {}): RaceFacts {
  return {
    cluster: 'prod',
    hold: { id: 'sync/hub/openshift-gitops/nodes', since: pushedAt, pushedAt },
    pool,
    pauseGeneration: 4,
    nodes: undefined,
    operation: undefined,
    hasApplied: false,
    appliedAt: undefined,
    isOver: false,
    isPausedStill: true,
    confirmWithinSeconds: 60,
    now: new Date('2026-03-02T10:00:05Z'),
    ...change,
  };
}

/** A race that began before anything was applied, and then saw these. */
function raced(...seen: readonly Partial<RaceFacts>[]): Race {
  return [{}, ...seen].reduce<Race | undefined>((race, change) => advanceRace(race, facts(change)), undefined) as Race;
}

const rolling = (name: string, desiredConfig: string, targetedAt?: string) =>
  aNode({ name, currentConfig: 'rendered-worker-old', desiredConfig, targetedAt });

describe('[N-29] nodes of an earlier rollout', () => {
  test('[S0-6] that were targeted an hour before the push are not missed: they go on, and are named', () => {
    const nodes = [rolling('worker-1', before, '2026-03-02T09:00:00Z')];

    const race = raced({ nodes }, { operation, isOver: true });

    expect(race).toMatchObject({ verdict: 'early', missedNodes: [], rollingBefore: ['worker-1'] });
  });

  test('are known by where they go, too: managedFields give a later write of the same manager', () => {
    const nodes = [rolling('worker-1', before, '2026-03-02T10:00:03Z')];

    expect(raced({ nodes }).rollingBefore).toEqual(['worker-1']);
  });

  test('are told from those that were targeted because of the change', () => {
    const nodes = [
      rolling('worker-1', before, '2026-03-02T09:00:00Z'),
      rolling('worker-2', 'rendered-worker-bbb', '2026-03-02T10:00:03Z'),
    ];

    expect(raced({ nodes, operation })).toMatchObject({
      verdict: 'late',
      missedNodes: ['worker-2'],
      rollingBefore: ['worker-1'],
      firstTargetedAt: '2026-03-02T10:00:03Z',
    });
  });

  test('where the change was applied before anybody looked, its target says nothing, and the time decides', () => {
    const late = advanceRace(undefined, facts({ operation, hasApplied: true }));
    const nodes = [rolling('worker-1', before, '2026-03-02T10:00:03Z')];

    expect(advanceRace(late, facts({ nodes, operation, hasApplied: true })).missedNodes).toEqual(['worker-1']);
  });
});

describe('[N-28] a verdict is about the own operation of the hold, or there is none', () => {
  test('[N-29] a push that no sync followed is not judged, and its race is over', () => {
    const race = raced({ nodes: [] }, { isOver: true, isPausedStill: false });

    expect(race).toMatchObject({ verdict: undefined, endedAt: '2026-03-02T10:00:05.000Z', appliedAt: undefined });
  });

  test('a pause that is not confirmed is not called unprotected while no sync runs', () => {
    const unconfirmed = { pool: { ...pool, observedGeneration: 3 }, now: new Date('2026-03-02T10:10:00Z') };

    expect(raced(unconfirmed).verdict).toBeUndefined();
    expect(raced({ ...unconfirmed, operation }).verdict).toBe('unprotected');
  });

  test('[property] whatever is seen in whatever order, no node of the rollout before is ever missed', () => {
    const node = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      desiredConfig: fc.constantFrom(before, 'rendered-worker-bbb'),
      targetedAt: fc.constantFrom(undefined, '2026-03-02T09:00:00Z', '2026-03-02T10:00:03Z'),
    });
    const look = fc.record({
      nodes: fc.option(fc.array(node, { maxLength: 3 }), { nil: undefined }),
      operation: fc.constantFrom(undefined, operation),
      isOver: fc.boolean(),
      isPausedStill: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 5 }), (looks) => {
        const seen = looks.map((each) => ({
          ...each,
          nodes: each.nodes?.map((one): Node => aNode({ currentConfig: 'rendered-worker-old', ...one })),
        }));
        const race = raced(...seen);
        const earlier = seen.flatMap(({ nodes = [] }) =>
          nodes.filter((one) => one.desiredConfig === before || one.targetedAt === '2026-03-02T09:00:00Z'),
        );
        const others = seen.flatMap(({ nodes = [] }) => nodes.filter((one) => !earlier.includes(one)));

        for (const missed of race.missedNodes) expect(others.map(({ name }) => name)).toContain(missed);
        expect(race.verdict === undefined || race.operation !== undefined || race.verdict === 'late').toBe(true);
      }),
    );
  });
});

test('[N-28] two passes that judged by confirmations of their own join to what their joined times say', () => {
  const first = aRace({ confirmedAt: '2026-03-02T10:00:01.400Z', appliedAt: undefined, verdict: undefined });
  const second = aRace({
    confirmedAt: '2026-03-02T10:00:03.000Z',
    appliedAt: '2026-03-02T10:00:01Z',
    verdict: 'in time',
  });

  expect(joinRaces(first, second)).toMatchObject({
    confirmedAt: '2026-03-02T10:00:01.400Z',
    appliedAt: '2026-03-02T10:00:01Z',
    verdict: 'early',
  });
});
