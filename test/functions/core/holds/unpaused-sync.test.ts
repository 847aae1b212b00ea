import { expect, test } from 'vitest';
import { noForecast, unpausedNow } from '../../../../functions/core/holds/skip-harmless.ts';
import type { UnpausedSync } from '../../../../functions/core/openshift/unpaused-sync.ts';
import { aPool } from '../../../fakes/index.ts';
import { aSnapshot } from './a-snapshot.ts';

function unpaused(hold: string): UnpausedSync {
  return {
    hold,
    uid: hold,
    pool: 'worker',
    revision: 'a'.repeat(40),
    why: 'it does nothing to nodes',
    at: '2026-03-02T10:00:00.000Z',
    until: '2026-03-02T10:15:00.000Z',
    rendered: 'rendered-worker-1',
    machineConfigs: [],
    circumstances: '',
  };
}

test('[N-30] own pushes that do nothing to nodes take no place of those of other namespaces', () => {
  const own = Array.from({ length: 30 }, (_, at) => unpaused(`sync/hub/aaa/x${at}`));
  const snapshot = aSnapshot({
    pools: [aPool()],
    disruption: { ...noForecast, unpaused: [...own, unpaused('sync/hub/platform/nodes')] },
  });

  const kept = unpausedNow(snapshot, () => false, new Date('2026-03-02T10:01:00.000Z')).map(({ hold }) => hold);

  expect(kept).toHaveLength(20);
  expect(kept).toContain('sync/hub/platform/nodes');
});
