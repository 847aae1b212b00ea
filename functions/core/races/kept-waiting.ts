import { isParked, type Operation } from '../argocd/application.ts';
import type { ProtectionLevel } from '../configuration/protection.ts';
import { renderedWritten } from '../impact/pools-affected-by-sync.ts';
import { isRendered } from '../openshift/rendered-kinds.ts';

/** The operation has applied nothing that the pool renders, and something is known to keep it from that: a sync window,
 *  a hook Job before its sync, or the API server. What it has applied, Argo CD reports after each step, so that
 *  elsewhere nothing follows from a report of nothing; nor from that of an attempt after others, whose results are
 *  gone. */
export function isKeptWaiting(operation: Operation, level: ProtectionLevel): boolean {
  const { results, partial, retryCount } = operation;
  if (renderedWritten(operation).length > 0) return false;
  if (level.refusesUnpaused) return true;
  if (retryCount > 0) return false;
  if (isParked(operation)) return true;
  if (results.length === 0) return level.asksBeforeSync && !partial;
  return results.every((result) => result.hookType === 'PreSync' && !isRendered(result));
}
