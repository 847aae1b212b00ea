import { ifGiven } from '../text/if-given.ts';
import { type CanarySeen, canaryAnswer, canaryFaults } from './canary-run.ts';
import { rehearseCanary } from './rehearse-canary.ts';
import type { RunPlan } from './run-plan.ts';
import type { TurnNode } from './turn-node.ts';

/** Why a run in mode canary that rests could let no node go. */
export interface CanaryFault {
  readonly why: string;
  /** It may be over in a moment: of two pools with one change, one is rendered before the other. */
  readonly mayPass: boolean;
}

/** Undefined: it could let its nodes go, or has none, or nobody can say while another run has labels and selectors as
 *  it needs them. */
export function canaryAtRest(plan: RunPlan, nodes: readonly TurnNode[], seen: CanarySeen): CanaryFault | undefined {
  const own = [...plan.pools, plan.run.canary?.name];
  const isMember = ({ pool }: TurnNode) => pool !== undefined && own.includes(pool);
  if (seen.states.some(({ state }) => state !== 'unreadable') || !nodes.some(isMember)) return undefined;
  const answer = canaryAnswer(plan, nodes, seen);
  const lasting = canaryFaults(plan, seen);
  if (answer === undefined) return undefined;
  if (answer.kind === 'refused')
    return { why: [...lasting, ...answer.problems].join('; '), mayPass: answer.mayPass && lasting.length === 0 };
  const refused = rehearseCanary(answer, { pools: seen.pools, nodes });
  const all = [...lasting, ...ifGiven(refused)];
  return all.length === 0 ? undefined : { why: all.join('; '), mayPass: false };
}
