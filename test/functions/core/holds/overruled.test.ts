import { describe, expect, test } from 'vitest';
import type { ObservedApplication } from '../../../../functions/core/argocd/application.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { decidePool } from '../../../../functions/core/holds/decide.ts';
import { gateQuestion } from '../../../../functions/core/holds/gate-question.ts';
import { addManualHold, type ManualChange, resumeManually } from '../../../../functions/core/holds/manual-hold.ts';
import type { PoolRollout } from '../../../../functions/core/node-turns/pool-rollouts.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { type PoolRecord, readRecord } from '../../../../functions/core/openshift/pool-record.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { poolEvents } from '../../../../functions/core/timeline/pool-events.ts';
import { anApplication, anOperation, aPool, noImages } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { aSnapshot } from './a-snapshot.ts';

const names = ['a', 'b'] as const;
type Name = (typeof names)[number];

/** Argo CD runs on none of the nodes. */
const evidence = new Map([['worker', { ...noEvidence, controllers: seen([]), images: noImages }]]);

/** A pool, the operations of two Applications that affect it, and a run that may want it. */
function aLab() {
  let now = Date.parse('2026-03-02T10:00:00Z');
  let pool: Pool = aPool();
  const operations = new Map<Name, { readonly startedAt: string; readonly finishedAt: string | undefined }>();
  let rollout: PoolRollout | undefined;
  let published: PoolRecord | undefined;
  let isCrashing = false;
  const told: string[] = [];

  function observed(name: Name): ObservedApplication {
    const of = operations.get(name);
    const operation =
      of && anOperation({ ...of, phase: of.finishedAt === undefined ? 'Running' : 'Succeeded', results: [] });
    return { kind: 'seen', application: anApplication({ name, uid: name, operation, operationQueued: false }) };
  }

  function write(
    { paused, record }: { readonly paused: boolean | undefined; readonly record: PoolRecord },
    by: string,
  ) {
    const read = readRecord(JSON.stringify(record));
    pool = { ...pool, record: read, ...(paused === undefined ? {} : { paused, pausedBy: { manager: by, at: at() } }) };
  }

  function publish() {
    const events = poolEvents({ cluster: 'prod', pool, published, now: new Date(now) });
    told.push(...events.map(({ type }) => type.replace(/^poolkeeper\.pool\.|\.v1$/g, '')));
    published = pool.record.kind === 'record' ? pool.record.record : undefined;
  }

  function at(): string {
    return new Date(now).toISOString();
  }

  return {
    pool: () => pool,
    record: (): PoolRecord => (pool.record.kind === 'record' ? pool.record.record : { v: 1, holds: [] }),
    /** Looks twice, so that what is let go can resume. */
    look() {
      for (let time = 0; time < 2; time += 1) {
        now += 61_000;
        const applications = names.map(observed);
        const rollouts = new Map(rollout === undefined ? [] : [[pool.name, rollout]]);
        const { action } = decidePool(
          pool,
          aSnapshot({ pools: [pool], applications, rollouts, evidence }),
          new Date(now),
        );
        if (action.kind !== 'none') {
          const paused = action.kind === 'record' ? undefined : action.kind === 'pause';
          write({ paused, record: action.record }, 'poolkeeper');
        }
        if (!isCrashing) publish();
      }
      isCrashing = false;
    },
    /** What was published so far: `paused`, `overridden` and the like. */
    told,
    /** The passes of the next look die before they publish anything. */
    crashes() {
      isCrashing = true;
    },
    begins(name: Name) {
      now += 2000;
      operations.set(name, { startedAt: `${at().slice(0, 19)}Z`, finishedAt: undefined });
    },
    ends(name: Name) {
      now += 2000;
      const before = operations.get(name);
      if (before !== undefined) operations.set(name, { ...before, finishedAt: `${at().slice(0, 19)}Z` });
    },
    resumes(manager = 'kubectl-patch') {
      now += 2000;
      pool = { ...pool, paused: false, pausedBy: { manager, at: at() } };
    },
    byHand(change: (pool: Pool, now: Date) => ManualChange) {
      now += 2000;
      const { paused, record } = change(pool, new Date(now));
      if (record !== undefined && record !== null) write({ paused, record }, 'poolkeeper');
    },
    runWants(wants: PoolRollout | undefined, target = pool.target.name) {
      rollout = wants;
      pool = { ...pool, target: { name: target, sources: [] } };
    },
    /** The record as a version wrote it that marked the pool alone, or did not know the mark. */
    asBefore() {
      if (pool.record.kind !== 'record') return;
      const holds = pool.record.record.holds.map(({ overruled: _, ...hold }) => hold);
      pool = { ...pool, record: { kind: 'record', record: { ...pool.record.record, holds } } };
    },
  };
}

const deed = (now: Date) => ({ who: 'ann', why: 'now', now });

describe('[S0-15] [N-30] a person who resumes a held pool decides about what stands then', () => {
  test('and what began between the decision and the next look came later, whoever began it', () => {
    const [same, other] = [aLab(), aLab()];
    for (const lab of [same, other]) {
      lab.begins('a');
      lab.look();
      lab.resumes();
    }
    same.ends('a');
    same.begins('a');
    other.begins('b');
    for (const lab of [same, other]) lab.look();

    expect([same.pool().paused, other.pool().paused]).toEqual([true, true]);
    expect(other.record().last).toMatchObject({
      did: 'paused',
      why: expect.stringContaining('kubectl-patch resumed the pool: paused again'),
    });
    expect(other.record().holds.map(({ who, overruled }) => [who, overruled !== undefined])).toEqual([
      ['openshift-gitops/a', true],
      ['openshift-gitops/b', false],
    ]);
  });

  test.each([
    ['holds it', ['paused', 'overridden', 'paused']],
    ['has held it, and nothing since', ['paused', 'overridden', 'paused']],
  ])('and people hear of both, of the resume and of the pause that follows at once, while a sync %s', (why, told) => {
    const lab = aLab();
    lab.begins('a');
    lab.look();
    if (why !== 'holds it') lab.ends('a');
    lab.resumes();
    lab.begins('b');
    lab.look();

    expect(lab.pool().paused).toBe(true);
    expect(lab.told.filter((type) => type === 'paused' || type === 'overridden')).toEqual(told);
  });

  test('so that the sync of another Application that comes later pauses it, and its end resumes it', () => {
    const lab = aLab();
    lab.begins('a');
    lab.look();
    lab.resumes();
    lab.look();
    const resumed = lab.pool().paused;
    lab.begins('b');
    lab.look();
    const during = lab.pool().paused;
    lab.ends('b');
    lab.look();

    expect([resumed, during, lab.pool().paused]).toEqual([false, true, false]);
    expect(lab.record()).toMatchObject({
      pause: 'overridden',
      holds: [{ who: 'openshift-gitops/a', overruled: { by: 'kubectl-patch' } }],
    });
  });

  test('so that another operation of the same Application pauses it, even if it was never seen at rest', () => {
    const lab = aLab();
    lab.begins('a');
    lab.look();
    const [first] = lab.record().holds;
    lab.resumes();
    lab.look();
    lab.begins('a');
    lab.look();

    expect(lab.pool().paused).toBe(true);
    expect(lab.record().holds[0]?.overruled).toBeUndefined();
    expect(Date.parse(lab.record().holds[0]?.since ?? '')).toBeGreaterThan(Date.parse(first?.since ?? ''));
  });

  test('and an operation that ran then, though nobody had looked, does not pause it', () => {
    const lab = aLab();
    lab.begins('a');
    lab.look();
    lab.begins('a');
    lab.resumes();
    lab.look();

    expect(lab.pool().paused).toBe(false);
  });

  test('and a hold that somebody adds by hand pauses it for its time alone', () => {
    const lab = aLab();
    lab.begins('a');
    lab.look();
    lab.resumes();
    lab.look();
    lab.byHand((pool, now) => addManualHold(pool, new Date(now.getTime() + 30_000), deed(now)));
    const held = lab.pool().paused;
    lab.look();

    expect([held, lab.pool().paused]).toEqual([true, false]);
  });

  test('and a pool that was resumed under an earlier version stays so, for the holds that it had then', () => {
    const lab = aLab();
    lab.begins('a');
    lab.look();
    lab.resumes();
    lab.look();
    lab.asBefore();
    lab.look();
    const still = lab.pool().paused;
    lab.begins('b');
    lab.look();

    expect([still, lab.pool().paused]).toEqual([false, true]);
  });

  test('[S4-28] and a run wants it again only for another rendered config, whichever way it was resumed', () => {
    for (const resume of ['oc', 'poolkeeper'] as const) {
      const lab = aLab();
      lab.runWants({ run: 'r', wants: 'hold', why: 'run r takes its nodes one by one' }, 'rendered-worker-b');
      lab.look();
      const held = lab.pool().paused;
      if (resume === 'oc') lab.resumes();
      else lab.byHand((pool, now) => resumeManually(pool, deed(now)));
      lab.look();
      const resumed = lab.pool().paused;
      lab.runWants({ run: 'r', wants: 'hold', why: 'run r takes its nodes one by one' }, 'rendered-worker-c');
      lab.look();

      expect([resume, held, resumed, lab.pool().paused]).toEqual([resume, true, false, true]);
    }
  });
});

test('[S0-15] [N-6] gates wait for no sync that is overruled and seen to run, and for every other one', () => {
  const lab = aLab();
  lab.begins('a');
  lab.look();
  lab.resumes();
  lab.look();
  const asked = (running: boolean, applications = [observedOf('a', running)]) =>
    gateQuestion(lab.record(), lab.pool(), aSnapshot({ pools: [lab.pool()], applications }), new Date()).overruledSyncs;

  expect([...(asked(true) ?? [])]).toEqual(['sync/hub/openshift-gitops/a']);
  expect(asked(false)?.size).toBe(0);
  expect(asked(true, [])?.size).toBe(0);
});

function observedOf(name: Name, isRunning: boolean): ObservedApplication {
  const phase = isRunning ? ('Running' as const) : ('Succeeded' as const);
  return { kind: 'seen', application: anApplication({ name, uid: name, operation: anOperation({ phase }) }) };
}

const deeds = [
  ...(['a begins', 'a ends', 'b begins', 'b ends', 'crash'] as const),
  ...(['oc resumes', 'poolkeeper resumes', 'ann holds', 'upgrade'] as const),
] as const;
type Deed = (typeof deeds)[number];

/** What stands, by name, and whether a person has resumed the pool in spite of it. */
type Standing = Map<string, 'open' | 'decided'>;

const weekMs = 7 * 24 * 3_600_000;

function perform(what: Deed, lab: ReturnType<typeof aLab>, stands: Standing): void {
  const begins = (name: Name) => {
    lab.begins(name);
    stands.set(name, 'open');
  };
  const ends = (name: Name) => {
    lab.ends(name);
    stands.delete(name);
  };
  const decide = () => {
    if (lab.pool().paused) for (const each of stands.keys()) stands.set(each, 'decided');
  };
  const does: Readonly<Record<Deed, () => void>> = {
    'a begins': () => begins('a'),
    'b begins': () => begins('b'),
    'a ends': () => ends('a'),
    'b ends': () => ends('b'),
    'oc resumes': () => {
      decide();
      if (lab.pool().paused) lab.resumes();
    },
    'poolkeeper resumes': () => {
      decide();
      stands.delete('ann');
      lab.byHand((pool, now) => resumeManually(pool, deed(now)));
    },
    'ann holds': () => {
      lab.byHand((pool, now) => addManualHold(pool, new Date(now.getTime() + weekMs), deed(now)));
      stands.set('ann', 'open');
    },
    // A version before leaves no marks, and pauses for nothing while a pool is overridden.
    crash: () => lab.crashes(),
    upgrade: () => (lab.record().pause === 'overridden' ? lab.asBefore() : undefined),
  };
  does[what]();
}

function pauseOf(stands: Standing): string {
  if ([...stands.values()].includes('open')) return 'ours';
  return stands.size > 0 ? 'overridden' : 'none';
}

/** What the next look is to find beside the first. */
const between = fc.constantFrom('look', 'no look');

/** How often a person has resumed it. Two times between looks look like one, and of what a crash leaves untold the last
 *  is told: these are left out. */
function play(lab: ReturnType<typeof aLab>, all: readonly (readonly [Deed, 'look' | 'no look'])[]): number {
  let [isSeen, resumes] = [true, 0];
  for (const [each, then] of all) {
    const isPaused = lab.pool().paused;
    const isLeftOut = each === 'upgrade' || (each.endsWith('resumes') && !(isSeen && isPaused));
    if (!isLeftOut) perform(each, lab, new Map());
    const isResumed = isPaused && !lab.pool().paused;
    resumes += Number(isResumed);
    const isLookedAt = then === 'look' && each !== 'crash';
    if (isLookedAt) lookTwice(lab);
    isSeen = isLookedAt || (isSeen && !isResumed);
  }
  lookTwice(lab);
  return resumes;
}

/** One of them may have died before it published. */
function lookTwice(lab: ReturnType<typeof aLab>): void {
  lab.look();
  lab.look();
}

test('[S0-15] [N-29] every resume by a person is told once, whatever else comes before the next look', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...deeds), between), { maxLength: 20 }), (all) => {
      const lab = aLab();
      const resumes = play(lab, all);

      expect(lab.told.filter((type) => type === 'overridden')).toHaveLength(resumes);
    }),
    { numRuns: 150 },
  );
});

test('[S0-15] [N-30] whatever comes when, the pool is paused exactly while something runs that nobody has decided about', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...deeds), { maxLength: 20 }), (all) => {
      const lab = aLab();
      const stands: Standing = new Map();
      for (const each of all) {
        perform(each, lab, stands);
        lab.look();
        const wanted = pauseOf(stands);

        expect([each, lab.record().pause ?? 'none', lab.pool().paused]).toEqual([each, wanted, wanted === 'ours']);
        const counting = lab.record().holds.filter(({ overruled }: Hold) => overruled === undefined);
        expect(counting.length > 0).toBe(wanted === 'ours');
      }
    }),
    { numRuns: 150 },
  );
});
