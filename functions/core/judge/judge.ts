import type { Trouble } from '../trouble.ts';
import type { JudgeInput } from './input.ts';
import type { UnseenScope } from './unseen.ts';

export interface Judgement {
  /** What is wrong now, at most one per pool and kind. */
  readonly troubles: readonly Trouble[];
  readonly unseen: readonly UnseenScope[];
  /** To be remembered until the next pass in place of what was given. */
  readonly firstSeen: Readonly<Record<string, string>>;
}

/** Says what is wrong with a cluster, after its subjects (`findSubjects`) were looked into. */
export function judge(input: JudgeInput): Judgement {
  return { troubles: [], unseen: [], firstSeen: input.firstSeen };
}
