import { expect, test } from 'vitest';
import { idsOfCluster, idsToStore } from '../../../../functions/core/guard/guarded-cluster.ts';
import { aPool } from '../../../fakes/index.ts';

const pools = [aPool()];
const [id = ''] = idsOfCluster({ pools }, {});

test('[N-6] a cluster is known by its id and every one that is stored, the newest first', () => {
  const stored = { clusterId: 'aaaaaaaa', guardIds: ['bbbbbbbb', 'aaaaaaaa'] };

  expect(idsOfCluster({ pools }, { clusterId: 'aaaaaaaa' })).toEqual([id, 'aaaaaaaa']);
  expect(idsOfCluster({ pools }, stored)).toEqual([id, 'bbbbbbbb', 'aaaaaaaa']);
  expect(idsOfCluster({ pools, unreadablePools: ['master'] }, stored)).toEqual(['bbbbbbbb', 'aaaaaaaa']);
  expect(idsOfCluster({ pools }, { clusterId: id })).toEqual([id]);
});

test.each([
  [
    'all that there are until none is carried but the first',
    ['b', 'a'],
    false,
    { clusterId: 'a', guardIds: ['b', 'a'] },
  ],
  ['the first alone from then on', ['b', 'a'], true, { clusterId: 'b', guardIds: undefined }],
  ['nothing more of a cluster that has always had one', ['a'], false, { clusterId: 'a', guardIds: undefined }],
  ['what was stored where none is known', [], true, { clusterId: 'a', guardIds: undefined }],
])('[N-6] of the ids of guards is stored %s', (_, ids, areTakenOver, stored) => {
  expect(idsToStore(ids, { areTakenOver, before: { clusterId: 'a' } })).toEqual(stored);
});

test('[N-6] of many ids of guards the newest eight are stored, and the last that all of them had', () => {
  const ids = ['k', 'j', 'i', 'h', 'g', 'f', 'e', 'd', 'c', 'b', 'a'];

  const stored = idsToStore(ids, { areTakenOver: false, before: { clusterId: 'a' } });

  expect(stored).toEqual({ clusterId: 'a', guardIds: ids.slice(0, 8) });
});
