import { command } from './shell-words.ts';

/** What opens the emergency lane of the pool for an hour. */
export function laneCommand(pool: string): string {
  return `${command('npx', 'poolkeeper', 'emergency', '--pool', pool)} --for 1h --reason "..."`;
}

/** What closes it. */
export function endLaneCommand(pool: string): string {
  return command('npx', 'poolkeeper', 'emergency', '--pool', pool, '--end');
}
