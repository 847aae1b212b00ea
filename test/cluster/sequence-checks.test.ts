import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Sequence } from '../../functions/core/configuration/sequence.ts';
import { type JobRunner, startJobRunner } from './harness/job-runner.ts';
import { useLab } from './harness/lab.ts';
import { until } from './harness/until.ts';
import { type SequenceRun, sequenceHome, startSequence } from './sequence-run.ts';

const lab = useLab();
const { kube, controlPlane } = lab;

const jobs = `/apis/batch/v1/namespaces/${sequenceHome}/jobs`;
let runner: JobRunner;

beforeAll(async () => {
  await controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: sequenceHome } });
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: checker, namespace: sequenceHome } };
  await controlPlane.ensure(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: rbac.metadata },
    { ...rbac, kind: 'Role', rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] },
    {
      ...rbac,
      kind: 'RoleBinding',
      subjects: [{ kind: 'ServiceAccount', name: checker, namespace: sequenceHome }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: checker },
    },
  );
  runner = await startJobRunner(controlPlane, lab.toolchain);
});
afterAll(() => runner.stop());

/** The account that checks run as here: it may read the ConfigMaps that they look for. */
const checker = 'checker';

/** A ConfigMap that a check looks for with `oc`. */
function lookedFor(name: string) {
  return {
    get: `oc get configmap ${name} --namespace ${sequenceHome} --output name`,
    appears: () => lab.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: sequenceHome } }),
  };
}

/** Every look reads everything. */
const policy = { sweepEverySeconds: 0 };

interface Checked {
  readonly name: string;
  readonly command: readonly string[];
  /** A gate in a wave below that of the check. */
  readonly before?: object;
}

/** A sequence with a check in wave 5, and an object in wave 10. */
async function checked({ name, command, before }: Checked) {
  const written = {
    clusters: ['lab'],
    namespace: sequenceHome,
    extraObjects: {
      next: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-next`, namespace: sequenceHome } },
    },
    steps: {
      ...(before && { before: { kind: 'check', wave: 1, waitFor: before } }),
      check: {
        kind: 'check',
        wave: 5,
        waitFor: { image: 'registry.example.com/team/check:1', command, serviceAccount: checker },
      },
      next: { kind: 'object', object: 'next', wave: 10 },
    },
  };
  const run = await startSequence(lab, {
    name,
    written,
    sequence: impatient(Sequence.parse(written)),
    product: { policy },
  });
  const mine = async () =>
    (await kube.list(jobs)).filter(({ metadata }) => metadata.labels?.['poolkeeper.dev/sequence'] === name);
  const next = `/api/v1/namespaces/${sequenceHome}/configmaps/${name}-next`;
  onTestFinished(async () => {
    await run.product.end();
    for (const job of await mine()) await kube.delete(`${jobs}/${job.metadata.name}?propagationPolicy=Background`);
    await kube.delete(next);
  });
  return {
    ...run,
    jobs: mine,
    isNextThere: async () => (await kube.find(next)) !== undefined,
    /** Pods of its check that were begun. */
    begun: async () => {
      const names = (await mine()).map(({ metadata }) => `${sequenceHome}/${metadata.name}`);
      return runner.begun.filter((each) => names.includes(each)).length;
    },
  };
}

/** A check that failed is run again at the next tick, not after a minute. */
function impatient(sequence: Sequence): Sequence {
  const steps = Object.entries(sequence.steps).map(([key, step]) => [
    key,
    step.waitFor === undefined ? step : { ...step, waitFor: { ...step.waitFor, intervalSeconds: 0 } },
  ]);
  return { ...sequence, steps: Object.fromEntries(steps) };
}

async function textOf({ run }: SequenceRun, name: string): Promise<string> {
  return (await run('status', name)).text;
}

describe('a check as a Job on a real API server', () => {
  test('[S2-6] its exit status decides: it fails with its last words kept, is run again, succeeds, and the next step begins', async () => {
    const ready = lookedFor('check-fails-ready');
    const name = 'check-fails';
    const sequence = await checked({ name, command: ['sh', '-c', `echo looking; ${ready.get}`] });

    sequence.product.ticking();
    // The next tick runs it again.
    const hasFailed = async () => {
      const text = await textOf(sequence, name);
      return text.includes('its check failed') && text;
    };
    const failed = await until(hasFailed, 60_000, 'the check to fail');
    const early = await sequence.isNextThere();
    await ready.appears();
    await until(sequence.isNextThere, 60_000, 'the next step to begin');

    expect(early).toBe(false);
    expect(failed).toContain('check@lab/waitFor: its check failed');
    expect(failed).toContain('configmaps "check-fails-ready" not found');
    const [job, ...others] = await sequence.jobs();
    expect(others).toEqual([]);
    expect(job?.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'poolkeeper' });
    expect(job?.metadata.annotations).toMatchObject({ 'poolkeeper.dev/gate': 'check@lab/waitFor' });
    await until(async () => (await sequence.run('status', name)).status === 0, 60_000, 'the sequence to be done');
    expect(await textOf(sequence, name)).toContain('its check succeeded');
  });

  test('[S2-6] one at a time: however often it is looked at, one pod runs', async () => {
    const ready = lookedFor('check-once-ready');
    const name = 'check-once';
    const sequence = await checked({
      name,
      command: ['sh', '-c', `until ${ready.get}; do sleep 0.2; done`],
    });

    await sequence.looks(3);
    await until(async () => (await sequence.begun()) === 1, 60_000, 'the check to begin');
    await sequence.looks(3);
    const running = [await sequence.begun(), (await sequence.jobs()).length, await textOf(sequence, name)];
    await ready.appears();
    sequence.product.ticking();
    await until(sequence.isNextThere, 60_000, 'the next step to begin');

    expect(running).toEqual([1, 1, expect.stringContaining('its check is running')]);
    expect(await sequence.begun()).toBe(1);
  });

  test('[S2-1] [S2-6] a check does not run before its wave, nor while the sequence is paused, however thoroughly it is looked at', async () => {
    const name = 'check-later';
    const before = { resourceType: 'configmap', resourceName: 'check-later-go', resourceNamespace: sequenceHome };
    const sequence = await checked({ name, command: ['true'], before });

    await sequence.looks(1);
    await sequence.looks(2);
    const beforeItsWave = (await sequence.jobs()).length;
    await sequence.run('pause', name, '--reason', 'a look first');
    await lab.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'check-later-go', namespace: sequenceHome },
    });
    await sequence.looks(2);
    const paused = (await sequence.jobs()).length;
    await sequence.run('go-on', name, '--reason', 'looked');
    sequence.product.ticking();
    await until(sequence.isNextThere, 60_000, 'the next step to begin');

    expect([beforeItsWave, paused]).toEqual([0, 0]);
  });

  test('[N-22] aborted while its check runs: the Job and its pod end, and no later look runs it again', async () => {
    const name = 'check-aborted';
    const sequence = await checked({ name, command: ['sleep', '600'] });
    await sequence.looks(2);
    await until(async () => (await sequence.begun()) === 1, 60_000, 'the check to begin');

    await sequence.run('abort', name, '--reason', 'wrong cluster');
    await sequence.looks(1);
    await sequence.looks(2);

    expect(await sequence.jobs()).toEqual([]);
    const pods = `/api/v1/namespaces/${sequenceHome}/pods`;
    await until(async () => (await kube.list(pods)).length === 0, 60_000, 'the pod to be gone');
    expect((await sequence.run('status', name, '--output', 'json')).text).toContain('"state": "aborted"');
  });
});
