import type { Subject } from '../diagnose/subject.ts';
import type { ClusterSight } from './input.ts';

/** Who needs a diagnosis now: at most five nodes a pool, the longest stuck first, and what concerns the pool as a whole. */
export function findSubjects(_sight: ClusterSight): readonly Subject[] {
  return [];
}
