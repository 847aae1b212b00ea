import { expect, test } from 'vitest';
import { fc, runs } from '../../../property.ts';
import { anyCourse, type Course } from './course.ts';
import { once } from './once.ts';
import { play } from './play.ts';
import { verdictOf } from './verdict.ts';

test('[S1-13] [N-18] [N-29] [N-30] whatever happens, every target is told in time what lasts, who joins and what is over, and no more', {
  timeout: 900_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(anyCourse, async (course) => {
      expect(verdictOf(await play(course))).toEqual([]);
    }),
    { numRuns: runs(60), examples: once.map((course): [Course] => [course]) },
  );
});
