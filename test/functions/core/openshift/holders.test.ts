import { expect, test } from 'vitest';
import { holdersText, othersText } from '../../../../functions/core/openshift/holders.ts';
import { aHold } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';

const holds = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom('sync', 'sync', 'sync', 'manual'),
    owner: fc.integer({ min: 0, max: 7 }),
    name: fc.integer({ min: 0, max: 20 }),
    minute: fc.integer({ min: 10, max: 15 }),
  }),
  { maxLength: 60, selector: ({ owner, name }) => `${owner}/${name}` },
);

test('[property] [N-29] [N-30] who else holds a pool reads the same for each of its holds, however it is found out', () => {
  fc.assert(
    fc.property(holds, (made) => {
      const all = made.map(({ kind, owner, name, minute }) => {
        const who = `team-${owner}/app-${name}`;
        const id = kind === 'sync' ? `sync/hub/${who}` : `manual/${who}`;
        return aHold({ kind, id, who, since: `2026-03-02T10:${minute}:00.000Z` });
      });
      const others = othersText(all);

      expect(others('sync/hub/none/of-them')).toBe(holdersText(all));
      for (const { id } of all) expect(others(id)).toBe(holdersText(all.filter((hold) => hold.id !== id)));
    }),
    { numRuns: 300 },
  );
});

test('[N-30] who else holds a pool is found out for each of hundreds with a few looks at all of them', () => {
  let looks = 0;
  const all = Array.from({ length: 600 }, (_, index) => {
    const hold = aHold({ id: `sync/hub/team-x/${index}`, who: `team-x/${index}` });
    return Object.defineProperty(hold, 'since', {
      get: () => {
        looks += 1;
        return '2026-03-02T10:00:00Z';
      },
    });
  });

  const others = othersText(all);

  for (const { id } of all) expect(others(id)).toContain(' and 596 more');
  expect(looks).toBeLessThan(600 * 20);
});
