import { counted } from '../../../functions/core/text/phrases.ts';

/** Poolkeeper stores no more of a cluster. */
export function poolsLeftOut(cluster: string, left: number): string {
  return `${counted(left, 'pool')} of ${cluster} ${left === 1 ? 'is' : 'are'} left out, for which there is no room`;
}
