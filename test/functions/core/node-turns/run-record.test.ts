import { describe, expect, it } from 'vitest';
import { judgeRun } from '../../../../functions/core/node-turns/judge-run.ts';
import {
  emptyRunRecord,
  givesWayText,
  parseRunRecord,
  type RunRecord,
  runRecordText,
  type Turn,
  withConfiguration,
  withoutConfiguration,
  withRunRequest,
} from '../../../../functions/core/node-turns/run-record.ts';
import { fc, runs } from '../../../property.ts';
import { anUpdatedNode, aRunPool, aRunQuestion, aTurnNode, newConfig, now, oldConfig } from './run-builder.ts';

const said = { who: 'ops', why: 'mended', at: now.toISOString() };

function aTurn(change: Partial<Turn> = {}): Turn {
  const at = now.toISOString();
  const begun = { pool: 'worker', target: newConfig, round: '1-bbbbbbbb', since: at, ran: [], cleaned: [], attempt: 1 };
  return { ...begun, step: 'done', ...change };
}

function withTurns(turns: Readonly<Record<string, Turn>>): RunRecord {
  return { ...emptyRunRecord, turns: { ...turns } };
}

const nameOf = (index: number) => `ip-10-0-${index >> 8}-${index & 255}.eu-central-1.compute.internal`;

describe('the record of a run', () => {
  it('[S4-14] of 2,000 nodes with a long log fits an object of the API server, and is judged', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => nameOf(index));
    const log = Array.from({ length: 200 }, () => ({ at: now.toISOString(), node: nameOf(1), what: 'x'.repeat(900) }));
    const target = `rendered-worker-${'b'.repeat(32)}`;
    const record = { ...withTurns(Object.fromEntries(names.map((name) => [name, aTurn({ target })]))), log };

    const nodes = names.map((name) => anUpdatedNode(name));
    const judged = judgeRun(aRunQuestion({ record, nodes }));

    const bytes = Buffer.byteLength(runRecordText(judged.record));
    expect(bytes).toBeLessThan(1024 * 1024);
    expect(judged.total).toBe(2_000);
    expect(parseRunRecord(runRecordText(record))).toEqual(record);
  });

  it('[S4-14] of more nodes than any cluster has forgets the oldest that are done', () => {
    const since = (index: number) => new Date(now.getTime() + index * 1000).toISOString();
    const turns = Object.fromEntries(
      Array.from({ length: 3_010 }, (_, index) => [nameOf(index), aTurn({ since: since(index) })]),
    );

    const read = parseRunRecord(runRecordText(withTurns(turns)));

    const kept = read === 'unreadable' ? [] : Object.keys(read.turns);
    expect(kept).toHaveLength(3_000);
    expect(kept).not.toContain(nameOf(9));
    expect(kept).toContain(nameOf(10));
  });

  it.each(['{', '{"v":2}', '[]', '{"v":1,"pools":{},"turns":{"w1":{}},"log":[]}'])(
    '[S4-14] that is not understood (%s) is not overwritten',
    (text) => {
      expect(parseRunRecord(text)).toBe('unreadable');
    },
  );

  it('[S4-14] [N-30] is understood whatever a run, people and a cluster have said in it, and is the same when it is stored again', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 50, unit: 'grapheme' }),
      fc.nat({ max: 6_000 }).map((length) => 'held by a sync of nodes; '.repeat(300).slice(0, length)),
      fc.nat({ max: 6_000 }).map((length) => '\u{1f600}'.repeat(length)),
    );
    const turn = fc.record({ failed: text, skip: text, staysFor: text, round: text, target: text, pool: text });
    const at = now.toISOString();
    const property = fc.property(fc.array(text, { minLength: 4, maxLength: 4 }), turn, ([a, b, c, d], said) => {
      const [who = '', why = '', what = '', held = ''] = [a, b, c, d];
      const asked = withRunRequest(withTurns({ w1: aTurn(said) }), { kind: 'pause', said: { who, why, at } });
      const pools = [aRunPool({ closed: held, refused: what })];
      const { record } = judgeRun(aRunQuestion({ record: { ...asked, lost: { at, what } }, pools, closed: held }));

      const read = parseRunRecord(runRecordText(record));
      if (read === 'unreadable') throw new Error(runRecordText(record));

      expect(parseRunRecord(runRecordText(read))).toEqual(read);
      expect(Object.keys(read.turns)).toEqual(Object.keys(record.turns));
    });
    fc.assert(property, { numRuns: runs(100) });
  });

  it('[S4-14] [N-30] that an earlier version has stored with a long entry is understood again, with both its ends', () => {
    const what = `it may not go now: ${'Application a of team-b; '.repeat(100)}and freeze of ops`;
    const record = { ...emptyRunRecord, log: [{ at: now.toISOString(), node: 'w1', what }] };

    const read = parseRunRecord(runRecordText(record));

    const said = read === 'unreadable' ? '' : read.log[0]?.what;
    expect(said).toMatch(/^it may not go now: Application a of team-b;.* chars\) .*and freeze of ops$/);
  });

  it('[S4-20] a retry is another attempt of a Job that failed, and another turn of a node that was skipped', () => {
    const record = withTurns({ w1: aTurn({ step: 'before', failed: 'exit code 1' }), w2: aTurn({ step: 'skipped' }) });

    const one = withRunRequest(record, { kind: 'retry', node: 'w1', said });
    const other = withRunRequest(one, { kind: 'retry', node: 'w2', said });

    expect(other.turns).toEqual({ w1: aTurn({ step: 'before', attempt: 2 }) });
    expect(other.log.map(({ what }) => what)).toEqual([
      'told to try again by ops: mended',
      'told to try again by ops: mended',
    ]);
  });

  it('[S4-20] a node that was let go is on its way and cannot be skipped', () => {
    const record = withTurns({ w1: aTurn({ step: 'gone' }) });

    expect(withRunRequest(record, { kind: 'skip', node: 'w1', said }).turns).toEqual(record.turns);
  });

  it('[S4-20] a clean-up that failed is left out also where the node gives way, and at once', () => {
    const turn = aTurn({ step: 'after', skip: givesWayText('storage') });
    const record = withTurns({ w1: { ...turn, failed: 'exit code 1' }, w2: turn });

    const one = withRunRequest(record, { kind: 'skip', node: 'w1', said });
    const { turns } = withRunRequest(one, { kind: 'skip', node: 'w2', said });

    const left = { ...turn, skip: 'ops: mended', leftOut: true };
    expect(turns).toEqual({ w1: { ...left, pass: true }, w2: left });
  });

  it('[S4-20] a node that a person has left out may have a turn to the next config once its pool is done', () => {
    const turn = aTurn({ step: 'skipped', target: oldConfig, round: '2-aaaaaaaa', leftOut: true });
    const pools = [aRunPool()];
    const left = judgeRun(aRunQuestion({ record: withTurns({ w1: turn }), nodes: [aTurnNode('w1')], pools }));
    const done = judgeRun(aRunQuestion({ record: left.record, nodes: [anUpdatedNode('w1')], pools }));

    expect(left.record.turns).toEqual({ w1: turn });
    expect(done.record).toMatchObject({ turns: {}, rounds: { w1: 2 } });
    expect(done.record.conditions?.map(({ message }) => message).join('\n')).not.toContain('have run successfully');
  });

  it('[S4-20] [N-29] a node that a person has left out may have a turn in a run that is put back only where its pool has resumed meanwhile', () => {
    const turn = aTurn({ step: 'skipped', round: '2-aaaaaaaa', skip: 'ops: not tonight', leftOut: true });
    const out = withoutConfiguration(withTurns({ w1: turn }), now);
    const ended = { ...out, endedAt: now.toISOString() };

    expect(withConfiguration(ended, (pool) => pool === 'worker').turns).toEqual({ w1: turn });
    expect(withConfiguration(ended, () => false)).toMatchObject({ turns: {}, rounds: { w1: 2 } });
  });

  it('[S4-21] a run that was aborted starts again with every node that has no turn yet', () => {
    const record = { ...withTurns({ w1: aTurn(), w2: aTurn({ step: 'skipped' }) }), aborted: said, endedAt: said.at };

    const started = withRunRequest(record, { kind: 'start', said });

    expect(started).toMatchObject({ pools: {}, turns: { w1: { step: 'done' } } });
    expect(Object.keys(started.turns)).toEqual(['w1']);
    expect([started.aborted, started.endedAt]).toEqual([undefined, undefined]);
  });

  it.each<[string, RunRecord]>([
    ['after a turn to another config', withTurns({ w1: aTurn({ target: oldConfig, round: '2-aaaaaaaa' }) })],
    [
      'after a retry of a node that was skipped',
      withRunRequest(withTurns({ w1: aTurn({ step: 'skipped', round: '2-bbbbbbbb' }) }), {
        kind: 'retry',
        node: 'w1',
        said,
      }),
    ],
    [
      'after the run was started again',
      withRunRequest(withTurns({ w1: aTurn({ step: 'skipped', round: '2-bbbbbbbb' }) }), { kind: 'start', said }),
    ],
  ])('[S4-14] [S4-31] no two turns of a node have one round: %s it is the third', (_, record) => {
    const judged = judgeRun(aRunQuestion({ record, nodes: [aTurnNode('w1')], pools: [aRunPool()] }));

    expect(judged.record.turns['w1']?.round).toBe('3-bbbbbbbb');
  });

  it('[S4-14] [S4-31] a round is of the hold that its pool has, so that none before that hold is the same', () => {
    const roundAt = (heldSince: string) =>
      judgeRun(aRunQuestion({ nodes: [aTurnNode('w1')], pools: [aRunPool({ heldSince })] })).record.turns['w1']?.round;

    const [one, same, other] = ['10:00:00.000', '10:00:00.000', '10:00:00.001'].map((at) =>
      roundAt(`2026-03-02T${at}Z`),
    );
    expect(one).toMatch(/^1-bbbbbbbb-[0-9a-z]{8}$/);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });
});
