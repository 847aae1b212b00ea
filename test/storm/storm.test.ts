import { expect, test } from 'vitest';
import { storm } from './storm.ts';
import { verdictOf } from './verdict.ts';

/** `npm run bench` plays 10,000, of other seeds. */
const runs = 40;

test('[C-6] [N-18] through storms of failures and deaths nothing is lost, nothing doubled, and every target ends at what is', {
  timeout: 120_000,
}, async () => {
  for (let seed = 1; seed <= runs; seed += 1) {
    const { lost, doubled } = verdictOf(await storm(seed));

    expect([...lost, ...doubled], `seed ${seed}: node test/bench/run-storm.ts --seed ${seed}`).toEqual([]);
  }
});

test('the same seed is the same run, to the last effect', async () => {
  const [one, other] = [JSON.stringify(await storm(77)), JSON.stringify(await storm(77))];

  expect(other).toBe(one);
});
