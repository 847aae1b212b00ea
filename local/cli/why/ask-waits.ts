import * as z from 'zod';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { ClusterStatus, type PoolStatus } from '../../../functions/status/status.ts';
import { askStatus } from '../ask-status.ts';
import type { Surroundings } from '../command.ts';
import type { WhyPool } from './why-pool.ts';

/** The part of the status that this needs. */
const Answer = z.object({ clusters: z.array(ClusterStatus) });

/** What a running Poolkeeper says, with since when each gate is closed. Throws Misconfigured for an unknown pool or
 *  cluster, and as `askStatus` does. */
export async function askWaits(
  url: string,
  { cluster, pools }: { readonly cluster: string | undefined; readonly pools: readonly string[] },
  surroundings: Surroundings,
): Promise<readonly WhyPool[]> {
  const query = cluster === undefined ? '' : `?cluster=${encodeURIComponent(cluster)}`;
  const { body } = await askStatus(url, surroundings, query);
  const answer = Answer.safeParse(body);
  if (!answer.success) throw new Misconfigured([`${url}/status is not the status of a Poolkeeper of this version`]);
  const seen = answer.data.clusters.filter(({ name }) => cluster === undefined || name === cluster);
  if (seen.length === 0) throw new Misconfigured([`--cluster ${cluster ?? ''}: ${url} knows no such cluster`]);
  const isWanted = ({ name, pause }: PoolStatus) => (pools.length === 0 ? pause !== undefined : pools.includes(name));
  const found = seen.flatMap(({ name, pools: all }) => all.filter(isWanted).map((pool) => whyOf(name, pool)));
  const unknown = pools.filter((name) => !found.some(({ pool }) => pool === name));
  if (unknown.length > 0) throw new Misconfigured([`${url} knows no pool ${unknown.join(', ')}`]);
  return found;
}

function whyOf(cluster: string, { name, pause, pending, targetConfig, why }: PoolStatus): WhyPool {
  const { now = [], afterwards = [], override } = why ?? {};
  const change = pending
    ? `and ${targetConfig} is ${pause === undefined ? 'being rolled out' : 'pending'}`
    : 'and no change is pending';
  const since = pause?.since === undefined ? '' : ` since ${pause.since}`;
  return {
    cluster,
    pool: name,
    paused: pause !== undefined,
    pauseOf: pause?.whose ?? '',
    state: `${pause === undefined ? 'not paused' : `paused${since}`}, ${change}`,
    why: {
      now: now.map(({ since: begun, ...wait }) => ({ ...wait, since: begun })),
      afterwards: afterwards.map(({ since: begun, ...wait }) => ({ ...wait, since: begun })),
      override,
    },
  };
}
