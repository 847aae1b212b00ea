import type { Answer, Question } from '../../functions/core/findings/question.ts';
import type { ObjectReader } from '../../functions/ports/cluster.ts';
import type { Clock } from '../../functions/ports/time.ts';
import { createFaults, type Faults } from './faults.ts';

/** Answers from a map of paths; a path that nobody put is absent. */
export interface FakeLooker extends ObjectReader {
  readonly asked: readonly Question[];
  /** `query` undefined = whatever the question's query is. The last put that fits wins. */
  put(path: string, body: unknown, query?: Readonly<Record<string, string>>): void;
  /** The path cannot be read, for this reason. */
  refuse(path: string, why: string): void;
}

export function fakeLooker(options: { readonly clock: Clock; readonly faults?: Faults }): FakeLooker {
  const { clock, faults = createFaults() } = options;
  const asked: Question[] = [];
  const answers: { fits: (question: Question) => boolean; answer: (readAt: Date) => Answer }[] = [];

  return {
    asked,
    put: (path, body, query) => {
      answers.unshift({
        fits: (question) => question.path === path && (query === undefined || sameQuery(question.query, query)),
        answer: (readAt) => ({ kind: 'found', body, readAt }),
      });
    },
    refuse: (path, why) => {
      answers.unshift({
        fits: (question) => question.path === path,
        answer: (readAt) => ({ kind: 'failed', why, readAt }),
      });
    },
    read: (question) =>
      faults.run('reader.read', () => {
        asked.push(question);
        const known = answers.find(({ fits }) => fits(question));
        return known?.answer(clock()) ?? { kind: 'absent', readAt: clock() };
      }),
  };
}

function sameQuery(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  return new URLSearchParams({ ...a }).toString() === new URLSearchParams({ ...b }).toString();
}
