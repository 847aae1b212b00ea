import { expect, test } from 'vitest';
import { estimate, estimateSource, estimateText } from '../../../../functions/core/impact/estimate.ts';

const pace = { usual: 12, slow: 21, rollouts: 14 };
const planned =
  'at the pace that `oc adm upgrade status` plans with: 10 min for the drain of a node, 5 for its update and reboot';
const own = "by the pool's own last node rollouts, of which nine in ten were faster than the longer time says";

function pool(change: Partial<Parameters<typeof estimate>[0]> = {}) {
  return { machines: 6, maxUnavailable: '1', class: 'reboot', update: 'files', ...change } as const;
}

function textOf(of: ReturnType<typeof pool>, known?: typeof pace) {
  const takes = estimate(of, known);
  return takes === undefined ? undefined : estimateText(of, takes);
}

test.each([
  [
    'its own pace',
    pool(),
    pace,
    'about 72 min, 2 h 6 min if slow: 6 nodes, one at a time, 12 min each, by its last 14 node rollouts',
  ],
  [
    'its own pace, two at a time',
    pool({ maxUnavailable: '2' }),
    pace,
    'about 36 min, 63 min if slow: 6 nodes, 2 at a time, 12 min each, by its last 14 node rollouts',
  ],
  [
    'its own pace, which is even',
    pool({ machines: 1 }),
    { ...pace, slow: 12 },
    'about 12 min, by its last 14 node rollouts',
  ],
  [
    'an unknown class counts as a reboot',
    pool({ machines: 1, class: undefined }),
    pace,
    'about 12 min, 21 min if slow, by its last 14 node rollouts',
  ],
  ['the planned one', pool(), undefined, 'about 90 min: 6 nodes, one at a time, 15 min each'],
  [
    'the planned one for a drain: reboots say nothing of it',
    pool({ class: 'drain' }),
    pace,
    'about 60 min: 6 nodes, one at a time, 10 min each',
  ],
  ['nothing to do', pool({ update: 'nothing' }), pace, undefined],
])('[N-9] an estimate says how long and by what: %s', (_, of, known, text) => {
  expect(textOf(of, known)).toBe(text);
});

test('[N-9] what estimates rest on is said once for all of them', () => {
  const [known, unknown] = [estimate(pool(), pace), estimate(pool())];

  expect(estimateSource([])).toBe(planned);
  expect(estimateSource([unknown, undefined])).toBe(planned);
  expect(estimateSource([known])).toBe(own);
  expect(estimateSource([known, unknown])).toBe(`${own}; for the others ${planned}`);
});
