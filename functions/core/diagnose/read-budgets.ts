import type { Inquiry } from '../findings/inquiry.ts';
import { type Reading, read, type Unread, unreadOf } from '../findings/unread.ts';
import type { PodDisruptionBudget } from './objects/pod-disruption-budget.ts';
import { allBudgets, budgetsPerPage } from './questions.ts';

/** Pages, each one call: 5,000 budgets where none is larger than usual. */
const pagesAtMost = 10;

/** The PodDisruptionBudgets of all namespaces. */
export interface BudgetsRead {
  /** Of the pages that could be read; unread where the first one could not. */
  readonly budgets: Reading<{ readonly items: readonly PodDisruptionBudget[] }>;
  readonly unread: readonly Unread[];
}

/** Reads them page after page. A page that is larger than may be read, as where somebody has filled annotations, is
 *  asked for in smaller ones, and so are those after it. */
export function* readBudgets(): Inquiry<BudgetsRead> {
  let { budgets, limit } = yield* readPage({ from: '', limit: budgetsPerPage });
  if (budgets.kind !== 'read') return { budgets, unread: unreadOf([budgets]) };
  const { readAt } = budgets;
  const items: PodDisruptionBudget[] = [];
  const of = (unread: readonly Unread[]): BudgetsRead => ({
    budgets: { kind: 'read', value: { items }, readAt },
    unread,
  });
  for (let pages = 1; ; pages += 1) {
    items.push(...budgets.value.items);
    const from: string = budgets.value.metadata.continue;
    if (from === '') return of([]);
    if (pages >= pagesAtMost) return of([moreThan(items.length, readAt)]);
    ({ budgets, limit } = yield* readPage({ from, limit }));
    if (budgets.kind !== 'read') return of(unreadOf([budgets]));
  }
}

interface Page {
  readonly budgets: Reading<{
    readonly items: readonly PodDisruptionBudget[];
    readonly metadata: { readonly continue: string };
  }>;
  /** Budgets that it was asked for with. */
  readonly limit: number;
}

function* readPage({ from, limit }: { readonly from: string; readonly limit: number }): Inquiry<Page> {
  const budgets = yield* read(allBudgets({ from, limit }));
  const isTooLarge = budgets.kind === 'unread' && budgets.isTooLarge === true;
  return isTooLarge && limit > 1 ? yield* readPage({ from, limit: Math.ceil(limit / 4) }) : { budgets, limit };
}

function moreThan(count: number, readAt: string): Unread {
  return { kind: 'unread', what: 'every PodDisruptionBudget', why: `there are more than ${count}`, readAt };
}
