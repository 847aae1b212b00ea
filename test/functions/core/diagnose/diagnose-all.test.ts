import { expect, test } from 'vitest';
import { diagnoseAll } from '../../../../functions/keep-pools/watch/diagnose-all.ts';
import type { ObjectReader } from '../../../../functions/ports/cluster.ts';
import { aPool } from '../../../fakes/index.ts';

const readAt = '2026-03-02T10:00:00.000Z';
const subjects = Array.from({ length: 10 }, (_, index) => ({
  kind: 'pool' as const,
  cluster: 'prod',
  pool: aPool({ name: `pool-${index}` }),
  nodes: [],
  symptom: 'render' as const,
  since: readAt,
  readAt,
}));

test('when the time is up what was begun is ended, and nothing else is begun', async () => {
  let isLate = false;
  const reader: ObjectReader = {
    async read() {
      isLate = true;
      return { kind: 'absent', readAt: new Date(readAt) };
    },
  };

  const some = await diagnoseAll(subjects, reader, { isLate: () => isLate });
  const all = await diagnoseAll(subjects, reader);

  expect([...some.keys()].toSorted()).toEqual(['pool-0/render', 'pool-1/render', 'pool-2/render', 'pool-3/render']);
  expect(all.size).toBe(10);
});
