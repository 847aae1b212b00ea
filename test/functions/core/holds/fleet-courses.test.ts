import { describe, expect, test } from 'vitest';
import { defaultPolicy, type Policy } from '../../../../functions/core/configuration/policy.ts';
import { decidePool } from '../../../../functions/core/holds/decide.ts';
import { judge } from '../../../../functions/core/judge/judge.ts';
import { syncHoldId } from '../../../../functions/core/openshift/hold.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { type Depth, depth } from '../../../property.ts';
import { aJudgeInput } from '../judge/a-judge-input.ts';
import {
  type Act,
  approveOf,
  isHalfApplied,
  isOfTenant,
  isPossible,
  isTenantAtRest,
  next,
  ownId,
  ownName,
  type PoolName,
  pendingOf,
  poolNames,
  pushers,
  type State,
  type Step,
  settle,
  snapshotOf,
  start,
  type World,
  waits,
} from './fleet-courses.ts';

interface Course {
  readonly steps: readonly Step[];
  /** After the last step. */
  readonly last: State;
}

const everyOwn: readonly Act[] = [
  'push to both',
  'push to one',
  'begin',
  'begin the earlier',
  'part',
  'retry',
  'succeed',
  'fail',
  'dry run',
  'wait',
];
const ofPools: readonly Act[] = [
  'push to both',
  'push to one',
  'begin',
  'begin the earlier',
  'part',
  'succeed',
  'fail',
];
const ofSyncs: readonly Act[] = ['push to both', 'begin', 'succeed', 'fail'];
const ofTenant: readonly Act[] = [
  'his push',
  'his begin',
  'his begin long ago',
  'his begin ahead',
  'his succeed',
  'his fail',
  'his claim',
  'his dry run',
  'his replace',
  'his delete',
  'his naming',
  'his none',
  'his garbage',
];
const ofBoth: readonly Act[] = [...ofSyncs, ...ofTenant];

const inTeam = { argocd: 'hub', namespace: 'team-a', name: 'tuning' };
const namesake = { argocd: 'edge', namespace: 'openshift-gitops', name: 'nodes' };

function worldOf(onSyncFailure: Policy['onSyncFailure'], tenant = inTeam): World {
  return { policy: { ...defaultPolicy, onSyncFailure }, tenant, isAlone: false };
}

const everyWorld = [
  ['keep', 'another Application', worldOf('keep')],
  ['resume-after-approval', 'another Application', worldOf('resume-after-approval')],
  ['resume', 'another Application', worldOf('resume')],
  ['resume-after-approval', 'one of the same name in another Argo CD', worldOf('resume-after-approval', namesake)],
] as const;

/** Every course of at most that length, each looked at, and some also not. */
function* courses(
  acts: readonly Act[],
  { goesOn }: Depth,
  world: World,
  unseen: readonly Act[] = [],
): Generator<Course> {
  const kinds: readonly Step[] = [
    ...acts.map((act) => ({ act, isLookedAt: true })),
    ...unseen.map((act) => ({ act, isLookedAt: false })),
  ];
  yield* goOn({ steps: [], last: start });

  function* goOn(course: Course): Generator<Course> {
    yield course;
    if (!goesOn(course.steps.length)) return;
    for (const step of kinds.filter(({ act }) => isPossible(act, course.last))) {
      const last = next(step, course.last, world);
      yield* goOn({ steps: [...course.steps, step], last });
    }
  }
}

/** A few of the courses that are not as they should be, in words. */
function wrongOf(tried: Iterable<Course>, isWrong: (course: Course) => boolean): readonly string[] {
  const wrong: string[] = [];
  for (const course of tried) {
    if (isWrong(course)) wrong.push(course.steps.map(textOf).join('; '));
    if (wrong.length === 5) break;
  }
  return wrong;
}

function textOf({ act, isLookedAt }: Step): string {
  return isLookedAt ? act : `${act}, unseen`;
}

function afterActs(acts: readonly Act[], state: State, world: World): State {
  return acts.reduce((now, act) => next({ act, isLookedAt: true }, now, world), state);
}

/** What a course would have come to without the tenant, of whom nothing counts but the time. */
function withoutTenant(world: World): (steps: readonly Step[]) => State {
  const known = new Map<string, State>();
  return function after(steps): State {
    const key = steps.map(({ act }) => (isOfTenant(act) ? '' : act)).join(';') + steps.length;
    const last = steps.at(-1);
    const found =
      known.get(key) ?? (last && next(last, after(steps.slice(0, -1)), { ...world, isAlone: true })) ?? start;
    known.set(key, found);
    return found;
  };
}

function isLetOut({ steps, last }: Course, pool: PoolName): boolean {
  const isSeen = steps.length === 0 || steps.at(-1)?.isLookedAt === true;
  return isSeen && isHalfApplied(pool, last) && !(last.pools[pool].paused && waits(ownId, pool, last));
}

function waitsForTenant(pool: PoolName, state: State, world: World): boolean {
  return waits(syncHoldId(world.tenant), pool, state);
}

/** Told by the name of each who holds it, or, once nobody does, by the approval that is asked for what waits. */
function isToldWithWho(pool: PoolName, end: State, world: World): boolean {
  const his = `${world.tenant.namespace}/${world.tenant.name}`;
  const who = [...(waits(ownId, pool, end) ? [ownName] : []), ...(waitsForTenant(pool, end, world) ? [his] : [])];
  if (who.length === 0) return false;
  const told = toldOf(pool, end, world);
  // An approval is asked for what waits, and not by the name of whose sync failed.
  if (end.pools[pool].record.holds.length === 0) return told.includes('approval-needed');
  return who.every((each) => told.includes(each));
}

/** A sync of all that nothing disturbs, after a push or by hand. */
function mended({ last }: Course, world: World): readonly State[] {
  const end: readonly Act[] = last.running === undefined ? [] : ['succeed'];
  const ways: readonly (readonly Act[])[] = [
    [...end, 'push to one', 'begin', 'succeed'],
    [...end, 'begin', 'succeed'],
  ];
  return ways.map((acts) => settle(afterActs(acts, last, world), world));
}

/** What is told of the pool, after five minutes in which nothing changes. */
function toldOf(name: PoolName, state: State, world: World): string {
  const snapshot = snapshotOf(state, world);
  const { settings, applications } = snapshot;
  const approve = approveOf(world);
  const judged = (now: Date, firstSeen: Readonly<Record<string, string>>) => {
    const pools = snapshot.pools.map((pool) => {
      const { gates } = decidePool(pool, snapshot, now);
      const gate = gates.find((each) => each.gate === 'approval');
      const asked = {
        kind: 'asked',
        approve,
        approvals: [],
        change: gate?.approves,
        minutesPerNode: undefined,
        gate,
      } as const;
      return { pool, nodes: notAsked, people: approve.by, ...(gate === undefined ? {} : { approval: asked }) };
    });
    return judge(aJudgeInput({ now, policy: settings.policy, pools: seen(pools), applications, firstSeen }));
  };
  const { firstSeen } = judged(new Date(state.at), {});
  const { troubles } = judged(new Date(state.at + 300_000), firstSeen);
  return JSON.stringify(troubles.filter(({ key }) => key.pool === name));
}

describe('one Application on two pools, in every course of pushes and syncs', () => {
  test.each(['keep', 'resume-after-approval'] as const)(
    '[S0-9] [N-30] with onSyncFailure %s, what is half applied on a pool keeps that pool paused, and does not roll out',
    (onSyncFailure) => {
      const world = { ...worldOf(onSyncFailure), isAlone: true };

      const wrong = wrongOf(courses(ofPools, depth(5, 6), world, ['begin']), (course) =>
        poolNames.some((pool) => isLetOut(course, pool)),
      );

      expect(wrong).toEqual([]);
    },
  );

  test.each(['keep', 'resume-after-approval', 'resume'] as const)(
    '[S0-15] [N-17] with onSyncFailure %s, what nobody has approved rolls out on no pool that is replaced while it is held, or made again',
    (onSyncFailure) => {
      const world: World = { ...worldOf(onSyncFailure), isAlone: true, excludesPusher: true };
      const anew = ['replace the pool', 'make the pool again'] as const;

      const wrong = wrongOf(courses([...ofSyncs, ...anew], depth(5, 6), world, anew), ({ last }) =>
        poolNames.some((pool) => last.pools[pool].rolled !== start.pools[pool].rolled),
      );

      expect(wrong).toEqual([]);
    },
  );

  test.each(['keep', 'resume-after-approval'] as const)(
    '[S0-9] [S0-15] [N-30] with onSyncFailure %s, what is half applied keeps such a pool paused, and waits for its approval still',
    (onSyncFailure) => {
      const world: World = { ...worldOf(onSyncFailure), isAlone: true };
      const anew = ['replace the pool', 'make the pool again'] as const;

      const wrong = wrongOf(courses([...ofSyncs, ...anew, 'wait'], depth(5, 6), world, anew), (course) =>
        poolNames.some((pool) => isLetOut(course, pool)),
      );

      expect(wrong).toEqual([]);
    },
  );

  test.each(['keep', 'resume-after-approval', 'resume'] as const)(
    '[S0-9] [N-29] with onSyncFailure %s, a sync of all that goes well resumes both, whatever nobody has seen before',
    (onSyncFailure) => {
      const world = { ...worldOf(onSyncFailure), isAlone: true };

      const wrong = wrongOf(courses(everyOwn, depth(2, 3), world, everyOwn), (course) =>
        mended(course, world).some((end) => poolNames.some((pool) => end.pools[pool].paused)),
      );

      expect(wrong).toEqual([]);
    },
  );
});

describe('the Application of a platform, whatever a tenant does with his own on the same pool', () => {
  test.each(everyWorld)(
    '[S0-9] [N-30] with onSyncFailure %s, %s ends no hold and no approval of the platform, and takes no name',
    (onSyncFailure, _, world) => {
      const his = `${world.tenant.namespace}/${world.tenant.name}`;
      const aloneAfter = withoutTenant(world);

      const wrong = wrongOf(courses(ofBoth, depth(3, 4), world), (course) =>
        poolNames.some((pool) => {
          const { last } = course;
          const isEnded = !waits(ownId, pool, last) && waits(ownId, pool, aloneAfter(course.steps));
          const isMisnamed = last.pools[pool].record.holds.some(({ id, who, why }) => {
            const [name, other] = id === ownId ? [ownName, his] : [his, ownName];
            return who !== name || !why.includes(name) || (name !== other && why.includes(other));
          });
          return isEnded || isMisnamed || (onSyncFailure !== 'resume' && isLetOut(course, pool));
        }),
      );

      expect(wrong).toEqual([]);
    },
  );

  test.each(everyWorld)(
    '[S0-9] [N-29] with onSyncFailure %s, beside %s what the platform did well waits for nothing of its own, and a sync of all ends every wait',
    (_, __, world) => {
      const wrong = wrongOf(courses([...ofPools, ...ofTenant], depth(2, 3), world), (course) => {
        const hasGoneWell = course.last.running === undefined && !course.steps.some(({ act }) => act === 'fail');
        const ends = [...(hasGoneWell ? [settle(course.last, world)] : []), ...mended(course, world)];
        return ends.some((end) => poolNames.some((pool) => waits(ownId, pool, end)));
      });

      expect(wrong).toEqual([]);
    },
  );

  test.each(everyWorld)(
    '[S0-9] [N-29] [N-30] with onSyncFailure %s, a pool stays paused for good, also for %s, only for a sync that runs or failed, and it is told with who holds it',
    (_, __, world) => {
      const wrong = wrongOf(courses(ofBoth, depth(2, 3), world), ({ steps, last }) => {
        const end = settle(last, world);
        const hasFailed = steps.some(({ act }) => act === 'fail' || act === 'his fail');
        const isOver = !hasFailed && last.running === undefined && isTenantAtRest(last);
        const isPaused = poolNames.filter((pool) => end.pools[pool].paused);
        return isOver ? isPaused.length > 0 : isPaused.some((pool) => !isToldWithWho(pool, end, world));
      });

      expect(wrong).toEqual([]);
    },
  );

  test.each(everyWorld)(
    '[S0-9] [N-29] with onSyncFailure %s, what %s has done ends with its next sync of all, which a push announces',
    (_, __, world) => {
      // Who opts out has no syncs any more that pause: what he has left waits for its approval.
      const acts = ofTenant.filter((act) => act !== 'his none');
      const wrong = wrongOf(courses(acts, depth(2, 3), world), ({ last }) => {
        const end = settle(afterActs(['his push', 'his begin', 'his succeed'], last, world), world);
        return poolNames.some((pool) => end.pools[pool].paused);
      });

      expect(wrong).toEqual([]);
    },
  );

  test('[S0-9] [N-29] [N-30] a tenant who claims to write the Application of the platform ends none of its waits, and adds none that lasts', () => {
    for (const onSyncFailure of ['keep', 'resume-after-approval'] as const) {
      const world = worldOf(onSyncFailure);
      const acts: readonly Act[] = [...ofSyncs, 'his claim to write', 'his begin', 'his succeed', 'his delete'];

      const wrong = wrongOf(courses(acts, depth(3, 5), world), (course) => {
        const hasGoneWell = course.last.running === undefined && !course.steps.some(({ act }) => act === 'fail');
        const end = hasGoneWell ? settle(course.last, world) : undefined;
        return poolNames.some((pool) => isLetOut(course, pool) || (end !== undefined && waits(ownId, pool, end)));
      });

      expect(wrong).toEqual([]);
    }
  });

  test('[S0-9] [N-17] with excludePusher, whoever pushed what waits for its approval is known, or one approval more is asked', () => {
    const world: World = { ...worldOf('keep'), excludesPusher: true };

    const wrong = wrongOf(courses(ofBoth, depth(3, 4), world), ({ last }) =>
      poolNames.some((pool) => {
        const { release, holds } = last.pools[pool].record;
        if (holds.length > 0) return false;
        const pending = pendingOf(pool, last);
        const noted = release?.pushers ?? [''];
        return (['own', 'tenant'] as const).some(
          (whose) => pending[whose] && !noted.includes(pushers[whose]) && !noted.includes(''),
        );
      }),
    );

    expect(wrong).toEqual([]);
  });
});
