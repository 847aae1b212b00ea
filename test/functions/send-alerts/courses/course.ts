import type { Severity } from '../../../../functions/core/findings/trouble.ts';
import { fc } from '../../../property.ts';

/** Three incidents: two pools of one cluster, and the first one's kind on another cluster, with the same first
 *  cause. */
export const places = ['worker', 'infra', 'dev'] as const;
export type Place = (typeof places)[number];

/** What somebody owns that is to blame: budgets of three teams, of which one has a code of its own, and a disk that
 *  fills up, which may heal. */
export const causes = ['shop', 'store', 'bank', 'disk'] as const;
export type Cause = (typeof causes)[number];

export const targetNames = ['channel', 'mail', 'pager', 'team', 'lead'] as const;
export type TargetName = (typeof targetNames)[number];

/** How a target takes nothing: it cannot be reached; it asks to wait; it takes the message and does not say so; it does
 *  not answer, and has nothing; it refuses for good. */
export const illnesses = ['away', 'busy', 'mute', 'silent', 'dead'] as const;
export type Illness = (typeof illnesses)[number];

/** What happens before a look. */
export type Act =
  | { readonly kind: 'wait' }
  | { readonly kind: 'begin' | 'end' | 'acknowledge' | 'snooze'; readonly place: Place }
  | { readonly kind: 'severity'; readonly place: Place; readonly severity: Severity }
  | { readonly kind: 'cause'; readonly place: Place; readonly cause: Cause }
  /** Gone and back, so many times, with so many minutes in each. */
  | { readonly kind: 'flap'; readonly place: Place; readonly times: number; readonly minutes: number }
  /** Another severity for so long, and back, so many times. */
  | {
      readonly kind: 'swing';
      readonly place: Place;
      readonly severity: Severity;
      readonly times: number;
      readonly minutes: number;
    }
  /** One team's budget in place of another's, for so long each. */
  | { readonly kind: 'turns'; readonly place: Place; readonly times: number; readonly minutes: number }
  /** The cluster of two of them cannot be read, by an incident that explains all others; a look sees nothing of it. */
  | { readonly kind: 'blind' | 'unread' | 'slow' }
  | { readonly kind: 'ill'; readonly target: TargetName; readonly illness: Illness | undefined };

export interface Step {
  readonly act: Act;
  /** Looks, one a minute, before the next act. */
  readonly minutes: number;
}

export interface Course {
  readonly targets: readonly TargetName[];
  readonly steps: readonly Step[];
}

/** Mostly of one. */
const place = fc.constantFrom<Place>('worker', 'worker', 'worker', 'infra', 'dev', 'dev');
const severity = fc.constantFrom<Severity>('critical', 'high', 'warning', 'info');

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('begin' as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), place }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('severity' as const), place, severity }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('cause' as const), place, cause: fc.constantFrom(...causes) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('acknowledge' as const, 'snooze' as const), place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('flap' as const),
      place,
      times: fc.integer({ min: 1, max: 6 }),
      minutes: fc.constantFrom(1, 2, 7),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('turns' as const),
      place,
      times: fc.integer({ min: 2, max: 9 }),
      minutes: fc.constantFrom(1, 3, 11),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('swing' as const),
      place,
      severity,
      times: fc.integer({ min: 1, max: 8 }),
      minutes: fc.constantFrom(1, 2, 3, 11),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('blind' as const, 'unread' as const, 'slow' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('ill' as const),
      target: fc.constantFrom(...targetNames),
      illness: fc.option(fc.constantFrom(...illnesses), { nil: undefined, freq: 2 }),
    }),
  },
);

const minutes = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 3, arbitrary: fc.integer({ min: 5, max: 16 }) },
  { weight: 1, arbitrary: fc.integer({ min: 17, max: 70 }) },
);

/** Each begins with one incident. */
export const anyCourse: fc.Arbitrary<Course> = fc.record({
  targets: fc.subarray([...targetNames], { minLength: 2, maxLength: 3 }),
  steps: fc
    .array(fc.record({ act, minutes }), { minLength: 1, maxLength: 16 })
    .map((steps) => [{ act: { kind: 'begin', place: 'worker' } as const, minutes: 2 }, ...steps]),
});
