import { refusedPoolsOf } from '../../functions/core/argocd/refused-sync.ts';
import { anOperation } from '../fakes/index.ts';

/** The pools for whose sake the API server refused something, as Poolkeeper reads its words in a failed sync. */
export function refusedIn(words: string): readonly string[] {
  const operation = anOperation({ phase: 'Failed', message: words, results: [] });
  // Whatever pools there are.
  return refusedPoolsOf({ operation }, words.match(/[a-z0-9.-]+/g) ?? []);
}
