import { expect, test } from 'vitest';
import { fc, runs } from '../../property.ts';
import { type Act, budgetCourse, type Limit, type Look } from './budget-courses.ts';
import { allPools, type ClusterName, clusterNames } from './budget-fleet.ts';

const cluster = fc.constantFrom(...clusterNames);
const which = fc.nat(allPools.length - 1);
const when = fc.constantFrom('before' as const, 'after' as const);
const fault = fc.constantFrom<Look['fault']>(
  ...(['none', 'none', 'answer lost', 'unanswered', 'carried out late', 'other writer', 'refused'] as const),
);
const lookAt = (name: fc.Arbitrary<ClusterName>) =>
  fc.record({ cluster: name, skew: fc.integer({ min: -5, max: 5 }), fault });
/** Often of one cluster. */
const looks = fc.array(lookAt(cluster), { minLength: 2, maxLength: 4 });

const acts: readonly fc.WeightedArbitrary<Act>[] = [
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('look'), look: lookAt(cluster), seconds: fc.nat(400) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('together'),
      looks,
      order: fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('dying'), cluster, effect: fc.nat(12), when }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('no table'),
      cluster,
      op: fc.constantFrom('places.load' as const, 'places.save' as const),
      when,
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({ kind: fc.constantFrom('next', 'all', 'all', 'change', 'by hand', 'anew'), which }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('size'), which, atOnce: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('limit'), most: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('reach', 'resumes', 'file'), cluster }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'table lost' }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('minutes'), minutes: fc.nat(200) }) },
];

const limit: fc.Arbitrary<Limit> = fc.record({
  of: fc.constantFrom('pools', 'clusters', 'nodes'),
  most: fc.integer({ min: 1, max: 3 }),
});

/** A share of nodes below the largest pool's would keep that one for ever. */
function roomy<T extends { readonly most: number }>(limited: T, of: Limit['of']): T {
  return of === 'nodes' ? { ...limited, most: limited.most + 2 } : limited;
}

test('[N-10] whatever fails, whoever looks at once, and whatever the file says: nothing goes without a place of the budget, and every place ends', async () => {
  await fc.assert(
    fc.asyncProperty(limit, fc.array(fc.oneof(...acts), { maxLength: 25 }), async (first, course) => {
      const { play, broken, end } = budgetCourse(roomy(first, first.of));
      for (const act of course) await play(act.kind === 'limit' ? roomy(act, first.of) : act);

      const left = await end();

      expect(broken).toEqual([]);
      expect(left).toEqual({ waiting: [], taken: [] });
    }),
    { numRuns: runs(60) },
  );
});
