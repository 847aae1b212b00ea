import { expect, test } from 'vitest';
import { judge } from '../../../../functions/core/judge/judge.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import type { PoolRecord } from '../../../../functions/core/openshift/pool-record.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { aHold, aPool } from '../../../fakes/builders.ts';
import { aJudgeInput } from './a-judge-input.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 10, minute));
const program = { at: at(0).toISOString(), holds: ['sync/hub/openshift-gitops/nodes'] };
const by = 'sriov-operator';

function judged(
  minute: number,
  record: Omit<PoolRecord, 'v' | 'holds'> & Partial<PoolRecord>,
  change: Partial<Pool> = {},
) {
  const pool = aPool({ record: { kind: 'record', record: { v: 1, holds: [], ...record } }, ...change });
  const { troubles } = judge(aJudgeInput({ now: at(minute), pools: seen([{ pool, nodes: notAsked }]) }));
  return troubles.filter(({ key }) => key.kind === 'late-pause');
}

function marked(byProgram?: true) {
  const overruled = { at: at(0).toISOString(), by, ...(byProgram && { byProgram }) };
  return aHold({ phase: 'syncing', overruled });
}

test('[S0-15] [N-29] a hold that a program has overruled is told as long as it stands and its pool is not paused', () => {
  expect(judged(55, { holds: [marked(true)] })).toMatchObject([
    { severity: 'high', class: 'structural', findings: [{ code: 'Z5', confidence: 'strong' }] },
  ]);
  expect(judged(55, { holds: [marked(true)] }, { paused: true })).toEqual([]);
});

test('[decoy] [S0-15] one that a person has overruled, or an earlier version noted, is not', () => {
  expect(judged(1, { holds: [marked()] })).toEqual([]);
});

test.each([
  ['3 minutes after it, where nothing is held or rolls', { letGo: { at: program.at, by, config: '', program } }, {}, 3],
  [
    '10 minutes after it, where it is paused again',
    { last: { did: 'paused', at: program.at, why: '', by, program } },
    { paused: true },
    10,
  ],
] as const)('[S0-15] [N-29] is over %s', (_, record, change, over) => {
  expect(judged(over - 1, record, change)).toMatchObject([{ findings: [{ code: 'Z5' }] }]);
  expect(judged(over, record, change)).toEqual([]);
});

test('[S0-15] [N-29] goes on as long as what was let go rolls out', () => {
  const target = { name: 'rendered-worker-bbb', sources: [] };
  const letGo = { at: program.at, by, config: target.name, program };

  expect(judged(50, { letGo }, { target })).toMatchObject([{ severity: 'high' }]);
  expect(judged(50, { letGo: { ...letGo, config: 'rendered-worker-aaa' } }, { target })).toEqual([]);
});
