import { expect, test } from 'vitest';
import { LiveNode } from '../../../../functions/core/diagnose/objects/node.ts';
import { foreignLimits } from '../../../../functions/core/text/foreign-text.ts';

test('[N-30] a boot id is no longer than a name, whatever a kubelet reports: the rollouts of a cluster are one row', () => {
  const node = LiveNode.parse({ metadata: {}, status: { nodeInfo: { bootID: 'x'.repeat(16_000) } } });

  expect(node.status.nodeInfo.bootID).toBe('x'.repeat(foreignLimits.name));
});
