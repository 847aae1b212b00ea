import type { Answer, Question } from './question.ts';

/** A rule that may need reads, as a generator: it yields questions and receives the answers in the same order. Its
 *  result depends on the answers alone. */
export type Inquiry<T> = Generator<readonly Question[], T, readonly Answer[]>;

const never: Answer = { kind: 'failed', why: 'not asked', readAt: new Date(0) };

export function* ask(question: Question): Inquiry<Answer> {
  const [answer = never] = yield [question];
  return answer;
}

/** Independent questions in one round. */
export function* askTogether(first: Question, second: Question): Inquiry<readonly [Answer, Answer]> {
  const [one = never, two = never] = yield [first, second];
  return [one, two];
}
