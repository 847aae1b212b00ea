import { expect, test } from 'vitest';
import { fc, runs } from '../../property.ts';
import { type Act, type Asked, groupNames, ids, lockCourse, type Slots } from './courses.ts';

const group = fc.constantFrom(...groupNames);
const own = { weight: 6, arbitrary: group.map((name) => ({ group: name, by: name })) };
const asked: fc.Arbitrary<Asked> = fc
  .record({
    what: fc.constantFrom('pre-reboot', 'pre-reboot', 'steady-state', 'release'),
    id: fc.nat(ids.length - 1),
    who: fc.oneof(own, { weight: 1, arbitrary: fc.record({ group, by: group }) }),
    fault: fc.constantFrom('none', 'none', 'none', 'none', 'load', 'save', 'answer of save'),
  })
  .map(({ who, ...rest }) => ({ ...rest, ...who }));

const slots: fc.Arbitrary<Slots> = fc.record({
  default: fc.integer({ min: 0, max: 3 }),
  database: fc.integer({ min: 1, max: 2 }),
  atMost: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: asked.map((each) => ({ kind: 'ask' as const, asked: each })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('together' as const),
      all: fc.array(asked, { minLength: 2, maxLength: 4 }),
      order: fc.array(fc.nat(5), { minLength: 1, maxLength: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('file' as const), slots }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('minutes' as const), minutes: fc.nat(2_000) }) },
);

test('[N-25] [N-30] whoever asks, by whatever token, at once or while the table fails: who may be down has a slot, and there are no more', async () => {
  await fc.assert(
    fc.asyncProperty(slots, fc.array(act, { maxLength: 30 }), async (file, acts) => {
      const course = lockCourse(file);

      for (const each of acts) await course.play(each);

      expect(course.broken).toEqual([]);
    }),
    { numRuns: runs(900) },
  );
});
