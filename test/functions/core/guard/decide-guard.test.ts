import { expect, test } from 'vitest';
import { decideGuard } from '../../../../functions/core/guard/decide-guard.ts';
import type { GuardQuestion } from '../../../../functions/core/guard/guard-question.ts';
import type { Guard } from '../../../../functions/core/guard/guard-record.ts';
import { collectiveHoldId } from '../../../../functions/core/openshift/collective-hold-id.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import { aHold, anApplication, anOperation, aPool, aRecord } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';

const now = new Date('2026-03-02T10:10:00Z');
const closed: Guard = { application: 'openshift-gitops/nodes', cluster: 'prod', pools: ['worker'] };
const opened: Guard = { ...closed, open: { since: '2026-03-02T10:05:00Z', why: 'a push' } };

const questions: fc.Arbitrary<GuardQuestion> = fc
  .record({
    paused: fc.boolean(),
    isConfirmed: fc.boolean(),
    hold: fc.constantFrom('expected' as const, 'syncing' as const, 'failed' as const, undefined),
    /** The record of the pool has no room: one hold stands for all that have none there. */
    isFull: fc.boolean(),
    status: fc.constantFrom('Synced', 'OutOfSync'),
    automated: fc.boolean(),
    guard: fc.constantFrom(undefined, closed, opened),
    phase: fc.constantFrom('Running' as const, 'Terminating' as const, 'Succeeded' as const, 'Failed' as const),
    isParked: fc.boolean(),
    operationQueued: fc.boolean(),
  })
  .map(({ paused, isConfirmed, hold, isFull, status, automated, guard, phase, isParked, operationQueued }) => {
    const holds = [
      ...(hold === undefined ? [] : [aHold({ phase: hold })]),
      ...(isFull ? [aHold({ id: collectiveHoldId('hub'), phase: 'expected' })] : []),
    ];
    const pool = aPool({
      paused,
      generation: 7,
      observedGeneration: isConfirmed ? 7 : 6,
      record: { kind: 'record', record: aRecord({ holds }) },
    });
    const message = isParked ? 'Sync operation blocked by sync window' : '';
    return {
      application: anApplication({
        operationQueued,
        automated,
        operation: anOperation({ phase, message }),
        sync: { status, revisions: ['b'.repeat(40)] },
      }),
      cluster: 'prod',
      guard,
      pools: new Map([[pool.name, pool]]),
      affected: ['worker'],
      alsoAffected: [],
      isGuarded: true,
      push: undefined,
      expectSyncWithinSeconds: 900,
      now,
    };
  });

test('[N-6] a guard is not open while a pool is not confirmed paused, unless a sync runs through it', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const { guard, isMidSync } = decideGuard(question);
      const pool = question.pools.get('worker');
      const isConfirmed = pool?.paused === true && pool.observedGeneration >= pool.generation;
      if (guard?.open !== undefined && !isConfirmed)
        expect([isMidSync, question.guard?.open]).toEqual([true, guard.open]);
    }),
  );
});

test('[N-6] a guard is not closed in the middle of a sync', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const { guard, isMidSync } = decideGuard(question);
      if (isMidSync && question.guard?.open !== undefined) expect(guard).toBe(question.guard);
    }),
  );
});

/** After every operation of this file has begun. */
const reconciledAt = '2026-03-02T10:00:06Z';

test.each([
  [undefined, 'asked for'],
  ['2026-03-02T09:00:00Z', 'asked for'],
  [reconciledAt, 'let through'],
])(
  '[N-6] [N-30] an operation that waits, of an Application that Argo CD compared at %s, is %s',
  (comparedAt, outcome) => {
    const pool = aPool({
      paused: true,
      record: { kind: 'record', record: aRecord({ holds: [aHold({ phase: 'syncing' })] }) },
    });
    const message = 'Sync operation blocked by sync window';

    const decision = decideGuard({
      application: anApplication({
        operation: anOperation({ phase: 'Running', message, revisions: [], startedAt: '2026-03-02T09:30:00Z' }),
        ...(comparedAt === undefined ? {} : { reconciledAt: comparedAt }),
      }),
      cluster: 'prod',
      guard: closed,
      pools: new Map([[pool.name, pool]]),
      affected: ['worker'],
      alsoAffected: [],
      isGuarded: true,
      push: undefined,
      expectSyncWithinSeconds: 900,
      now,
    });

    expect(decision.awaitsLook).toBeDefined();
    expect(decision.guard?.open !== undefined).toBe(outcome === 'let through');
    expect(decision.waitsFor).toEqual(
      outcome === 'let through' ? [] : ['Argo CD has not compared it since its sync was asked for'],
    );
  },
);

test.each([
  [1, 'Sync operation blocked by sync window', true],
  [0, 'Sync operation blocked by sync window', false],
  [1, 'one or more tasks are running', false],
])(
  '[N-6] an operation that has waited, and shows results (%d) of one before it, is let through and told: %s',
  (count, message, isTold) => {
    const [result] = anOperation().results;
    const results = result === undefined ? [] : [result].slice(0, count);
    const pool = aPool({
      paused: true,
      record: { kind: 'record', record: aRecord({ holds: [aHold({ phase: 'syncing' })] }) },
    });

    const { guard } = decideGuard({
      application: anApplication({ operation: anOperation({ phase: 'Running', message, results }), reconciledAt }),
      cluster: 'prod',
      guard: closed,
      pools: new Map([[pool.name, pool]]),
      affected: ['worker'],
      alsoAffected: [],
      isGuarded: true,
      push: undefined,
      expectSyncWithinSeconds: 900,
      now,
    });

    expect(guard?.open?.why).toMatch(
      isTold ? /results of an earlier operation/ : /^Argo CD syncs openshift-gitops\/nodes$/,
    );
  },
);

test('[N-6] what is decided once is decided again', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const { guard } = decideGuard(question);
      expect(decideGuard({ ...question, guard }).guard).toEqual(guard);
    }),
  );
});

const pushedAt = '2026-03-02T10:09:50Z';
const awaited: Partial<Hold> = { phase: 'expected', pushedAt, revision: 'b'.repeat(40), from: ['a'.repeat(40)] };

test.each([
  ['of the latest of its pushes', [{ pushedAt: '2026-03-02T09:50:00Z', revision: 'a'.repeat(40), from: [] }, {}], 'a'],
  ['of a commit that was there before, as every one may have been', [{ from: ['*'] }], 'b'],
])('[N-6] [N-30] a guard waits for the comparison %s', (_, changes, at) => {
  const pools = changes.map((change, index) =>
    aPool({
      name: `pool-${index}`,
      paused: true,
      record: { kind: 'record', record: aRecord({ holds: [aHold({ ...awaited, ...change })] }) },
    }),
  );

  const decision = decideGuard({
    application: anApplication({
      automated: true,
      reconciledAt,
      sync: { status: 'Synced', revisions: [at.repeat(40)] },
    }),
    cluster: 'prod',
    guard: closed,
    pools: new Map(pools.map((pool) => [pool.name, pool])),
    affected: pools.map(({ name }) => name),
    alsoAffected: [],
    isGuarded: true,
    push: undefined,
    expectSyncWithinSeconds: 900,
    now,
  });

  expect(decision.waitsFor).toEqual(['Argo CD has not compared it since the push']);
  expect(decision.awaitsLook).toEqual({ since: pushedAt });
});
