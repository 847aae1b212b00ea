import { describe, expect, test } from 'vitest';
import { emptyCheckpoint } from '../../../functions/keep-pools/observe/observe.ts';
import { watchTicks } from '../../../functions/watch-ticks/watch-ticks.ts';
import { createFaults, fakeClock, fakeLogger, fakeMetrics, fakeTables } from '../../fakes/index.ts';

async function lab(clusters: readonly string[]) {
  const clock = fakeClock('2026-03-02T12:00:00Z');
  const faults = createFaults();
  const { checkpoints } = fakeTables(faults);
  const logger = fakeLogger();
  const metrics = fakeMetrics();
  return {
    clock,
    faults,
    logger,
    metrics,
    seen: (cluster: string, lastGoodReadAt: string) =>
      checkpoints.save({ ...emptyCheckpoint(cluster), lastGoodReadAt }),
    watch: () => watchTicks({ clusters, checkpoints, clock: clock.now, logger, metrics }),
  };
}

describe('the look of the dead-man', () => {
  test('[N-24] writes a figure also when all is well: its silence is the alarm', async () => {
    const { seen, watch, metrics } = await lab(['prod-eu']);
    await seen('prod-eu', '2026-03-02T11:59:10Z');

    await watch();

    expect(metrics.values['SilentClusters']).toEqual([0]);
  });

  test('[N-24] counts and names each cluster that nobody saw for ten minutes, and one that was never seen', async () => {
    const { seen, watch, metrics, logger } = await lab(['prod-eu', 'prod-us', 'new']);
    await seen('prod-eu', '2026-03-02T11:50:01Z');
    await seen('prod-us', '2026-03-02T11:50:00Z');

    await watch();

    expect(metrics.values['SilentClusters']).toEqual([2]);
    expect(logger.lines.map(({ fields }) => fields['cluster']).sort()).toEqual(['new', 'prod-us']);
    expect(logger.lines).toContainEqual({
      level: 'warn',
      message: 'cluster is silent',
      fields: { cluster: 'prod-us', seenAt: '2026-03-02T11:50:00Z', sinceSeconds: 600 },
    });
  });

  test('[N-24] a table that cannot be read is no calm: the run fails and writes no figure', async () => {
    const { faults, watch, metrics } = await lab(['prod-eu']);
    faults.failAll(['memories.load']);

    await expect(watch()).rejects.toThrow();

    expect(metrics.values).toEqual({});
  });

  test('looks at a fleet of a hundred', async () => {
    const { watch, metrics } = await lab(Array.from({ length: 100 }, (_, n) => `cluster-${n}`));

    await watch();

    expect(metrics.values['SilentClusters']).toEqual([100]);
  });
});
