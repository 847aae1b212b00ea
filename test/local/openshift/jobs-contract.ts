import { expect, type TestAPI } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into by the assertions
type Body = any;

/** A cluster whose Jobs run, real or simulated. The command of a container says what it does: `exit N`, or `sleep`. */
export interface JobsLab {
  /** Answers the body; undefined: 404. */
  request(method: 'GET' | 'POST' | 'DELETE' | 'PATCH', path: string, body?: object): Promise<Body | undefined>;
  /** Waits until it answers something. */
  until(reached: () => Promise<Body | undefined>): Promise<Body>;
}

const namespace = 'jobs-contract';
const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
const pods = `/api/v1/namespaces/${namespace}/pods`;

/** How Jobs go, as far as anybody here depends on it. The same list holds for the real controllers of Kubernetes 1.34
 *  and for the simulated ones. */
export function jobsContract(test: TestAPI, lab: () => JobsLab): void {
  const made = new Set<string>();

  async function run(name: string, command: string, spec: object = {}): Promise<Body> {
    if (made.size === 0)
      await lab().request('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
    made.add(name);
    const container = { name: 'work', image: 'registry.example.com/work', command: ['/bin/sh', '-c', command] };
    const template = { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers: [container] } };
    return lab().request('POST', jobs, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name },
      spec: { backoffLimit: 0, template, ...spec },
    });
  }

  const get = (name: string) => lab().request('GET', `${jobs}/${name}`);
  const remove = (name: string) => lab().request('DELETE', `${jobs}/${name}`, { propagationPolicy: 'Background' });
  const podsOf = async (name: string): Promise<readonly Body[]> =>
    (await lab().request('GET', `${pods}?labelSelector=batch.kubernetes.io%2Fjob-name%3D${name}`)).items;
  const gone = (name: string) =>
    lab().until(async () => ((await podsOf(name)).length === 0 && (await get(name)) === undefined ? true : undefined));

  /** The Job once it is Complete or Failed. */
  const ended = (name: string) =>
    lab().until(async () => {
      const job = await get(name);
      const isOver = job?.status?.conditions?.some(({ type }: Body) => type === 'Complete' || type === 'Failed');
      return isOver === true ? job : undefined;
    });
  const conditionsOf = ({ status }: Body) =>
    status.conditions.map((each: Body) => ({ type: each.type, status: each.status, reason: each.reason }));

  test('a Job whose pod succeeds is Complete, and its pod stays', async () => {
    const { metadata } = await run('succeeds', 'exit 0');
    const job = await ended('succeeds');
    const [pod, ...more] = await podsOf('succeeds');
    await remove('succeeds');
    await gone('succeeds');

    expect(conditionsOf(job)).toEqual([
      { type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached' },
      { type: 'Complete', status: 'True', reason: 'CompletionsReached' },
    ]);
    expect(job.status).toMatchObject({
      succeeded: 1,
      startTime: expect.any(String),
      completionTime: expect.any(String),
    });
    expect(job.status.failed ?? 0).toBe(0);
    expect(job.status.active ?? 0).toBe(0);
    expect(more).toEqual([]);
    expect(pod.metadata.name).toMatch(/^succeeds-[a-z0-9]{5}$/);
    expect(pod.metadata.ownerReferences).toMatchObject([{ kind: 'Job', uid: metadata.uid, controller: true }]);
    expect(pod.status).toMatchObject({
      phase: 'Succeeded',
      containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
    });
  });

  test('a Job whose pod fails past its back-off limit is Failed, without a time of completion', async () => {
    await run('fails', 'exit 3');
    const job = await ended('fails');
    const [pod] = await podsOf('fails');
    await remove('fails');
    await gone('fails');

    expect(conditionsOf(job)).toEqual([
      { type: 'FailureTarget', status: 'True', reason: 'BackoffLimitExceeded' },
      { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' },
    ]);
    expect(job.status.conditions[1].message).toBe('Job has reached the specified backoff limit');
    expect(job.status.failed).toBe(1);
    expect(job.status.completionTime).toBeUndefined();
    expect(pod.status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 3, reason: 'Error' } } }],
    });
  });

  test('a Job past its deadline is Failed, and its pod goes', async () => {
    await run('late', 'sleep 600', { activeDeadlineSeconds: 1 });
    const job = await ended('late');
    await lab().until(async () => ((await podsOf('late')).length === 0 ? true : undefined));
    await remove('late');
    await gone('late');

    expect(conditionsOf(job)).toEqual([
      { type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded' },
      { type: 'Failed', status: 'True', reason: 'DeadlineExceeded' },
    ]);
    expect(job.status.conditions[1].message).toBe('Job was active longer than specified deadline');
  });

  test('a pod that is deleted counts as failed', async () => {
    await run('robbed', 'sleep 600');
    const pod = await lab().until(async () =>
      (await podsOf('robbed')).find(({ status }: Body) => status.phase === 'Running'),
    );
    await lab().request('DELETE', `${pods}/${pod.metadata.name}`);
    const job = await ended('robbed');
    await remove('robbed');
    await gone('robbed');

    expect(job.status.failed).toBe(1);
    expect(conditionsOf(job)[1]).toMatchObject({ type: 'Failed', reason: 'BackoffLimitExceeded' });
  });

  test('a suspended Job has no pod until it is resumed', async () => {
    await run('waits', 'exit 0', { suspend: true });
    const suspended = await lab().until(async () => {
      const job = await get('waits');
      return job.status?.conditions?.some(({ type }: Body) => type === 'Suspended') === true ? job : undefined;
    });
    const none = await podsOf('waits');
    await lab().request('PATCH', `${jobs}/waits`, { spec: { suspend: false } });
    const job = await ended('waits');
    await remove('waits');
    await gone('waits');

    expect(conditionsOf(suspended)).toEqual([{ type: 'Suspended', status: 'True', reason: 'JobSuspended' }]);
    expect(none).toEqual([]);
    expect(conditionsOf(job)).toContainEqual({ type: 'Suspended', status: 'False', reason: 'JobResumed' });
    expect(job.status.succeeded).toBe(1);
  });

  test('a finished Job is deleted with its pods when its time to live is over', async () => {
    await run('short-lived', 'exit 0', { ttlSecondsAfterFinished: 0 });

    await gone('short-lived');

    expect(await get('short-lived')).toBeUndefined();
  });
}
