import { readFileSync } from 'node:fs';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { jobsContract } from '../local/openshift/jobs-contract.ts';
import { type JobRunner, startJobRunner } from './harness/job-runner.ts';
import { useLab } from './harness/lab.ts';
import { until } from './harness/until.ts';

describe('the real controllers run Jobs as the suite has it that the simulated OpenShift passes too', () => {
  const { controlPlane, toolchain } = useLab();
  const dispatcher = new Agent({ allowH2: false, connect: { ca: readFileSync(controlPlane.caFile, 'utf8') } });
  let runner: JobRunner;

  beforeAll(async () => {
    runner = await startJobRunner(controlPlane, toolchain);
  });
  afterAll(async () => {
    await runner.stop();
    await dispatcher.close();
  });

  jobsContract(test, () => ({
    async request(method, path, body) {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const response = await fetch(controlPlane.server + path, {
        method,
        headers: { authorization: `Bearer ${controlPlane.token}`, 'content-type': type },
        body: body === undefined ? null : JSON.stringify(body),
        dispatcher,
      });
      const answer: unknown = await response.json();
      return response.status === 404 ? undefined : answer;
    },
    until: (reached) => until(reached, 60_000, 'what the suite waits for'),
  }));
});
