import { listed } from '../../../functions/core/text/phrases.ts';
import type { Status } from '../../../functions/status/status.ts';
import type { listings } from './listings.ts';
import { poolsLeftOut } from './pools-left-out.ts';
import { sightText } from './status-text.ts';
import { unreadablePools } from './unreadable-pools.ts';

/** Listings that lack what cannot be parsed of a pool. */
const ofPools: readonly (keyof typeof listings)[] = ['pools', 'holds'];

/** What is not in a listing, or may be over, one sentence each. */
export function gapsIn({ unread, clusters, beyond }: Status, listing: keyof typeof listings): readonly string[] {
  const more = new Map(Object.entries(beyond ?? {})).get(listing) ?? 0;
  const without = clusters.filter(({ whole }) => !whole).length;
  const inShort = clusters.filter((cluster) => cluster.inShort === true).map(({ name }) => name);
  const unseen = clusters.filter(({ sight }) => sight !== 'seen');
  return [
    ...unread.map((part) => `the ${part} could not be read`),
    ...(more === 0 ? [] : [`${more} more ${listing} are left out; --cluster asks for those of one cluster`]),
    ...(without === 0 ? [] : [`pools, holds and windows of ${without} clusters are left out; ask with --cluster`]),
    ...(inShort.length === 0 ? [] : [`of ${listed(inShort)} not all is listed; ask with --cluster`]),
    ...clusters.flatMap(({ name, poolsLeftOut: left }) => (left === undefined ? [] : [poolsLeftOut(name, left)])),
    ...(ofPools.includes(listing) ? clusters.flatMap((cluster) => unreadablePools(cluster)) : []),
    ...unseen.map(
      ({ name, sight, readAgeSeconds }) =>
        `${name}: ${sightText(sight, readAgeSeconds)}; what is listed of it may be over`,
    ),
  ];
}
