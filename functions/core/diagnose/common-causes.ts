import { liesInObject } from '../findings/cause-key.ts';
import type { Finding } from '../findings/trouble.ts';
import type { causeTitles } from './cause-titles.ts';

/** Of what lies in a node, a pool or the cluster itself: causes whose sentence says little more than which one it is,
 *  so that the same words on another cluster prove nothing. Whatever is not here is told apart by its words; a new
 *  cause that quotes no error and names no object, file or image belongs here. */
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
  // Of an upgrade, which each cluster has for itself; a mark that was copied lies in its MachineConfig.
  'R8',
] as const satisfies readonly (keyof typeof causeTitles)[];

const isOfOneCluster: ReadonlySet<string> = new Set(ofOneCluster);

/** Whether other clusters that say the same can have the same cause. What is only possible is said of many things, and
 *  is a cause of several only by the object that it names. */
export function mayBeCommon(cluster: string, root: Finding): boolean {
  return liesInObject(cluster, root) || (root.confidence !== 'possible' && !isOfOneCluster.has(root.code));
}
