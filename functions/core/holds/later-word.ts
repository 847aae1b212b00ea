import { coversCluster } from '../openshift/freeze.ts';
import type { Hold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { recordIn, type Word } from '../openshift/pool-record.ts';
import { speaksForOthers } from './freeze.ts';
import { askedOf, lastResume, wordOn } from './words.ts';

/** A command for a pool that the queue may bring late, or twice. */
export type QueuedCommand =
  | { readonly kind: 'resume' | 'thaw'; readonly at: string }
  /** `id`: of the hold that it adds or moves. */
  | { readonly kind: 'hold' | 'freeze'; readonly id: string; readonly at: string };

/** What somebody has decided about the pool after the command was asked, which it would undo, in words; undefined:
 *  nothing. Holds of several people stand beside each other: none undoes another's.
 *  @param pools those of its cluster, whose freezes and thaws may be about this one, too */
export function laterWord(pool: Pool, command: QueuedCommand, pools: readonly Pool[]): string | undefined {
  const what =
    command.kind === 'hold' || command.kind === 'freeze' ? undone(pool, command, pools) : ended(pool, command);
  return what && `${what}, after that was asked; ask again`;
}

function ended(pool: Pool, { kind, at }: Pick<QueuedCommand, 'kind' | 'at'>): string | undefined {
  const record = recordIn(pool);
  const later = record.holds.find(
    (hold) => (kind === 'resume' || hold.kind === 'freeze') && isAfter(askedOf(hold, record), at),
  );
  return later && `${later.who} holds pool ${pool.name} since ${askedOf(later, record)}`;
}

function undone(
  pool: Pool,
  { kind, id, at }: Extract<QueuedCommand, { readonly id: string }>,
  pools: readonly Pool[],
): string | undefined {
  const resumed = lastResume(pool);
  if (resumed !== undefined && isAfter(resumed.at, at))
    return `${resumed.by} resumed pool ${pool.name} at ${resumed.at}`;
  const others = coversCluster(id) ? pools.filter((each) => each.name !== pool.name && speaksForOthers(each)) : [];
  for (const each of [pool, ...others]) {
    const anew = wordAnew(each, id);
    if (anew !== undefined && isAfter(anew.at, at)) return `${anew.by} asked anew for pool ${each.name} at ${anew.at}`;
    if (kind === 'hold') continue;
    const thaw = recordIn(each).thawed?.find(
      (thawed) => isAfter(thawed.at, at) && (each === pool || (thawed.id === id && thawed.here !== true)),
    );
    if (thaw !== undefined) return `${thaw.by} thawed pool ${each.name} at ${thaw.at}`;
  }
  return undefined;
}

/** The last word on a hold, also if it has ended since. */
function wordAnew(pool: Pool, id: string): Pick<Word, 'at' | 'by'> | undefined {
  const record = recordIn(pool);
  const hold = record.holds.find((each: Hold) => each.id === id);
  return wordOn(record, id) ?? (hold && { at: hold.since, by: hold.who });
}

function isAfter(a: string, b: string): boolean {
  return Date.parse(a) > Date.parse(b);
}
