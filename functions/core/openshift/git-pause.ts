import { trackedText } from '../argocd/tracking.ts';
import type { Pool } from './pool.ts';

/** Git pauses a pool that Poolkeeper has paused, too: a resume in the cluster alone does not last. */
export interface GitPause {
  /** Where Git says so, as far as Argo CD's mark on the pool names it: ` (Application openshift-gitops/nodes)`,
   *  or empty. */
  readonly place: string;
}

/** Undefined: the pool is not paused, or the pause is of one alone. */
export function gitPauseOf({
  paused,
  pausedBy,
  record,
  deployedBy,
}: Pick<Pool, 'paused' | 'pausedBy' | 'record' | 'deployedBy'>): GitPause | undefined {
  const inGit = record.kind === 'record' ? record.record.pausedInGit : undefined;
  if (!paused || inGit === undefined || pausedBy?.manager !== inGit.by) return undefined;
  return { place: deployedBy === undefined ? '' : ` (Application ${trackedText(deployedBy)})` };
}

/** What to do first, as an order and for the middle of a sentence. */
export function endInGit({ place }: GitPause): string {
  return `remove spec.paused: true from the pool in Git${place}`;
}

/** Why Poolkeeper leaves the pool paused. */
export function gitPauseText({ place }: GitPause): string {
  return `Poolkeeper paused it, and Git pauses it, too, by spec.paused: true${place}: Poolkeeper does not undo that`;
}
