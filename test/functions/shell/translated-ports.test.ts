import { expect, test } from 'vitest';
import type { Answer } from '../../../functions/core/findings/question.ts';
import type { ClusterPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { boundedPorts, looksAtMost, turnsAtMost } from '../../../functions/keep-pools/sequences/bounded-ports.ts';
import { translatedPorts } from '../../../functions/shell/services/translated-ports.ts';
import { keepLab } from '../keep-pools/keep-lab.ts';

const question = { path: '/apis/storage.k8s.io/v1/storageclasses', query: {} } as const;

test('[S2-18] [N-30] a cluster that did not answer is not asked again in the same pass, whatever asks for it', async () => {
  const { ports, world } = keepLab();
  let calls = 0;
  const silent: ClusterPorts = {
    ...(await ports.cluster('prod')),
    reader: {
      read: async (): Promise<Answer> => {
        calls += 1;
        return { kind: 'failed', why: 'no answer', readAt: world.clock.now(), isUnreachable: true };
      },
    },
  };
  const wired = translatedPorts({ ...ports, cluster: async () => silent });

  for (const seconds of [turnsAtMost, looksAtMost]) {
    const { reader } = await boundedPorts(wired, seconds).cluster('prod');
    await reader.read(question);
  }

  expect(calls).toBe(1);
});
