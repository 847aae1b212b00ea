import { expect, test } from 'vitest';
import { nodesLetGo } from '../../../../functions/core/node-turns/nodes-let-go.ts';
import { emptyRunRecord, type Turn } from '../../../../functions/core/node-turns/run-record.ts';
import { aPool } from '../../../fakes/index.ts';
import { aTurn } from './run-builder.ts';

const target = { name: 'rendered-worker-2', sources: [] };
const since = '2026-03-02T10:00:00.000Z';

test.each<[string, Partial<Turn>, boolean]>([
  ['whose Jobs run has not gone', { step: 'before' }, false],
  ['that was let go has', { step: 'gone' }, true],
  ['that was let go to an earlier config has', { step: 'gone', target: 'rendered-worker-1' }, true],
  ['that is back has', { step: 'after' }, true],
  ['that was not let go after all has not', { step: 'after', skip: 'the run was aborted' }, false],
  ['that is done with what is rolled out has', { step: 'done' }, true],
  ['that is done with an earlier config has not', { step: 'done', target: 'rendered-worker-1' }, false],
  ['that was left out has not', { step: 'skipped', skip: 'ann: broken fan' }, false],
])('[S1-14] [N-29] a node %s', (_, change, hasGone) => {
  const turn = aTurn({ pool: 'worker', target: target.name, since, ...change });

  const gone = nodesLetGo([{ ...emptyRunRecord, turns: { 'worker-0': turn } }], [aPool({ target })]);

  expect([...gone].map(([pool, of]) => [pool, of.since])).toEqual(hasGone ? [['worker', since]] : []);
});

test('[S1-14] [N-29] nodes of a pool have gone since the first of them did', () => {
  const later = aTurn({ pool: 'worker', target: target.name, step: 'gone', since: '2026-03-02T10:05:00.000Z' });
  const turns = { 'worker-1': later, 'worker-0': { ...later, since }, 'infra-0': { ...later, pool: 'infra' } };

  expect([...nodesLetGo([{ ...emptyRunRecord, turns }], [aPool({ target })])]).toEqual([
    ['worker', { since, last: { since: later.since, target: target.name } }],
  ]);
});

test.each<[string, Partial<Turn>, string | undefined]>([
  ['the config of its turn', { step: 'gone', target: 'rendered-worker-1' }, 'rendered-worker-1'],
  ['nothing any more once it is back', { step: 'after' }, undefined],
])('[S3-14] a node that was let go is on its way to %s, whatever the pool wants by now', (_, change, to) => {
  const turn = aTurn({ pool: 'worker', target: target.name, since, ...change });

  const gone = nodesLetGo([{ ...emptyRunRecord, turns: { 'worker-0': turn } }], [aPool({ target })]);

  expect(gone.get('worker')?.last?.target).toBe(to);
});
