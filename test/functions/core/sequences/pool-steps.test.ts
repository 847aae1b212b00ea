import { expect, it } from 'vitest';
import { Sequence } from '../../../../functions/core/configuration/sequence.ts';
import { laterSteps, poolSteps } from '../../../../functions/core/sequences/pool-steps.ts';

it('[S2-1] [N-29] a pool without a wave goes in wave 0, before those of higher waves and after those of lower ones', () => {
  const steps = {
    early: { kind: 'pool', name: 'infra', wave: -1 },
    plain: { kind: 'pool', name: 'storage' },
    late: { kind: 'pool', name: 'worker', wave: 1 },
  };

  const known = poolSteps({ order: Sequence.parse({ clusters: ['prod'], steps }) }, 'prod');

  expect([known.get('storage')?.after, laterSteps('storage', known)]).toEqual([['infra'], ['worker']]);
});
