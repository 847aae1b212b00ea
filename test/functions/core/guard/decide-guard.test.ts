import { expect, test } from 'vitest';
import { decideGuard } from '../../../../functions/core/guard/decide-guard.ts';
import type { GuardQuestion } from '../../../../functions/core/guard/guard-question.ts';
import type { Guard } from '../../../../functions/core/guard/guard-record.ts';
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
    guard: fc.constantFrom(undefined, closed, opened),
    phase: fc.constantFrom('Running' as const, 'Terminating' as const, 'Succeeded' as const, 'Failed' as const),
    isParked: fc.boolean(),
    operationQueued: fc.boolean(),
  })
  .map(({ paused, isConfirmed, hold, guard, phase, isParked, operationQueued }) => {
    const holds = hold === undefined ? [] : [aHold({ phase: hold })];
    const pool = aPool({
      paused,
      generation: 7,
      observedGeneration: isConfirmed ? 7 : 6,
      record: { kind: 'record', record: aRecord({ holds }) },
    });
    const message = isParked ? 'Sync operation blocked by sync window' : '';
    return {
      application: anApplication({ operationQueued, operation: anOperation({ phase, message }) }),
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

test('[N-6] what is decided once is decided again', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const { guard } = decideGuard(question);
      expect(decideGuard({ ...question, guard }).guard).toEqual(guard);
    }),
  );
});
