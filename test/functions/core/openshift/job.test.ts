import { describe, expect, it } from 'vitest';
import { jobPods, jobState } from '../../../../functions/core/openshift/job.ts';

type Data = Readonly<Record<string, unknown>>;

const startTime = '2026-11-22T12:00:00Z';
const at = '2026-11-22T12:01:00Z';

function jobWith(...conditions: readonly Data[]): Data {
  return { metadata: { name: 'move' }, status: { startTime, conditions } };
}

function condition(type: string, more: Data = {}): Data {
  return { type, status: 'True', lastTransitionTime: at, ...more };
}

describe('a Job', () => {
  it('[S4-17] is complete or failed by its conditions, with when and why', () => {
    const failed = condition('Failed', { reason: 'BackoffLimitExceeded', message: 'Job has reached its limit' });

    expect(jobState(jobWith(condition('Complete')))).toEqual({ kind: 'complete', startedAt: startTime, at });
    expect(jobState(jobWith(failed))).toEqual({
      kind: 'failed',
      startedAt: startTime,
      at,
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached its limit',
    });
    expect(jobState(jobWith(condition('Failed', { status: 'False' })))).toMatchObject({ kind: 'running' });
  });

  it('[S4-14] that is about to fail still runs: a copy beside its pods would be the second', () => {
    const failing = jobWith(condition('FailureTarget', { reason: 'DeadlineExceeded' }));

    expect(jobState(failing)).toEqual({
      kind: 'running',
      startedAt: startTime,
      note: 'it fails (DeadlineExceeded), and its pods are ending',
    });
  });

  it('says what keeps it from getting on', () => {
    expect(jobState(jobWith(condition('Suspended')))).toMatchObject({ note: 'it is suspended' });
    expect(jobState({ metadata: { deletionTimestamp: at } })).toMatchObject({ note: 'it is being deleted' });
    expect(jobState({})).toEqual({ kind: 'running', startedAt: undefined, note: undefined });
    expect(jobState('no object')).toMatchObject({ kind: 'running' });
  });
});

describe('the pods of a Job', () => {
  const pod = (name: string, createdAt: string, status: Data): Data => ({
    metadata: { name, creationTimestamp: createdAt },
    status,
  });

  it('[S4-29] come oldest first, with the exit code of what failed, also before it was started again', () => {
    const list = {
      items: [
        pod('second', at, {
          containerStatuses: [{ state: { running: {} }, lastState: { terminated: { exitCode: 3 } } }],
        }),
        pod('first', startTime, {
          initContainerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
          containerStatuses: [{ state: { terminated: { exitCode: 12 } } }],
        }),
      ],
    };

    expect(jobPods(list)).toEqual([
      { name: 'first', exitCode: 12, waits: undefined },
      { name: 'second', exitCode: 3, waits: undefined },
    ]);
  });

  it('[S4-17] say why they have not begun: no image, no node', () => {
    const unscheduled = { type: 'PodScheduled', status: 'False', message: '0/3 nodes are available: 3 cordoned' };
    const list = {
      items: [
        pod('a', '1', { containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] }),
        pod('b', '2', { conditions: [unscheduled] }),
        pod('c', '3', { containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }] }),
        'no pod',
      ],
    };

    expect(jobPods(list).map(({ waits }) => waits)).toEqual([
      'ImagePullBackOff',
      '0/3 nodes are available: 3 cordoned',
      undefined,
    ]);
    expect(jobPods(undefined)).toEqual([]);
  });
});
