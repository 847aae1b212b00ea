import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import type { JudgeInput } from '../../../../functions/core/judge/input.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';

/** What is judged of a cluster in which nothing was seen but what a test says. */
export function aJudgeInput(change: Pick<JudgeInput, 'now'> & Partial<JudgeInput>): JudgeInput {
  return {
    cluster: 'prod',
    policy: defaultPolicy,
    pools: seen([]),
    everyNode: notAsked,
    rollouts: notAsked,
    known: notAsked,
    firstSeen: {},
    diagnoses: new Map(),
    applications: [],
    races: [],
    breakGlass: notAsked,
    misses: 0,
    lastGoodReadAt: undefined,
    unreadable: [],
    sweep: { since: undefined, triedUntil: undefined },
    ...change,
  };
}
