import { describe, expect, test } from 'vitest';
import { defaultPolicy, type Policy } from '../../../../functions/core/configuration/policy.ts';
import { type Depth, depth, exactly } from '../../../property.ts';
import { type Act, isHalfApplied, isPossible, next, type State, type Step, settle, start, waits } from './courses.ts';

interface Course {
  readonly steps: readonly Step[];
  /** Before the first step, and after each. */
  readonly states: readonly State[];
  readonly last: State;
}

const moves: readonly Act[] = ['push', 'begin', 'begin the earlier', 'retry', 'succeed', 'fail', 'move'];
const atHome: readonly Act[] = ['push', 'begin', 'begin the earlier', 'part', 'succeed', 'fail', 'dry run', 'wait'];
const heldBack: readonly Act[] = ['push', 'ask', 'open', 'succeed', 'fail', 'move', 'begin'];
const refusals: readonly Act[] = ['push', 'begin', 'refuse', 'be refused', 'succeed', 'fail', 'dry run', 'wait'];
const reverted: readonly Act[] = ['push', 'revert', 'begin', 'be cut off', 'fail', 'succeed', 'wait'];
const everything: readonly Act[] = [...moves, 'be cut off', 'ask', 'open', 'part', 'replace', 'dry run', 'wait'];
const withRefusals: readonly Act[] = [...everything, 'refuse', 'be refused'];

/** Every course that long, each step looked at, and some also not. */
function* courses(acts: readonly Act[], { goesOn }: Depth, policy: Policy, unseen: readonly Act[]): Generator<Course> {
  const kinds: readonly Step[] = [
    ...acts.map((act) => ({ act, isLookedAt: true })),
    ...unseen.map((act) => ({ act, isLookedAt: false })),
  ];
  yield* goOn({ steps: [], states: [start], last: start });

  function* goOn(course: Course): Generator<Course> {
    if (!goesOn(course.steps.length)) yield course;
    else {
      for (const step of kinds.filter(({ act }) => isPossible(act, course.last))) {
        const last = next(step, course.last, policy);
        yield* goOn({ steps: [...course.steps, step], states: [...course.states, last], last });
      }
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

function policyWith(onSyncFailure: Policy['onSyncFailure']): Policy {
  return { ...defaultPolicy, onSyncFailure };
}

/** What began here is not shown here any more when somebody looks. */
function isGoneBeforeSeen({ steps }: Course): boolean {
  const hides: readonly (Act | undefined)[] = ['move', 'replace', 'dry run'];
  return steps.some(({ isLookedAt }, nth) => !isLookedAt && hides.includes(steps[nth + 1]?.act));
}

/** No sync has failed, and none was cut off. One that a window holds back has not begun, as long as it is shown. */
function hasGoneWell({ steps, states }: Course): boolean {
  return steps.every(({ act }, nth) => {
    const running = states[nth]?.running;
    const isCutOff = (act === 'move' && running?.isHeldBack === false) || (act === 'replace' && running !== undefined);
    return !['fail', 'be cut off', 'retry'].includes(act) && !isCutOff;
  });
}

/** A sync of all that nothing disturbs, on this cluster. */
function mended(last: State, policy: Policy): State {
  const end: readonly Act[] = last.running === undefined ? [] : ['succeed'];
  const back: readonly Act[] = last.place === 'here' ? [] : ['move'];
  const acts: readonly Act[] = [...end, ...back, 'push', 'begin', 'succeed'];
  return acts.reduce((state, act) => next({ act, isLookedAt: true }, state, policy), last);
}

describe('an Application, in every course of pushes, syncs and what happens to it', () => {
  test.each([
    ['keep', moves, depth(5, 7)],
    ['resume-after-approval', moves, depth(5, 7)],
    ['keep', atHome, depth(6, 7)],
    ['resume-after-approval', atHome, depth(6, 7)],
    ['keep', heldBack, depth(6, 7)],
    ['resume-after-approval', heldBack, depth(6, 7)],
    ['keep', reverted, depth(6, 7)],
    ['resume-after-approval', reverted, depth(6, 7)],
    ['keep', refusals, depth(5, 6)],
    ['resume-after-approval', refusals, depth(5, 6)],
    ['resume-after-approval', everything, depth(4, 5)],
  ] as const)(
    '[S0-9] [N-30] with onSyncFailure %s, what is half applied here holds the pool or waits for its approval',
    (onSyncFailure, acts, length) => {
      const tried = courses(acts, length, policyWith(onSyncFailure), ['begin', 'begin the earlier']);

      const wrong = wrongOf(
        tried,
        (course) =>
          !isGoneBeforeSeen(course) &&
          course.states.some((state, nth) => {
            const isSeen = nth === 0 || course.steps[nth - 1]?.isLookedAt === true;
            return isSeen && isHalfApplied(state) && !waits(state) && !state.hasBegunUnseen;
          }),
      );

      expect(wrong).toEqual([]);
    },
  );

  test.each(['keep', 'resume-after-approval'] as const)(
    '[S0-9] [N-29] with onSyncFailure %s, nothing waits where all syncs have gone well',
    (onSyncFailure) => {
      const policy = policyWith(onSyncFailure);
      const tried = courses(everything, depth(4, 5), policy, []);

      const wrong = wrongOf(
        tried,
        (course) => hasGoneWell(course) && course.last.running === undefined && waits(settle(course.last, policy)),
      );

      expect(wrong).toEqual([]);
    },
  );

  test.each(['keep', 'resume-after-approval', 'resume'] as const)(
    '[S0-9] [N-29] with onSyncFailure %s, nothing waits after a sync of all that goes well here, whatever nobody has seen',
    (onSyncFailure) => {
      const policy = policyWith(onSyncFailure);
      const tried = courses(withRefusals, depth(2, 3), policy, withRefusals);

      const wrong = wrongOf(tried, ({ last }) => waits(settle(mended(last, policy), policy)));

      expect(wrong).toEqual([]);
    },
  );

  test('[S0-9] [N-29] with onSyncFailure keep, nor after one of the commit before, though nobody looks for half a day', () => {
    const policy = policyWith('keep');
    const unseen: readonly Step[] = [
      { act: 'begin the earlier', isLookedAt: false },
      { act: 'succeed', isLookedAt: false },
      { act: 'wait', isLookedAt: true },
    ];
    const tried = courses(moves, exactly(4), policy, []);

    const wrong = wrongOf(tried, ({ last }) => {
      const isAtRest = last.running === undefined && last.place === 'here' && last.head > start.head;
      return (
        isAtRest &&
        waits(
          settle(
            unseen.reduce((state, step) => next(step, state, policy), last),
            policy,
          ),
        )
      );
    });

    expect(wrong).toEqual([]);
  });

  test.each(['resume-after-approval', 'resume'] as const)(
    '[S0-9] [N-30] with onSyncFailure %s, no hold goes on for good, whatever nobody has seen',
    (onSyncFailure) => {
      const policy = policyWith(onSyncFailure);
      const tried = courses(withRefusals, depth(3, 4), policy, withRefusals);

      const wrong = wrongOf(
        tried,
        ({ last }) => last.running === undefined && settle(last, policy).record.holds.length > 0,
      );

      expect(wrong).toEqual([]);
    },
  );
});
