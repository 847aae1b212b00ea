import { gzipSync } from 'node:zlib';
import type { Sequence, Sequences } from '../../core/configuration/sequence.ts';
import { planOf } from '../../core/sequences/plan.ts';
import { countItems, largestRecord } from '../../core/sequences/record-room.ts';
import type { Problem } from './problem.ts';

/** Bytes that all but the texts of a record may take as it is stored. With the 300 kB of texts that a large one keeps,
 *  a ConfigMap (1 MiB) has room for them. */
const roomBytes = 680_000;

/** Steps and gates of one sequence, on all of their clusters. */
const itemsAtMost = 15_000;

/** Fewer always have room, whatever their names. */
const itemsWithRoom = 200;

/** Sequences whose records would have no room in an object of the API server. */
export function checkSequenceRoom(sequences: Sequences): readonly Problem[] {
  return Object.entries(sequences ?? {}).flatMap(([name, sequence]): readonly Problem[] => {
    const what = whyNoRoom(name, sequence);
    const hint = 'make several of it, in order by `after`';
    return what === undefined ? [] : [{ path: ['sequences', name], what, hint, at: 'value' }];
  });
}

function whyNoRoom(name: string, sequence: Sequence): string | undefined {
  const items = countItems(sequence);
  if (items > itemsAtMost) return `has ${items} steps and gates on its clusters; at most ${itemsAtMost} are possible`;
  if (items <= itemsWithRoom) return undefined;
  const text = JSON.stringify(largestRecord(planOf(name, sequence), sequence));
  const bytes = Math.ceil((gzipSync(text).length * 4) / 3);
  return bytes <= roomBytes
    ? undefined
    : `is too large: ${items} steps and gates of such names may make a record of ${Math.ceil(bytes / 1000)} kB, which has room for ${roomBytes / 1000}`;
}
