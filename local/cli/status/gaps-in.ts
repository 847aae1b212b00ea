import type { Status } from '../../../functions/status/status.ts';
import { sightText } from './status-text.ts';

/** What is not in an answer, or may be over, one sentence each. */
export function gapsIn({ unread, clusters }: Status): readonly string[] {
  const inShort = clusters.filter(({ whole }) => !whole).length;
  const unseen = clusters.filter(({ sight }) => sight !== 'seen');
  return [
    ...unread.map((part) => `the ${part} could not be read`),
    ...(inShort === 0 ? [] : [`pools, holds and windows of ${inShort} clusters are left out; ask with --cluster`]),
    ...unseen.map(
      ({ name, sight, readAgeSeconds }) =>
        `${name}: ${sightText(sight, readAgeSeconds)}; what is listed of it may be over`,
    ),
  ];
}
