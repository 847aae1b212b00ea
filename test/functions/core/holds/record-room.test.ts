import { expect, test } from 'vitest';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { collectiveHolds, unrecordedFailure } from '../../../../functions/core/holds/collective-hold.ts';
import { type Fitting, holdsThatFit, machineConfigsThatFit } from '../../../../functions/core/holds/record-room.ts';
import { collectiveFor, isCollective } from '../../../../functions/core/openshift/collective-hold-id.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import { countValues, type PoolRecord, readRecord } from '../../../../functions/core/openshift/pool-record.ts';
import { anApplication, anOperation } from '../../../fakes/index.ts';
import { alwaysHolds, fc, runs } from '../../../property.ts';

const now = new Date('2026-03-02T10:00:00Z');
const policy = { expectSyncWithinSeconds: 900, sweepEverySeconds: 300 };
/** Bytes that the holds may take. */
const room = 150_000;

/** One kind of hold, many times: the ids differ. */
const some = fc.record({
  count: fc.nat(300),
  kind: fc.constantFrom('sync', 'sync', 'sync', 'manual'),
  phase: fc.constantFrom('expected', 'syncing', 'failed'),
  isPush: fc.boolean(),
  argocd: fc.constantFrom('hub', 'edge'),
  text: fc.constantFrom('x', '\u4e16', '\u0001'),
  length: fc.nat(900),
  commits: fc.nat(10),
  left: fc.nat(10),
  isKnown: fc.boolean(),
});

type Some = typeof some extends fc.Arbitrary<infer Each> ? Each : never;

function holdsOf(all: readonly Some[]): { readonly holds: readonly Hold[]; readonly before: readonly Hold[] } {
  const made = all.flatMap((each, at) =>
    Array.from({ length: each.kind === 'manual' ? Math.min(each.count, 20) : each.count }, (_, index) => {
      const { kind, phase, isPush, argocd, text, length, commits, left } = each;
      const name = `a${at}-${index}`;
      const manual: Hold = {
        ...{ id: `manual/${name}`, kind: 'manual', who: name, why: text.repeat(length) },
        ...{ since: now.toISOString(), until: '2026-03-02T11:00:00.000Z' },
      };
      const sync: Hold = { ...manual, id: `sync/${argocd}/ns/${name}`, kind: 'sync', phase };
      const from = Array.from({ length: commits }, (__, commit) => `${commit}`.repeat(40));
      const leftFailed = Array.from({ length: left }, () => ({
        group: text,
        kind: 'K',
        namespace: '',
        name: text.repeat(length),
      }));
      const failed = phase === 'failed' ? { leftFailed } : {};
      const hold =
        kind === 'manual' ? manual : { ...sync, from, ...failed, ...(isPush ? { pushedAt: now.toISOString() } : {}) };
      return { hold, isKnown: each.isKnown };
    }),
  );
  return {
    holds: made.map(({ hold }) => hold),
    before: made.flatMap(({ hold, isKnown }) => (isKnown ? [hold] : [])),
  };
}

function bytesOf(holds: readonly Hold[]): number {
  return Buffer.byteLength(JSON.stringify(holds));
}

function ids(holds: readonly Hold[]): readonly string[] {
  return holds.map(({ id }) => id);
}

test('[N-30] property: whatever fills a record, it fits, loses nobody, and people and pushes come first', () => {
  alwaysHolds(
    'holds that fit',
    fc.property(fc.array(some, { minLength: 1, maxLength: 5 }), (all) => {
      const { holds, before } = holdsOf(all);
      const { fit, leftOut }: Fitting = holdsThatFit(holds, { v: 1, holds: [...before] });
      const rest = collectiveHolds(before, leftOut, policy, now);

      const people = holds.filter(({ kind }) => kind === 'manual');
      expect(bytesOf(fit)).toBeLessThan(room + bytesOf(people));
      expect([...ids(fit), ...ids(leftOut)].toSorted()).toEqual([...ids(holds)].toSorted());
      expect(people.filter(({ id }) => !fit.some((hold) => hold.id === id))).toEqual([]);
      const standsTo = (id: string) => Date.parse(collectiveFor(id, rest)?.until ?? '');
      const isHeld = ({ id, phase, until }: Hold) =>
        standsTo(id) > now.getTime() && (phase !== 'expected' || standsTo(id) >= Date.parse(until));
      expect(leftOut.filter((hold) => !isHeld(hold))).toEqual([]);
      // A push is left out only where holds of people, failures and other pushes leave no room for it.
      const comesFirst = ({ kind, phase, pushedAt }: Hold) =>
        kind === 'manual' || phase === 'failed' || pushedAt !== undefined;
      const left = room - bytesOf(fit.filter(comesFirst));
      expect(leftOut.filter((hold) => hold.pushedAt !== undefined && bytesOf([hold]) + 2 <= left)).toEqual([]);
    }),
    { numRuns: runs(25) },
  );
});

test('[N-30] property: what fits once fits again, and after one more look nothing changes', () => {
  fc.assert(
    fc.property(fc.array(some, { minLength: 1, maxLength: 5 }), (all) => {
      const { holds, before } = holdsOf(all);
      const first = holdsThatFit(holds, { v: 1, holds: [...before] });
      const second = holdsThatFit(holds, { v: 1, holds: [...first.fit] });
      const third = holdsThatFit(holds, { v: 1, holds: [...second.fit] });

      const kept = new Set(ids(second.fit));
      expect(ids(first.fit).filter((id) => !kept.has(id))).toEqual([]);
      expect(third).toEqual(second);
    }),
    { numRuns: runs(25) },
  );
});

test('[N-30] property: a record of as many short values as there is room for can be read, with a third to spare', () => {
  const fullest = fc.record({
    commits: fc.nat(10),
    earlier: fc.nat(10),
    pushers: fc.nat(50),
    left: fc.nat(10),
    phase: fc.constantFrom('expected', 'syncing', 'failed'),
    isPush: fc.boolean(),
  });
  const short = (count: number) => Array.from({ length: count }, (_, index) => index.toString(36));
  fc.assert(
    fc.property(fullest, ({ commits, earlier, pushers, left, phase, isPush }) => {
      const all = Array.from({ length: 1200 }, (_, index): Hold => {
        const name = index.toString(36);
        const via = { argocd: '', namespace: '', name: 'a', revision: 'b', from: short(earlier) };
        const push = isPush ? { pushedAt: '2026-03-02T10:00:00Z', revision: 'a', via } : {};
        const people = pushers === 0 ? {} : { pushers: short(pushers) };
        const leftFailed = short(left).map((each) => ({ group: '', kind: 'K', namespace: '', name: each }));
        const failed = left === 0 ? {} : { leftFailed };
        return {
          ...sample,
          id: `sync//a/${name}`,
          who: '',
          phase,
          from: short(commits),
          ...push,
          ...people,
          ...failed,
        };
      });
      const { fit } = holdsThatFit(all, { v: 1, holds: [] });
      const machineConfigs = [
        ...machineConfigsThatFit(
          Array.from({ length: 30_000 }, (_, at) => at.toString(36)),
          () => false,
        ),
      ];
      const at = now.toISOString();
      const release = { since: at, finishedAt: at, machineConfigs, why: '' };
      const text = JSON.stringify({ v: 1, pause: 'ours', holds: [...fit], release } satisfies PoolRecord);

      expect(Buffer.byteLength(text)).toBeLessThan(230_000);
      expect(countValues(JSON.parse(text), 100_000)).toBeLessThan(20_000);
      expect(readRecord(text).kind).toBe('record');
    }),
    { numRuns: runs(15) },
  );
});

test('[N-30] the collective hold ends at its time and is none of an ApplicationSet', () => {
  const [hold] = collectiveHolds([], [{ ...sample, id: 'sync/hub/ns/x' }], policy, now);

  expect(hold).toMatchObject({ id: 'set/hub//others', phase: 'expected', until: '2026-03-02T10:15:00.000Z' });
  expect(hold && isCollective(hold)).toBe(true);
  expect(['set/hub/ns/others', 'sync/hub//others', 'manual/others'].some((id) => isCollective({ id }))).toBe(false);
  const kept = hold === undefined ? [] : [hold];
  expect(collectiveHolds(kept, [], policy, new Date('2026-03-02T10:14:59Z'))).toEqual(kept);
  expect(collectiveHolds(kept, [], policy, new Date('2026-03-02T10:15:00Z'))).toEqual([]);
});

test('[N-30] [S0-9] a failure without a hold is held anew until a person or the policy has decided about it', () => {
  const rest = { ...sample, id: 'set/hub//others', since: '2026-03-02T10:00:00.000Z' };
  const failedAt = (finishedAt: string) =>
    anApplication({ operation: anOperation({ phase: 'Failed', finishedAt, results: [] }) });
  const after = failedAt('2026-03-02T10:00:00Z');
  const ask = (application = after, at = '2026-03-02T10:30:00Z', onSyncFailure: 'keep' | 'resume' = 'resume') =>
    unrecordedFailure(application, { v: 1, holds: [rest] }, { ...defaultPolicy, onSyncFailure }, new Date(at));

  expect(ask()).toMatchObject({ id: 'sync/hub/openshift-gitops/nodes', phase: 'syncing' });
  expect(ask(failedAt('2026-03-02T09:59:59Z'))).toBeUndefined();
  expect(ask(anApplication())).toBeUndefined();
  expect(ask(after, '2026-03-02T11:00:00Z')).toBeUndefined();
  expect(ask(after, '2026-03-02T11:00:00Z', 'keep')).toBeDefined();
  const overruledAt = (at: string): PoolRecord => ({ v: 1, holds: [{ ...rest, overruled: { at, by: 'ann' } }] });
  expect(unrecordedFailure(after, overruledAt('2026-03-02T10:00:05Z'), defaultPolicy, now)).toBeUndefined();
  expect(unrecordedFailure(after, overruledAt('2026-03-02T10:00:04Z'), defaultPolicy, now)).toBeDefined();
});

const sample: Hold = {
  ...{ id: '', kind: 'sync', who: 'ns/x', why: '', phase: 'expected' },
  ...{ since: now.toISOString(), until: '2026-03-02T10:10:00.000Z' },
};
