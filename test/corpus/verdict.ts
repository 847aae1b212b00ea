import { everyFinding, rootsOf } from '../../functions/core/findings/chain.ts';
import type { Finding } from '../../functions/core/findings/trouble.ts';
import type { Explanation } from '../../local/cli/explain/explanation.ts';
import { causesOf, expectedCauses } from './explain-situation.ts';
import type { Statement } from './others/statement.ts';
import type { Expected } from './situation.ts';

/** `right`: names the cause, or rightly says nothing. `symptom`: names an object of the case and not the cause.
 *  `silent`: says nothing, or that it does not know. `wrong`: a cause that is none, or trouble where there is none. */
export type Verdict = 'right' | 'symptom' | 'silent' | 'wrong';

/** Exactly the expected cause. What is only a guess, and said to be one, is not knowing. */
export function verdictOnUs(expected: Expected, explanation: Explanation): Verdict {
  const causes = causesOf(explanation);
  const wanted = expectedCauses(expected);
  if (causes.length !== wanted.length || causes.some((cause) => !wanted.includes(cause)))
    return causes.length === 0 ? 'silent' : 'wrong';
  return findingsOf(explanation).flatMap(rootsOf).some(isGuess) ? 'silent' : 'right';
}

function isGuess({ class: kind, confidence }: Finding): boolean {
  return kind === 'unknown' || confidence === 'possible';
}

function findingsOf({ pools }: Explanation): readonly Finding[] {
  return pools.flatMap(({ troubles }) => troubles.flatMap(({ findings }) => findings));
}

export interface Judged {
  readonly verdict: Verdict;
  /** Statements that have nothing to do with the case. */
  readonly besides: number;
}

/** Whether one of the statements names all that an explanation must name. */
export function verdictOn(expected: Expected, explanation: Explanation, statements: readonly Statement[]): Judged {
  if (expected === 'nothing') return { verdict: statements.length === 0 ? 'right' : 'wrong', besides: 0 };
  const names = namesOfCase(explanation, expected.pool);
  const concerned = statements.filter((each) => names.some((name) => mentions(each, name)));
  const besides = statements.length - concerned.length;
  const isRight = statements.some((each) => expected.named.every((name) => mentions(each, name)));
  if (isRight) return { verdict: 'right', besides };
  if (concerned.length > 0) return { verdict: 'symptom', besides };
  return { verdict: statements.length === 0 ? 'silent' : 'wrong', besides };
}

function mentions({ about, text }: Statement, name: string): boolean {
  return `${about} ${text}`.toLowerCase().includes(name.toLowerCase());
}

/** The pool and every object that stands in our chain or in its evidence. */
function namesOfCase(explanation: Explanation, pool: string): readonly string[] {
  const all = findingsOf(explanation).flatMap(everyFinding);
  const refs = all.flatMap(({ subject, evidence }) => [subject, ...evidence.map(({ ref }) => ref)]);
  return [
    `MachineConfigPool ${pool}`,
    ...refs.map(({ kind, namespace, name }) => `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`),
  ];
}
