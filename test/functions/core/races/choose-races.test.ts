import { describe, expect, test } from 'vitest';
import {
  lostRaces,
  lostStill,
  racesToFollow,
  racesToRead,
  racesToShow,
} from '../../../../functions/core/races/choose-races.ts';
import type { Race } from '../../../../functions/core/races/race.ts';
import { aRace } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';

const now = new Date('2026-03-02T12:00:00Z');
const since = (minute: number) => new Date(Date.parse('2026-03-02T10:00:00Z') + minute * 60_000).toISOString();

const verdict = fc.constantFrom<Race['verdict']>('early', 'in time', 'late', 'unprotected', undefined);
/** Whatever the Applications of one tenant do. */
const crowd = fc.array(
  fc.record({ application: fc.integer({ min: 0, max: 9 }), minute: fc.integer({ min: 20, max: 99 }), verdict }),
  { maxLength: 400 },
);

function ofTenant(made: readonly { application: number; minute: number; verdict: Race['verdict'] }[]) {
  return made.map(({ application, minute, ...race }) =>
    aRace({ ...race, hold: `sync/hub/team-x/app-${application}`, since: since(minute) }),
  );
}

describe('[N-30] [N-29] one tenant hides no race of another', () => {
  const others = [
    aRace({ hold: 'sync/hub/team-a/nodes', since: since(1), verdict: 'late', missedNodes: ['worker-1'] }),
    aRace({ hold: 'sync/hub/team-a/nodes', since: since(2), verdict: 'early' }),
    aRace({ hold: 'sync/hub/team-b/nodes', since: since(3), verdict: undefined }),
  ];

  test('looked up by name: what thousands of holds make is bounded, and those of others are among it', () => {
    const many = Array.from({ length: 8600 }, (_, index) =>
      aRace({ hold: `sync/hub/team-x/app-${index % 430}`, pool: `pool-${index % 20}`, since: since(index) }),
    );

    const read = racesToRead([...many, ...others]);

    expect(read).toHaveLength(500);
    expect(read).toEqual(expect.arrayContaining(others));
  });

  test('[property] on the page: not the lost one, nor the newest of each, and no more than fit', () => {
    fc.assert(
      fc.property(crowd, (made) => {
        const shown = racesToShow([...ofTenant(made), ...others], 10);

        for (const race of others) expect(shown).toContain(race);
        expect(shown.length).toBeLessThanOrEqual(10);
        const times = shown.map((race) => race.since);
        expect(times).toEqual(times.toSorted().toReversed());
      }),
      { numRuns: 50 },
    );
  });

  test('[property] from the next pass: what is not judged yet, and what was lost within a day', () => {
    fc.assert(
      fc.property(crowd, (made) => {
        const followed = racesToFollow([...ofTenant(made), ...others], now);

        expect(followed).toContain(others[0]);
        expect(followed).toContain(others[2]);
        expect(followed).not.toContain(others[1]);
        expect(followed.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 50 },
    );
  });

  test('within one namespace each Application has its turn', () => {
    const made = Array.from({ length: 30 }, (_, minute) =>
      aRace({ hold: 'sync/hub/apps/busy', since: since(10 + minute) }),
    );
    const quiet = aRace({ hold: 'sync/hub/apps/quiet', since: since(1) });

    expect(racesToShow([...made, quiet], 5)).toContain(quiet);
  });

  test('[S0-5] what was lost is counted for a day, by its verdict, and not by when its hold began', () => {
    const lost = [
      aRace({ verdict: 'late', judgedAt: '2026-03-02T11:00:00Z' }),
      aRace({ verdict: 'late', judgedAt: '2026-03-02T11:30:00Z' }),
      aRace({ verdict: 'unprotected', since: '2026-03-01T00:00:00Z', judgedAt: '2026-03-02T09:00:00Z' }),
      aRace({ verdict: 'late', judgedAt: '2026-03-01T11:00:00Z' }),
    ];
    const counted = lostRaces([...lost, ...others.slice(1)], now);

    expect(counted).toEqual([
      { verdict: 'late', count: 2, lastAt: '2026-03-02T11:30:00Z' },
      { verdict: 'unprotected', count: 1, lastAt: '2026-03-02T09:00:00Z' },
    ]);
    expect(lostStill(counted, new Date('2026-03-03T10:00:00Z'))).toEqual(counted.slice(0, 1));
  });

  test('what was lost two days ago is not followed any more', () => {
    const old = aRace({ since: '2026-02-28T10:00:00Z', pausedAt: undefined, confirmedAt: undefined, verdict: 'late' });

    expect(racesToFollow([old], now)).toEqual([]);
  });
});
