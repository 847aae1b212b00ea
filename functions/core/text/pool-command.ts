import { poolkeeperCommand } from './shell-words.ts';

/** The pool that a command is to change. */
export interface CommandedPool {
  /** Name of its cluster: the command refuses another one. Absent: not known, and the context alone decides. */
  readonly cluster: string | undefined;
  readonly pool: string;
}

/** A command of ours that changes one pool.
 *  @param more its other flags */
export function poolCommand(name: string, { cluster, pool }: CommandedPool, ...more: readonly string[]): string {
  return poolkeeperCommand(name, ...clusterWords(cluster), '--pool', pool, ...more);
}

/** The flag that names the cluster of a command, where it is known. */
export function clusterWords(cluster: string | undefined): readonly string[] {
  return cluster === undefined ? [] : ['--cluster', cluster];
}

/** What opens the emergency lane of the pool for an hour. */
export function laneCommand(of: CommandedPool): string {
  return `${poolCommand('emergency', of)} --for 1h --reason "..."`;
}

/** What closes it. */
export function endLaneCommand(of: CommandedPool): string {
  return poolCommand('emergency', of, '--end');
}
