import { describe, expect, test } from 'vitest';
import type { Application, Operation } from '../../../../functions/core/argocd/application.ts';
import { refusedPoolsOf, refusedSync, wasRefused } from '../../../../functions/core/argocd/refused-sync.ts';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { syncsToRetry } from '../../../../functions/core/holds/retry-sync.ts';
import { nextStep } from '../../../../functions/core/holds/sync-hold.ts';
import { anApplication, anOperation, aPool } from '../../../fakes/index.ts';

/** Recorded: Argo CD 3.2.11 quoting kube-apiserver 1.34.4, in the cluster suite. */
const refusal = (pool: string) =>
  `error when patching "/dev/shm/2149733662": machineconfigs.machineconfiguration.openshift.io "99-${pool}" is forbidden: ValidatingAdmissionPolicy 'poolkeeper-pause-first' with binding 'poolkeeper-pause-first-${pool}' denied request: pool ${pool} is not paused yet: MachineConfig 99-${pool} is part of what its nodes run, so it may be changed only while the pool is paused.`;
const whole = (pool: string) => `one or more objects failed to apply, reason: ${refusal(pool)}`;

/** Pools whose level refuses changes. */
const refusing = ['worker', 'gpu'];

const now = new Date('2026-03-01T12:00:30Z');

function result(message: string, status = 'SyncFailed') {
  return {
    group: 'machineconfiguration.openshift.io',
    kind: 'MachineConfig',
    namespace: '',
    name: '99-worker',
    status,
    message,
    hookType: '',
  };
}

function refusedOperation(change: Partial<Operation> = {}): Operation {
  return anOperation({
    phase: 'Failed',
    message: whole('worker'),
    startedAt: '2026-03-01T12:00:00Z',
    finishedAt: '2026-03-01T12:00:01Z',
    results: [result(refusal('worker'))],
    ...change,
  });
}

function refusedApplication(change: Partial<Application> = {}): Application {
  return anApplication({
    operationQueued: false,
    sync: { status: 'OutOfSync', revisions: ['abc'] },
    operation: refusedOperation(),
    ...change,
  });
}

describe('a sync that the admission level refused', () => {
  test('[N-27] the pool is read from the words of the API server, and nothing else looks like it', () => {
    const poolsInRefusal = (message: string) =>
      refusedPoolsOf({ operation: refusedOperation({ message, results: [] }) }, refusing);

    expect(poolsInRefusal(whole('worker'))).toEqual(['worker']);
    expect(poolsInRefusal(`${whole('gpu')} ${refusal('worker')}`)).toEqual(['gpu', 'worker']);
    expect(poolsInRefusal("ValidatingAdmissionPolicy 'mine' with binding 'mine' denied request: no")).toEqual([]);
    expect(poolsInRefusal('pool worker is not paused yet: says somebody')).toEqual([]);
  });

  test('[N-27] it is one only when nothing else failed', () => {
    expect(wasRefused(refusedOperation(), refusing)).toBe(true);
    expect(wasRefused(refusedOperation({ results: [] }), refusing)).toBe(true);
    const other = [result(refusal('worker')), result('quota exceeded')];
    expect(wasRefused(refusedOperation({ results: other }), refusing)).toBe(false);
    expect(wasRefused(refusedOperation({ message: 'quota exceeded', results: [] }), refusing)).toBe(false);
  });

  test('[N-27] [N-30] words of it that name no pool of the level are those of whoever wrote what is synced', () => {
    const react = ['gpu'];

    expect(wasRefused(refusedOperation(), react)).toBe(false);
    expect(wasRefused(refusedOperation({ results: [] }), react)).toBe(false);
    expect(wasRefused(refusedOperation({ results: [result(refusal('gpu')), result(refusal('worker'))] }), react)).toBe(
      false,
    );
    expect(refusedPoolsOf({ operation: refusedOperation() }, react)).toEqual([]);
    expect(refusedSync(refusedApplication(), react, defaultPolicy, now)).toBeUndefined();
  });

  test('[N-27] without retry it is held for like a sync to come, and its words say what it waits for', () => {
    const observed = { kind: 'seen' as const, application: refusedApplication() };
    const question = { hold: undefined, observed, push: undefined, refusing, policy: defaultPolicy, now };

    const step = nextStep(question);

    expect(step).toMatchObject({
      kind: 'hold',
      hold: {
        phase: 'expected',
        until: '2026-03-01T12:15:01.000Z',
        why: expect.stringContaining('waiting to be retried'),
      },
    });
    if (step.kind !== 'hold') throw new Error('no hold');
    expect(nextStep({ ...question, hold: step.hold })).toEqual(step);
  });

  test('[N-27] [N-4] nobody starts it again: the pool is let go, and not held a second time', () => {
    const observed = { kind: 'seen' as const, application: refusedApplication() };
    const question = { hold: undefined, observed, push: undefined, refusing, policy: defaultPolicy, now };
    const step = nextStep(question);
    const later = new Date('2026-03-01T12:16:00Z');

    expect(nextStep({ ...question, ...(step.kind === 'hold' ? { hold: step.hold } : {}), now: later })).toMatchObject({
      kind: 'release',
      why: expect.stringContaining('nobody retried it'),
    });
    expect(nextStep({ ...question, now: later })).toMatchObject({ kind: 'nothing' });
  });

  test('[N-27] while Argo CD tries again by itself, or a new one is queued, it is none that waits for anybody', () => {
    expect(refusedSync(refusedApplication({ operationQueued: true }), refusing, defaultPolicy, now)).toBeUndefined();
    const operation = refusedOperation({ phase: 'Running', retryCount: 1 });
    expect(refusedSync(refusedApplication({ operation }), refusing, defaultPolicy, now)).toBeUndefined();
  });
});

test('[N-30] a refusal that ends in the future is none: nobody holds a pool until then', () => {
  const finishedAt = '2027-01-01T00:00:00Z';

  expect(
    refusedSync(refusedApplication({ operation: refusedOperation({ finishedAt }) }), refusing, defaultPolicy, now),
  ).toBeUndefined();
});

describe('starting it again', () => {
  const application = refusedApplication();
  const held = {
    id: `sync/${application.argocd}/${application.namespace}/${application.name}`,
    kind: 'sync' as const,
    who: 'x',
    why: 'y',
    since: now.toISOString(),
    until: '2026-03-01T12:15:01.000Z',
  };

  function seen(
    change: {
      application?: Partial<Application>;
      paused?: boolean;
      observed?: number;
      policy?: 'tell';
      protection?: 'react';
    } = {},
  ) {
    const pool = aPool({
      name: 'worker',
      paused: change.paused ?? true,
      generation: 7,
      observedGeneration: change.observed ?? 7,
      record: { kind: 'record', record: { v: 1, holds: [held], pause: 'ours' } },
    });
    return {
      settings: {
        name: 'prod',
        api: { server: 'https://api.example.com', ca: undefined, tokenSecret: 't', skipTLSVerify: false },
        policy: { ...defaultPolicy, onRefusedSync: change.policy ?? ('restart' as const) },
        pools: Object.fromEntries(
          refusing.map((name) => [
            name,
            { ...defaultPoolSettings, protection: change.protection ?? ('admission' as const) },
          ]),
        ),
      },
      pools: [pool],
      applications: [{ kind: 'seen' as const, application: refusedApplication(change.application) }],
    };
  }

  test('[N-27] is done when its pools are paused and the MCO has seen it', () => {
    expect(syncsToRetry(seen(), now)).toHaveLength(1);
    expect(syncsToRetry(seen({ paused: false }), now)).toEqual([]);
    expect(syncsToRetry(seen({ observed: 6 }), now)).toEqual([]);
  });

  test('[N-27] [N-30] is not done where no pool has the level: the words are those of others', () => {
    expect(syncsToRetry(seen({ protection: 'react' }), now)).toEqual([]);
  });

  test('[N-27] is not done unless the policy says so', () => {
    expect(syncsToRetry(seen({ policy: 'tell' }), now)).toEqual([]);
  });

  test('[N-27] is done once: what was started by us and refused again is for people', () => {
    expect(
      syncsToRetry(seen({ application: { operation: refusedOperation({ startedBy: 'poolkeeper' }) } }), now),
    ).toEqual([]);
  });

  test('[N-27] [S0-10] is not done once a person has terminated it between two attempts', () => {
    const operation = refusedOperation({ message: 'Operation terminated' });

    expect(syncsToRetry(seen({ application: { operation } }), now)).toEqual([]);
    expect(refusedSync(refusedApplication({ operation }), refusing, defaultPolicy, now)).toBeUndefined();
  });

  test('[N-27] waits for a pool that the API server named and that is nobody of ours', () => {
    const operation = refusedOperation({ results: [result(refusal('worker')), result(refusal('gpu'))] });

    expect(syncsToRetry(seen({ application: { operation } }), now)).toEqual([]);
  });
});
