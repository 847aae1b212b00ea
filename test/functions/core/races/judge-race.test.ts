import { describe, expect, test } from 'vitest';
import type { Node } from '../../../../functions/core/openshift/node.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { advanceRace, type RaceFacts } from '../../../../functions/core/races/judge-race.ts';
import { joinRaces, type Race } from '../../../../functions/core/races/race.ts';
import { aNode, aPool, aRace } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { raceFacts } from './race-facts.ts';

const pushedAt = '2026-03-02T10:00:00.000Z';
const operation = '2026-03-02T10:00:01Z';
const before = 'rendered-worker-aaa';
const target = { name: before, sources: [] };
const record = { kind: 'record', record: { v: 1, pause: 'ours', pausedSince: pushedAt, holds: [] } } as const;
const ours = { ...record, record: { ...record.record, holds: [] } };
const pool = aPool({ paused: true, generation: 4, observedGeneration: 4, target, record: ours });

function facts(change: Partial<RaceFacts> = {}): RaceFacts {
  return raceFacts({ pool, pauseGeneration: 4, now: new Date('2026-03-02T10:00:05Z'), ...change });
}

/** A race that began before anything was applied, and then saw these. */
function raced(...seen: readonly Partial<RaceFacts>[]): Race {
  return [{}, ...seen].reduce<Race | undefined>((race, change) => advanceRace(race, facts(change)), undefined) as Race;
}

/** Rendered since. */
const rendered = (name: string): Pool => ({ ...pool, target: { name, sources: [] } });

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

    expect(raced({ pool: rendered('rendered-worker-bbb'), nodes, operation })).toMatchObject({
      verdict: 'late',
      missedNodes: ['worker-2'],
      rollingBefore: ['worker-1'],
      firstTargetedAt: '2026-03-02T10:00:03Z',
    });
  });

  test('[S0-6] are those of an older config too, though all about them is written anew: nothing else was rendered', () => {
    const times = { targetedAt: '2026-03-02T10:00:04Z', reportedAt: '2026-03-02T10:00:03Z' };
    const nodes = [{ ...rolling('worker-1', 'rendered-worker-older'), ...times }];

    expect(raced({ nodes }, { operation, isOver: true })).toMatchObject({ verdict: 'early', missedNodes: [] });
  });

  test('[S0-6] are those of an older config whose daemon was at work before, whatever was rendered since', () => {
    const times = { targetedAt: '2026-03-02T10:00:04Z', reportedAt: '2026-03-02T09:00:10Z' };
    const older = { ...rolling('worker-1', 'rendered-worker-older'), ...times };
    const missedOf = (state: string) =>
      raced({ pool: rendered('rendered-worker-bbb'), nodes: [{ ...older, state }] }).missedNodes;

    expect(missedOf('Working')).toEqual([]);
    expect(missedOf('Done')).toEqual(['worker-1']);
  });

  test('[S0-5] are none that go to what was rendered since, by a clock of the cluster that is minutes behind', () => {
    const nodes = [rolling('worker-2', 'rendered-worker-bbb', '2026-03-02T09:58:00Z')];

    expect(raced({ pool: rendered('rendered-worker-bbb'), nodes, operation })).toMatchObject({
      verdict: 'late',
      missedNodes: ['worker-2'],
    });
  });

  test('are those that have been on their way for long to a config that the pool comes back to', () => {
    const nodes = [rolling('worker-1', 'rendered-worker-bbb', '2026-03-02T09:00:00Z')];

    expect(raced({ pool: rendered('rendered-worker-bbb'), nodes, operation }).rollingBefore).toEqual(['worker-1']);
  });

  test.each(['rendered-worker-ccc', before])(
    '[S0-5] are none that went to the first of two configs rendered for the change, of which the second is %s',
    (second) => {
      const went = { currentConfig: before, desiredConfig: 'rendered-worker-bbb', targetedAt: '2026-03-02T10:00:03Z' };

      expect(raced({ pool: rendered(second), nodes: [aNode(went)], operation }).missedNodes).toEqual(['worker-1']);
    },
  );

  test('[S0-6] image mode: are known by their times, as the config that they have says nothing of an image', () => {
    const images = { currentImage: 'registry/os@sha256:a', desiredImage: 'registry/os@sha256:b' };
    const to = (targetedAt: string) => aNode({ ...images, targetedAt });

    expect(raced({ nodes: [to('2026-03-02T09:00:00Z')] }).rollingBefore).toEqual(['worker-1']);
    expect(raced({ nodes: [to('2026-03-02T10:00:03Z')] }).missedNodes).toEqual(['worker-1']);
  });

  test('where the change was applied before anybody looked, its target says nothing, and the time decides', () => {
    const late = advanceRace(undefined, facts({ operation, hasApplied: true }));
    const nodes = [rolling('worker-1', before, '2026-03-02T10:00:03Z')];

    expect(advanceRace(late, facts({ nodes, operation, hasApplied: true })).missedNodes).toEqual(['worker-1']);
  });
});

describe('[N-29] nodes that went and came back before anybody looked', () => {
  const changed = 'rendered-worker-bbb';
  const toChanged = rendered(changed);
  const back = aNode({
    name: 'worker-0',
    currentConfig: changed,
    desiredConfig: changed,
    targetedAt: '2026-03-02T10:00:03Z',
    reportedAt: '2026-03-02T10:00:04Z',
    createdAt: '2026-01-01T00:00:00Z',
  });
  const seen = (change: Partial<Node>, of: Pool = toChanged) =>
    raced({ pool: of, nodes: [{ ...back, ...change }], operation, hasApplied: true }, { pool: of, isOver: true });

  test('[S0-7] were missed by the pause: it was late', () => {
    expect(seen({})).toMatchObject({
      verdict: 'late',
      missedNodes: ['worker-0'],
      firstTargetedAt: '2026-03-02T10:00:03Z',
    });
  });

  test('are no nodes of a config from before that the pool came back to', () => {
    expect(seen({ currentConfig: before, desiredConfig: before }, pool).missedNodes).toEqual([]);
  });

  test('are no nodes that joined since', () => {
    expect(seen({ createdAt: '2026-03-02T10:00:02Z' }).missedNodes).toEqual([]);
  });

  test('are no nodes that were targeted before the change, nor any whose times are unknown', () => {
    expect(seen({ targetedAt: '2026-03-02T09:59:00Z' }).missedNodes).toEqual([]);
    expect(seen({ targetedAt: undefined }).missedNodes).toEqual([]);
    expect(seen({ createdAt: undefined }).missedNodes).toEqual([]);
    expect(seen({ reportedAt: undefined }).missedNodes).toEqual([]);
  });

  test('[S0-5] are no nodes that only waited for a bad config, and that its revert finds where they were', () => {
    expect(seen({ reportedAt: '2026-02-01T00:00:00Z' })).toMatchObject({ verdict: 'early', missedNodes: [] });
  });
});

test('[N-29] when it was judged is known, and does not change', () => {
  const nodes = [rolling('worker-2', 'rendered-worker-bbb', '2026-03-02T10:00:03Z')];
  const later = { operation, isOver: true, now: new Date('2026-03-02T10:30:00Z') };
  const late = { pool: rendered('rendered-worker-bbb'), nodes, operation };

  expect(raced({}).judgedAt).toBeUndefined();
  expect(raced(late, later)).toMatchObject({ verdict: 'late', judgedAt: '2026-03-02T10:00:05.000Z' });
});

describe('[N-29] a race that begins after its operation', () => {
  test('[N-30] is not of an hour ago because an Application says so: it was looked at since', () => {
    const forged = { operation: '1970-01-01T00:00:00Z', hasApplied: true, unseenUntil: '2026-03-02T09:58:00.000Z' };
    const nodes = [
      rolling('worker-1', 'rendered-worker-bbb', '2026-03-02T09:30:00Z'),
      rolling('worker-2', 'rendered-worker-bbb', '2026-03-02T09:59:00Z'),
    ];

    expect(raceOf({ ...forged, nodes })).toMatchObject({ missedNodes: ['worker-2'], rollingBefore: ['worker-1'] });
  });

  test('[N-30] nor when the pause is confirmed in a later pass, which knows of no look before the hold', () => {
    const forged = { operation: '1970-01-01T00:00:00Z', hasApplied: true };
    const nodes = [rolling('worker-1', 'rendered-worker-bbb', '2026-03-02T09:30:00Z')];
    const found = advanceRace(undefined, facts({ ...forged, unseenUntil: '2026-03-02T09:58:00.000Z' }));

    const confirmed = advanceRace(found, facts({ ...forged, nodes }));

    expect(confirmed).toMatchObject({ missedNodes: [], rollingBefore: ['worker-1'] });
    expect(joinRaces(advanceRace(undefined, facts(forged)), confirmed).unseenUntil).toBe('2026-03-02T09:58:00.000Z');
  });

  const changed = 'rendered-worker-bbb';
  const onItsWay = { nodes: [rolling('worker-1', before, '2026-03-02T10:00:03Z')] };
  const begun = { operation, targetSeenBefore: before, now: new Date('2026-03-02T10:00:31Z') };
  const raceOf = (change: Partial<RaceFacts>) => advanceRace(undefined, facts(change));

  test('and after what that applied, knows the rollout before it by the look before', () => {
    const race = raceOf({ ...begun, hasApplied: true, ...onItsWay });

    expect(race).toMatchObject({ missedNodes: [], rollingBefore: ['worker-1'] });
  });

  test('[S0-5] takes no config that may be of the change for one from before, though nothing is reported as applied yet', () => {
    const nodes = [rolling('worker-2', changed, '2026-03-02T10:00:12Z')];

    expect(raceOf({ ...begun, pool: rendered(changed), nodes })).toMatchObject({
      verdict: 'late',
      missedNodes: ['worker-2'],
    });
  });

  test('but so soon that nothing can be rendered yet, goes by what the pool goes to', () => {
    const seen = { ...begun, targetSeenBefore: 'rendered-worker-older', now: new Date('2026-03-02T10:00:04Z') };

    expect(raceOf({ ...seen, ...onItsWay }).rollingBefore).toEqual(['worker-1']);
  });
});

describe('[N-28] a verdict is about the own operation of the hold, or there is none', () => {
  test('[N-29] a push that no sync followed is not judged, and its race is over', () => {
    const race = raced({ nodes: [] }, { isOver: true, isPausedStill: false });

    expect(race).toMatchObject({ verdict: undefined, endedAt: '2026-03-02T10:00:05.000Z', appliedAt: undefined });
  });

  test('[N-30] nodes that went for somebody else while its pause was on the way make a push late only if its sync follows', () => {
    const nodes = [rolling('worker-1', 'rendered-worker-ccc', '2026-03-02T10:00:03Z')];
    const gone = { pool: rendered('rendered-worker-ccc'), nodes };

    expect(raced(gone)).toMatchObject({ missedNodes: ['worker-1'], verdict: undefined });
    expect(raced(gone, { operation })).toMatchObject({ missedNodes: ['worker-1'], verdict: 'late' });
    expect(raced(gone, { isOver: true, isPausedStill: false })).toMatchObject({
      verdict: undefined,
      endedAt: '2026-03-02T10:00:05.000Z',
    });
  });

  test('[N-29] nor do they make a sync late that begins once the pause is confirmed, by what is seen first after that', () => {
    const nodes = [rolling('worker-1', 'rendered-worker-bbb', '2026-03-02T10:00:03Z')];
    const gone = { pool: rendered('rendered-worker-bbb'), nodes };
    const begun = (at: string) => ({ operation: at, isOver: true });

    expect(raced(gone, begun('2026-03-02T10:00:06Z'))).toMatchObject({
      verdict: 'early',
      missedNodes: [],
      firstTargetedAt: undefined,
    });
    expect(raced(gone, begun('2026-03-02T10:00:05Z'))).toMatchObject({ verdict: 'late', missedNodes: ['worker-1'] });
  });

  test('[S0-5] a sync that was seen before the confirmation began before it, by whatever clock Argo CD has', () => {
    const nodes = [rolling('worker-1', 'rendered-worker-bbb', '2026-03-02T10:00:03Z')];
    const ahead = { pool: rendered('rendered-worker-bbb'), operation: '2026-03-02T10:02:00Z' };

    expect(raced({ ...ahead, nodes }, { ...ahead, isOver: true })).toMatchObject({
      verdict: 'late',
      missedNodes: ['worker-1'],
    });
  });

  test('a pause that is not confirmed is not called unprotected while no sync runs', () => {
    const unconfirmed = { pool: { ...pool, observedGeneration: 3 }, now: new Date('2026-03-02T10:10:00Z') };

    expect(raced(unconfirmed).verdict).toBeUndefined();
    expect(raced({ ...unconfirmed, operation }).verdict).toBe('unprotected');
  });

  test('[N-29] [N-30] nor at once where the pool was paused long before the hold, and a render has just moved its generation', () => {
    const longPaused = { ...pool, observedGeneration: 3 };
    const hold = { id: 'sync/hub/team-x/late-comer', since: '2026-03-02T11:00:00.000Z', pushedAt: undefined };
    const seen = { hold, pool: longPaused, pauseGeneration: undefined, operation: '2026-03-02T11:00:00Z' };
    const first = advanceRace(undefined, facts({ ...seen, now: new Date('2026-03-02T11:00:01Z') }));
    const confirmed = { ...seen, pool, nodes: [], now: new Date('2026-03-02T11:00:06Z'), isOver: true };

    expect(first.verdict).toBeUndefined();
    expect(advanceRace(first, facts(confirmed)).verdict).toBe('early');
    expect(advanceRace(first, facts({ ...seen, now: new Date('2026-03-02T11:01:01Z') })).verdict).toBe('unprotected');
  });

  test('[property] whatever is seen in whatever order, no node of the rollout before is ever missed', () => {
    const node = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      desiredConfig: fc.constantFrom(before, 'rendered-worker-bbb'),
      targetedAt: fc.constantFrom(undefined, '2026-03-02T09:00:00Z', '2026-03-02T10:00:03Z'),
    });
    const look = fc.record({
      pool: fc.constantFrom(pool, rendered('rendered-worker-bbb'), rendered('rendered-worker-ccc')),
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
        expect(race.verdict === undefined || race.operation !== undefined).toBe(true);
      }),
    );
  });
});

test('[N-29] two passes, of which one knew of no sync, join to a race without nodes that went before the sync', () => {
  const went = { missedNodes: ['worker-1'], firstTargetedAt: '2026-03-02T10:00:00Z', verdict: undefined };
  const known = { confirmedAt: '2026-03-02T10:00:01.400Z', appliedAt: undefined, isConfirmedBefore: true } as const;
  const confirmed = aRace({ ...went, ...known });
  const { operation: _, ...first } = confirmed;
  const second = { ...confirmed, ...{ missedNodes: [], firstTargetedAt: undefined }, verdict: 'early' } as const;
  const joined = joinRaces(first, { ...second, operation: '2026-03-02T10:01:00Z' });

  expect(joined).toMatchObject({ verdict: 'early', missedNodes: [], firstTargetedAt: undefined });
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
