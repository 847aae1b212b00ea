import { wrapLines } from '../../../functions/core/text/columns.ts';
import { ageText } from '../../../functions/core/text/phrases.ts';
import type { Status } from '../../../functions/status/status.ts';
import { wideColumns } from './listing-text.ts';
import { type Listing, listings } from './listings.ts';
import { poolsLeftOut } from './pools-left-out.ts';
import { tableText } from './table.ts';
import { unreadablePools } from './unreadable-pools.ts';

/** The status as a page of text: the sentence first, then what there is. */
export function statusText(status: Status, form: 'text' | 'wide' = 'text'): string {
  const columnsOf = (listing: Listing) => (form === 'wide' ? wideColumns(listing) : listing.columns);
  const { summary, clusters, at } = status;
  const unseen = clusters.filter(({ sight }) => sight !== 'seen');
  const open = { ...status, incidents: status.incidents.filter(({ state }) => state !== 'resolved') };
  return [
    `${wrapLines(`${summary.sentence}  (${at})`)}\n`,
    ...unseen.map(({ name, sight, readAgeSeconds }) => `  cluster ${name}: ${sightText(sight, readAgeSeconds)}\n`),
    ...clusters.flatMap((cluster) => unreadablePools(cluster).map((each) => `  ${each}\n`)),
    ...(summary.pools === (summary.poolsUnreadable ?? 0)
      ? []
      : [`\n${tableText(columnsOf(listings.pools), listings.pools.rows(status))}`]),
    ...clusters.flatMap(({ name, poolsLeftOut: left }) =>
      left === undefined ? [] : [`  ${poolsLeftOut(name, left)}\n`],
    ),
    ...(open.incidents.length === 0
      ? []
      : [`\n${tableText(columnsOf(listings.incidents), listings.incidents.rows(open))}`]),
    ...(status.sequences.length === 0
      ? []
      : [`\n${tableText(columnsOf(listings.sequences), listings.sequences.rows(status))}`]),
  ].join('');
}

/** Whether a cluster was read, in words. */
export function sightText(sight: Status['clusters'][number]['sight'], readAgeSeconds: number | undefined): string {
  const ago = readAgeSeconds === undefined ? '' : `, last seen ${ageText(readAgeSeconds * 1000)} ago`;
  switch (sight) {
    case 'never':
      return 'not read yet';
    case 'blind':
      return `cannot be read${ago}`;
    case 'stale':
      return `not read lately${ago}`;
    case 'seen':
      return `seen${ago}`;
    default:
      return sight satisfies never;
  }
}
