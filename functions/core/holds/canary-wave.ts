import type { PoolSettings } from '../configuration/cluster.ts';
import { settingsOf } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import type { Snapshot } from './snapshot.ts';

/** Pools that a run holds and whose nodes go by this one: they cannot be done before it lets these go. */
export function poolsGoingBy(canary: string, pools: readonly Pool[]): readonly string[] {
  const isGoing = (pool: Pool) => holdsOf(pool).some((hold) => hold.kind === 'rollout' && hold.canary === canary);
  return pools.filter((pool) => pool.name !== canary && isGoing(pool)).map(({ name }) => name);
}

/** The settings of a pool, and of a canary with the wave of the pools whose nodes are in it, or come to it: with a wave
 *  of its own it would wait for these and they for it, or for whoever waits for it. */
export function settingsInTurn(
  name: string,
  { settings, pools, canaries }: Pick<Snapshot, 'settings' | 'pools' | 'canaries'>,
): PoolSettings {
  const own = settingsOf(settings, name);
  const inIt = canaries?.get(name)?.pools ?? [];
  const going = inIt.length > 0 ? inIt : poolsGoingBy(name, pools);
  return going.length === 0 ? own : { ...own, wave: Math.min(...going.map((each) => settingsOf(settings, each).wave)) };
}
