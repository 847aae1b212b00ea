import { describe, expect, test } from 'vitest';
import { gates } from '../../../../functions/core/gates/index.ts';
import { closedBy, now, waysToClose } from './ways-to-close.ts';

const anyTimeout = {
  at: expect.stringMatching(/Z$/),
  action: expect.stringMatching(/^(?:wait|alert|resume|drop)$/),
};

describe('[N-16] no gate is closed without', () => {
  test('an entry in ways-to-close.ts', () => {
    expect(Object.keys(waysToClose).toSorted()).toEqual(gates.map(({ name }) => name).toSorted());
  });

  test.each(Object.entries(waysToClose).flatMap(([gate, ways]) => ways.map((way) => [gate, way] as const)))(
    'why, value, threshold, since, what opens it, who may, and what happens if it stays closed: %s',
    (gate, way) => {
      const view = closedBy(way).find((each) => each.gate === gate);

      expect(view).toEqual(
        expect.objectContaining({
          why: expect.stringMatching(/\S/),
          value: expect.stringMatching(/\S/),
          threshold: expect.stringMatching(/\S/),
          opens: expect.stringMatching(/\S/),
          who: expect.stringMatching(/\S/),
          ...(view?.unread === true ? { since: undefined } : { since: now.toISOString(), timeout: anyTimeout }),
        }),
      );
    },
  );
});
