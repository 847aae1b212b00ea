import type { Inquiry } from '../findings/inquiry.ts';
import { type PagesRead, readPages } from '../findings/read-pages.ts';
import type { PodDisruptionBudget } from './objects/pod-disruption-budget.ts';
import { allBudgets, budgetsPerPage } from './questions.ts';

/** The PodDisruptionBudgets of all namespaces, page after page: 5,000 where none is larger than usual. */
export function readBudgets(): Inquiry<PagesRead<PodDisruptionBudget>> {
  return readPages({
    each: 'PodDisruptionBudget',
    perPage: budgetsPerPage,
    pagesAtMost: 10,
    page: allBudgets,
    growsAgain: true,
  });
}
