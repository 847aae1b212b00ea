import { poolkeeperCommand } from './shell-words.ts';

/** What opens the emergency lane of the pool for an hour. */
export function laneCommand(pool: string): string {
  return `${poolkeeperCommand('emergency', '--pool', pool)} --for 1h --reason "..."`;
}

/** What closes it. */
export function endLaneCommand(pool: string): string {
  return poolkeeperCommand('emergency', '--pool', pool, '--end');
}
