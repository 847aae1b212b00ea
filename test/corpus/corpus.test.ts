import { expect, test } from 'vitest';
import { corpus } from './corpus.ts';
import { causesOf, expectedCauses, explainSituation } from './explain-situation.ts';

test.each(corpus.map((each) => [each.id, each] as const))('[S1-4] %s', async (_id, { expected, snapshot }) => {
  const explanation = await explainSituation(snapshot);

  const causes = causesOf(explanation);
  expect(causes).toEqual(expectedCauses(expected));
});
