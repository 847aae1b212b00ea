import { type Answer, questionKey } from '../../../functions/core/findings/question.ts';
import type { ObjectReader } from '../../../functions/ports/cluster.ts';

/** Asks nothing twice in one look: what is asked again has the first answer, with the time at which that was read. */
export function askingOnce({ read }: ObjectReader): ObjectReader {
  const known = new Map<string, Promise<Answer>>();
  return {
    read(question) {
      const key = questionKey(question);
      const answer = known.get(key) ?? read(question);
      known.set(key, answer);
      return answer;
    },
  };
}

/** What is read once, by whoever asks first. */
export function once<T>(read: () => Promise<T>): () => Promise<T> {
  let first: Promise<T> | undefined;
  return () => {
    first ??= read();
    return first;
  };
}
