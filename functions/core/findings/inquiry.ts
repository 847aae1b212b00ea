import type { Answer, Question } from './question.ts';

/** A rule that may need reads, written as if it could make them: it yields questions and is given the answers in
 *  their order. What it says follows from the answers alone. */
export type Inquiry<T> = Generator<readonly Question[], T, readonly Answer[]>;

const never: Answer = { kind: 'failed', why: 'not asked', readAt: new Date(0) };

export function* ask(question: Question): Inquiry<Answer> {
  const [answer = never] = yield [question];
  return answer;
}

/** Questions that do not depend on each other, in one round. */
export function* askTogether(first: Question, second: Question): Inquiry<readonly [Answer, Answer]> {
  const [one = never, two = never] = yield [first, second];
  return [one, two];
}
