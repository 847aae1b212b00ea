import { expect, test } from 'vitest';
import { otherConfigs } from '../../../../functions/core/openshift/other-configs.ts';
import { aNode, aPool } from '../../../fakes/index.ts';

const pool = aPool({ target: { name: 'rendered-worker-ccc', sources: [] } });

test('[S3-14] configs that nodes have or are on their way to, besides the two of their pool, each once', () => {
  const nodes = [
    aNode({ currentConfig: 'rendered-worker-bbb', desiredConfig: 'rendered-worker-ccc' }),
    aNode({ desiredConfig: 'rendered-worker-bbb' }),
    aNode({ currentConfig: '', desiredConfig: '' }),
    aNode({ currentConfig: 'rendered-worker-gpu-bbb', desiredConfig: 'rendered-worker-gpu-bbb' }),
  ];

  expect(otherConfigs(pool, nodes)).toEqual({ names: ['rendered-worker-bbb'], mayBeMore: false });
});

test('[S3-14] [N-30] of too many, the same four are named in each look, and that there are more', () => {
  const nodes = ['f', 'b', 'e', 'd', 'g'].map((hash) => aNode({ currentConfig: `rendered-worker-${hash}` }));
  const names = ['b', 'd', 'e', 'f'].map((hash) => `rendered-worker-${hash}`);

  expect(otherConfigs(pool, nodes)).toEqual({ names, mayBeMore: true });
  expect(otherConfigs(pool, nodes.toReversed())).toEqual({ names, mayBeMore: true });
});
