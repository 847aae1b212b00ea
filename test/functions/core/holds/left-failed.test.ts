import { expect, test } from 'vitest';
import type { Application, ObjectName, Operation } from '../../../../functions/core/argocd/application.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { leftAfter } from '../../../../functions/core/holds/left-failed.ts';
import { overrule } from '../../../../functions/core/holds/overruled.ts';
import type { Step } from '../../../../functions/core/holds/step.ts';
import { nextStep } from '../../../../functions/core/holds/sync-hold.ts';
import { Hold } from '../../../../functions/core/openshift/hold.ts';
import { aHold, anApplication, anOperation } from '../../../fakes/index.ts';
import { fc, runs } from '../../../property.ts';

/** How many objects of failed syncs a hold remembers, as docs/security.md has it. */
const leftAtMost = 10;

const begin = Date.parse('2026-03-02T10:00:00Z');

function named(index: number): ObjectName {
  return {
    group: 'machineconfiguration.openshift.io',
    kind: 'MachineConfig',
    namespace: '',
    name: `99-worker-${index}`,
  };
}

/** One sync: of these objects, or of everything. */
interface Sync {
  readonly of: readonly number[] | undefined;
  /** Objects that it says it has written, though it failed; undefined: it succeeded. */
  readonly failedBut: readonly number[] | undefined;
  readonly isSeenRunning: boolean;
}

/** An Application of which something is always out of sync. */
function shown(operation: Operation): Application {
  return anApplication({
    automated: false,
    sync: { status: 'OutOfSync', revisions: [...operation.revisions] },
    resources: [{ ...named(999), status: 'OutOfSync' }],
    operationQueued: operation.phase === 'Running',
    operation,
  });
}

function operationOf({ of, failedBut }: Sync, second: number): Operation {
  const at = (plus: number) => new Date(begin + (second + plus) * 1000).toISOString();
  const written = failedBut ?? of ?? [];
  return anOperation({
    phase: failedBut === undefined ? 'Succeeded' : 'Failed',
    startedAt: at(0),
    finishedAt: at(5),
    ...(of === undefined ? {} : { partial: true, asked: of.map(named) }),
    results: written.map((index) => ({ ...named(index), status: 'Synced', message: '', hookType: '' })),
  });
}

function stepOf(hold: Hold | undefined, operation: Operation, second: number): Step {
  const now = new Date(begin + second * 1000);
  // As it is read back from the pool.
  const read = hold === undefined ? undefined : Hold.parse(JSON.parse(JSON.stringify(hold)));
  const observed = { kind: 'seen', application: shown(operation) } as const;
  return nextStep({ hold: read, observed, push: undefined, refusing: [], policy: defaultPolicy, now });
}

/** The step once a sync has ended; each is seen twice. */
function play(before: Hold | undefined, sync: Sync, second: number): Step {
  const operation = operationOf(sync, second);
  const running = { ...operation, phase: 'Running', finishedAt: undefined, results: [] } as const;
  const begun = before === undefined || sync.isSeenRunning ? held(stepOf(before, running, second + 1)) : before;
  const first = stepOf(begun, operation, second + 6);
  if (first.kind !== 'hold') return first;
  const again = stepOf(first.hold, operation, second + 30);
  expect(again).toEqual(first);
  return again;
}

function held(step: Step): Hold | undefined {
  return step.kind === 'hold' ? step.hold : undefined;
}

const objects = fc.uniqueArray(fc.nat(11), { minLength: 1, maxLength: 5 });
const aSync: fc.Arbitrary<Sync> = fc
  .record({
    of: fc.option(objects, { freq: 8, nil: undefined }),
    failed: fc.boolean(),
    wrote: fc.nat(4),
    isSeenRunning: fc.boolean(),
  })
  .map(({ of, failed, wrote, isSeenRunning }) => ({
    of,
    isSeenRunning,
    // Of what it was to write, something is missing.
    failedBut: failed ? (of ?? []).slice(1, 1 + wrote) : undefined,
  }));

/** What is still to be synced, by the rule itself: every object that a failed sync left, until a sync has written
 *  it. */
class Expected {
  private objects: readonly number[] = [];
  private isEverything = false;

  note({ of, failedBut }: Sync): void {
    const missing = failedBut === undefined ? [] : (of ?? []).filter((each) => !failedBut.includes(each));
    const stillOpen = of === undefined ? [] : this.objects.filter((each) => !(failedBut ?? of).includes(each));
    this.objects = [...new Set([...stillOpen, ...missing])];
    if (of === undefined) this.isEverything = failedBut !== undefined;
    this.isEverything ||= this.objects.length > leftAtMost;
  }

  isOver(): boolean {
    return !this.isEverything && this.objects.length === 0;
  }

  names(): readonly string[] | undefined {
    return this.isEverything ? undefined : this.objects.map((each) => named(each).name).toSorted();
  }
}

test('[S0-9] [N-29] property: a failed sync is over when all that failed has been synced, and not before', () => {
  fc.assert(
    fc.property(fc.array(aSync, { minLength: 1, maxLength: 25 }), (syncs) => {
      const expected = new Expected();
      let hold: Hold | undefined;
      for (const [index, sync] of syncs.entries()) {
        expected.note(sync);

        const step = play(hold, sync, index * 60);

        expect(step.kind).toBe(expected.isOver() ? 'release' : 'hold');
        hold = held(step);
        if (hold === undefined) continue;
        expect(hold).toMatchObject({ phase: 'failed' });
        expect(hold.leftFailed?.map(({ name }) => name).toSorted()).toEqual(expected.names());
      }
    }),
    { numRuns: runs(300) },
  );
});

const seen = { isSeenRunning: true };
const part = (of: readonly number[], failedBut?: readonly number[]): Sync => ({ of, failedBut, ...seen });

test('[S0-9] [N-29] what an earlier version noted as failed is everything', () => {
  const failed = aHold({ phase: 'failed', pushedAt: undefined, revision: undefined });

  expect(play(failed, part([1]), 60).kind).toBe('hold');
  expect(play(failed, { of: undefined, failedBut: undefined, ...seen }, 120).kind).toBe('release');
});

test('[S0-9] [N-29] a part that says it has written all and failed all the same is to be synced again', () => {
  const failed = held(play(undefined, part([1, 2], [1, 2]), 0));

  expect(failed).toMatchObject({ phase: 'failed', leftFailed: [named(1), named(2)] });
  expect(play(failed, part([1, 2]), 60).kind).toBe('release');
});

test('[S0-9] [N-29] more objects than are kept are everything', () => {
  const many = Array.from({ length: leftAtMost + 1 }, (_, index) => index);
  const failed = held(play(undefined, part(many, []), 0));

  expect(failed?.leftFailed).toBeUndefined();
  expect(play(failed, part(many), 60).kind).toBe('hold');
});

/** A sync of one ConfigMap, named like this. */
function ofConfigMap(change: Partial<ObjectName>, phase: 'Succeeded' | 'Failed', second: number): Operation {
  const configMap = { group: '', kind: 'ConfigMap', namespace: 'web', name: 'web' };
  return {
    ...operationOf(part([], phase === 'Failed' ? [] : undefined), second),
    asked: [{ ...configMap, ...change }],
  };
}

test.each([
  ['of the same object', {}, 'release'],
  ['of that name in any namespace', { namespace: '' }, 'release'],
  ['of its namesake in another namespace', { namespace: 'shop' }, 'hold'],
  ['of another kind', { kind: 'Secret' }, 'hold'],
  ['of another group', { group: 'example.com' }, 'hold'],
  ['of another name', { name: 'w' }, 'hold'],
  ['of a name with a wildcard, which selects nothing in an operation', { name: '*' }, 'hold'],
])('[S0-9] [N-29] a part that failed is answered only by the very object: a sync %s', (_, change, expected) => {
  const running = stepOf(undefined, { ...ofConfigMap({}, 'Failed', 0), phase: 'Running', finishedAt: undefined }, 1);
  const failed = held(stepOf(held(running), ofConfigMap({}, 'Failed', 0), 6));

  const step = stepOf(failed, ofConfigMap(change, 'Succeeded', 60), 66);

  expect(failed).toMatchObject({ phase: 'failed' });
  expect(step.kind).toBe(expected);
});

test('[S0-9] [N-29] a self-heal that failed, which names no namespaces, is answered by a sync that names them', () => {
  const failing = ofConfigMap({ namespace: '' }, 'Failed', 0);
  const answer = ofConfigMap({}, 'Succeeded', 60);
  const resources = [{ group: '', kind: 'ConfigMap', namespace: 'web', name: 'web', status: 'OutOfSync' }];
  const step = (hold: Hold | undefined, operation: Operation, isNew = false) =>
    nextStep({
      hold,
      observed: { kind: 'seen', application: { ...shown(operation), ...(isNew ? {} : { resources }) } },
      push: undefined,
      refusing: [],
      policy: defaultPolicy,
      now: new Date(begin + 90_000),
    });
  const failed = held(
    step(aHold({ phase: 'syncing', pushedAt: undefined, startedAt: failing.startedAt }), failing, true),
  );

  expect(failed?.leftFailed).toMatchObject([{ namespace: '' }]);
  expect(step(failed, answer).kind).toBe('release');
});

test('[S0-9] [N-29] a person who resumes the pool has decided about what failed before', () => {
  const failed = held(play(undefined, part([1], []), 0)) ?? aHold();

  const decided = overrule({ ...failed, phase: 'syncing', afterFailure: true }, { at: failed.since, by: 'oc' });

  expect(decided).not.toMatchObject({ afterFailure: true });
  expect(decided.leftFailed).toBeUndefined();
});

test('[S0-9] [N-30] one object that a sync names, an Application shows and a result tells hundreds of times is looked at once', () => {
  const count = 200;
  let reads = 0;
  const row = () => ({
    ...named(1),
    status: 'OutOfSync' as const,
    get namespace() {
      reads += 1;
      return 'shop';
    },
  });
  const asked = Array.from({ length: count }, () => named(1));
  const results = Array.from({ length: count }, () => ({ ...row(), status: 'SyncFailed', message: '', hookType: '' }));
  const operation = anOperation({ phase: 'Failed', partial: true, asked, results });
  const resources = Array.from({ length: count }, row);

  const left = leftAfter(operation, anApplication({ operation, resources }), aHold());

  expect(left).toEqual([{ ...named(1), namespace: 'shop' }]);
  expect(reads).toBeLessThan(10 * count);
});
