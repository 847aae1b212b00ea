import { expect, test } from 'vitest';
import { noEvidence } from '../../../functions/core/gates/evidence.ts';
import type { PoolPlan } from '../../../functions/core/holds/plan.ts';
import { seen } from '../../../functions/core/text/observed.ts';
import { gatherEvidence } from '../../../functions/keep-pools/resume/gather-evidence.ts';
import { aPool } from '../../fakes/index.ts';
import { aSnapshot } from '../core/holds/a-snapshot.ts';
import { keepLab } from './keep-lab.ts';

test('a plan that lacks what has been read already is left as it is, not asked again for ever', async () => {
  const { ports } = keepLab();
  const cluster = await ports.cluster('prod');
  const pool = aPool();
  const plan: PoolPlan = { pool, action: { kind: 'none' }, gates: [], notes: [], lacking: 'pace' };
  const evidence = new Map([[pool.name, { ...noEvidence, pace: seen(undefined, ports.clock()) }]]);
  const decided = { plans: [plan], snapshot: aSnapshot({ pools: [pool], evidence }) };

  const gathered = await gatherEvidence(decided, { cluster, now: ports.clock(), ports });

  expect(gathered).toEqual(decided);
});
