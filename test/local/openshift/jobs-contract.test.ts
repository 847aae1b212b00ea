import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Pod } from '../../../local/openshift/api-server/cluster-objects.ts';
import { type OpenShift, startOpenShift } from '../../../local/openshift/index.ts';
import { jobsContract } from './jobs-contract.ts';
import { createVirtualClock } from './virtual-clock.ts';

describe('the simulated OpenShift runs Jobs as the real controllers do', () => {
  const clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  let openshift: OpenShift;

  beforeAll(async () => {
    openshift = await startOpenShift({ clock });
    openshift.addPool({ name: 'worker' });
    openshift.addNodes({ pool: 'worker', names: ['worker-1'] });
    const does = (command: string) => (pod: Pod) => String(pod.spec.containers[0]?.['command']).includes(command);
    openshift.kubelets.runPods(does('exit 3'), { forMs: 1_000, exitCode: 3 });
    openshift.kubelets.runPods(does('sleep'), { forMs: Number.POSITIVE_INFINITY, exitCode: 0 });
  });
  afterAll(() => openshift.stop());

  jobsContract(test, () => ({
    async request(method, path, body) {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const response = await fetch(openshift.url + path, {
        method,
        headers: { authorization: `Bearer ${openshift.token}`, 'content-type': type },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const answer: unknown = await response.json();
      return response.status === 404 ? undefined : answer;
    },
    async until(reached) {
      for (let seconds = 0; seconds < 600; seconds += 1) {
        const found = await reached();
        if (found !== undefined) return found;
        await clock.advance(1_000);
      }
      throw new Error('not reached within ten minutes');
    },
  }));
});
