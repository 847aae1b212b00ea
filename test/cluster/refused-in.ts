import { refusedPoolsOf } from '../../functions/core/argocd/refused-sync.ts';
import { anOperation } from '../fakes/index.ts';

/** The pools for whose sake the API server refused something, as Poolkeeper reads its words in a failed sync. */
export function refusedIn(words: string): readonly string[] {
  return refusedPoolsOf({ operation: anOperation({ phase: 'Failed', message: words, results: [] }) });
}
