import type * as z from 'zod';
import { ask, askTogether, type Inquiry } from './inquiry.ts';
import type { Answer, Question } from './question.ts';

/** A question with a name for people and the shape of its answer. */
export interface Asked<T> {
  readonly question: Question;
  /** For people, if it could not be read: `the PodDisruptionBudgets of shop`. */
  readonly what: string;
  readonly shape: z.ZodType<T>;
}

/** What came of a question. */
export type Reading<T> =
  | {
      readonly kind: 'read';
      readonly value: T;
      readonly readAt: string;
      /** Texts of it are not whole (`Answer.cut`): what they leave out is not absent. */
      readonly isCut?: true | undefined;
    }
  | { readonly kind: 'absent'; readonly what: string; readonly readAt: string }
  | Unread;

/** Could not be read, which is not the same as absent. */
export interface Unread {
  readonly kind: 'unread';
  readonly what: string;
  readonly why: string;
  readonly readAt: string;
  /** Permission was denied. */
  readonly isForbidden?: boolean | undefined;
  /** The answer was larger than may be read. */
  readonly isTooLarge?: boolean | undefined;
}

/** Asks one question, and parses the answer. */
export function* read<T>(asked: Asked<T>): Inquiry<Reading<T>> {
  return understand(asked, yield* ask(asked.question));
}

/** Two independent reads in one round. */
export function* readTogether<A, B>(first: Asked<A>, second: Asked<B>): Inquiry<readonly [Reading<A>, Reading<B>]> {
  const [one, two] = yield* askTogether(first.question, second.question);
  return [understand(first, one), understand(second, two)];
}

function understand<T>({ what, shape }: Asked<T>, answer: Answer): Reading<T> {
  const readAt = answer.readAt.toISOString();
  switch (answer.kind) {
    case 'absent':
      return { kind: 'absent', what, readAt };
    case 'failed':
      return {
        kind: 'unread',
        what,
        why: answer.why,
        readAt,
        isForbidden: answer.isForbidden,
        isTooLarge: answer.isTooLarge,
      };
    case 'found': {
      const parsed = shape.safeParse(answer.body);
      if (parsed.success)
        return { kind: 'read', value: parsed.data, readAt, ...(answer.cut !== undefined && { isCut: true }) };
      return { kind: 'unread', what, why: 'the answer has an unexpected form', readAt };
    }
    default:
      return answer satisfies never;
  }
}

/** The items of a list; empty if it is absent or was not read. */
export function itemsOf<T>(reading: Reading<{ readonly items: readonly T[] }>): readonly T[] {
  return reading.kind === 'read' ? reading.value.items : [];
}

/** Those that could not be read. */
export function unreadOf(readings: readonly Reading<unknown>[]): readonly Unread[] {
  return readings.filter((each) => each.kind === 'unread');
}
