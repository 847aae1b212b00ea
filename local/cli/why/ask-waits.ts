import * as z from 'zod';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { ClusterStatus, type PoolStatus } from '../../../functions/status/status.ts';
import { askStatus } from '../ask-status.ts';
import type { Surroundings } from '../command.ts';
import { poolsLeftOut } from '../status/pools-left-out.ts';
import { unreadablePools } from '../status/unreadable-pools.ts';
import { type AskedFor, chosenGuards, isChosen } from './chosen.ts';
import { guardsUnread, noChangeText, type WhyAnswer, type WhyPool } from './why-pool.ts';

/** The part of the status that this needs. */
const Answer = z.object({ clusters: z.array(ClusterStatus) });

/** What a running Poolkeeper says, with since when each gate is closed. Throws Misconfigured for an unknown cluster or,
 *  where every cluster was read, an unknown pool, and as `askStatus` does. */
export async function askWaits(
  url: string,
  { cluster, asked }: { readonly cluster: string | undefined; readonly asked: AskedFor },
  surroundings: Surroundings,
): Promise<WhyAnswer> {
  const query = cluster === undefined ? '' : `?cluster=${encodeURIComponent(cluster)}`;
  const { body } = await askStatus(url, surroundings, query);
  const answer = Answer.safeParse(body);
  if (!answer.success) throw new Misconfigured([`${url}/status is not the status of a Poolkeeper of this version`]);
  const seen = answer.data.clusters.filter(({ name }) => cluster === undefined || name === cluster);
  if (seen.length === 0) throw new Misconfigured([`--cluster ${cluster ?? ''}: ${url} knows no such cluster`]);
  const found = seen.flatMap((each) => {
    const guards = chosenGuards(each.guards ?? [], asked);
    return each.pools
      .filter(({ name, pause }) => isChosen({ name, paused: pause !== undefined }, asked, guards))
      .map((pool) => whyOf(each.name, pool, guards));
  });
  const unparsed = seen.map((each) => unparsedIn(each, asked));
  const known = [...found.map(({ pool }) => pool), ...unparsed.flatMap(({ unreadablePools: all }) => all.map(nameOf))];
  const unknown = asked.pools.filter((name) => !known.includes(name));
  const unread = seen.flatMap(unreadIn);
  if (unknown.length > 0 && unread.length === 0)
    throw new Misconfigured([`${url} knows no pool ${unknown.join(', ')}`]);
  const unreadPools = unparsed.flatMap((each) => unreadablePools(each));
  return { pools: found, unread: [...unread, ...unreadPools, ...seen.flatMap(guardsUnreadIn)] };
}

/** Pools that the question is about and that cannot be parsed: each may be paused. */
function unparsedIn({ name, guards = [], unreadablePools: pools = [] }: ClusterStatus, asked: AskedFor) {
  const chosen = chosenGuards(guards, asked);
  return { name, unreadablePools: pools.filter((pool) => isChosen({ name: pool.name, paused: true }, asked, chosen)) };
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function unreadIn(cluster: ClusterStatus): readonly string[] {
  const { name, sight, readAt, blind, whole, inShort, poolsLeftOut: left } = cluster;
  const since = readAt === undefined ? 'has not been read yet' : `has not been read since ${readAt}`;
  const why = blind === undefined ? '' : `: ${blind.why}`;
  return [
    ...(sight === 'seen' ? [] : [`${name} ${since}${why}`]),
    ...(whole ? [] : [`the pools and guards of ${name} are left out: --cluster ${name} asks for them`]),
    ...(inShort === true ? [`not all of ${name} is told: --cluster ${name} asks for it`] : []),
    ...(left === undefined ? [] : [poolsLeftOut(name, left)]),
  ];
}

/** AppProjects whose guards are not kept, and guards for which there was no room. */
function guardsUnreadIn({ name, guards = [] }: ClusterStatus): readonly string[] {
  return guards.flatMap(({ about, why, wait }) => (wait === undefined ? [guardsUnread(name, about, why)] : []));
}

function whyOf(
  cluster: string,
  { name, pause, pending, targetConfig, counts, why }: PoolStatus,
  guards: readonly NonNullable<ClusterStatus['guards']>[number][],
): WhyPool {
  const { now = [], afterwards = [], override } = why ?? {};
  const change = pending
    ? `and ${targetConfig} is ${pause === undefined ? 'being rolled out' : 'pending'}`
    : noChangeText(counts);
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
    guards: guards.flatMap(({ pools = [], wait }) =>
      wait === undefined || !pools.includes(name) ? [] : [{ ...wait, since: wait.since }],
    ),
  };
}
