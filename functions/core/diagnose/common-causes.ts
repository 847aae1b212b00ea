import { liesInObject } from '../findings/cause-key.ts';
import type { Finding } from '../findings/trouble.ts';
import type { causeTitles } from './cause-titles.ts';

/** Causes that say little more than which node or pool it is, or who or what keeps it paused (`gate window`, `pause
 *  kubectl-patch`), so that the same on another cluster proves nothing. Whatever is not here is told apart by its
 *  object or its words; a new cause that quotes no error and names no object, file or image belongs here. */
const ofOneCluster = [
  'D0',
  'D5',
  'D6',
  'N4',
  'N16',
  'N17',
  'S1',
  'S2',
  'S3',
  'S4',
  'S6',
  'S7',
  'S8',
  'S9',
  'S11',
  'S12',
  'S17',
  'W1',
  'W2',
] as const satisfies readonly (keyof typeof causeTitles)[];

const isOfOneCluster: ReadonlySet<string> = new Set(ofOneCluster);

/** Whether other clusters that say the same can have the same cause. What is only possible is said of many things, and
 *  is a cause of several only by the object that it names; so is R8: of an upgrade, which each cluster has for itself,
 *  it lies in the pool, of a mark that was copied in the MachineConfig. */
export function mayBeCommon(cluster: string, root: Finding): boolean {
  const { code, confidence } = root;
  if (isOfOneCluster.has(code)) return false;
  return liesInObject(cluster, root) || (confidence !== 'possible' && code !== 'R8');
}
