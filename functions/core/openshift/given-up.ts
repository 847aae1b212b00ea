import { fieldManager } from './hold.ts';
import type { Pool } from './pool.ts';

/** The pool is paused under our name, and its record says that the pause is not ours to end: a gate stayed closed for
 *  too long, and its timeout is to drop the pool, or somebody uses our name. Nobody but a person resumes it. */
export function isGivenUp({ paused, pausedBy, record }: Pick<Pool, 'paused' | 'pausedBy' | 'record'>): boolean {
  if (!paused || pausedBy?.manager !== fieldManager || record.kind !== 'record') return false;
  const { pause, last } = record.record;
  return pause === 'foreign' || (pause === undefined && last?.did === 'left');
}
