import type { Hold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { emptyRecord, type PoolRecord } from '../openshift/pool-record.ts';
import { BadInput } from '../text/errors.ts';

/** Somebody who acts on a pool by hand, and says why. */
export interface ManualRequest {
  /** As the API server knows them. */
  readonly who: string;
  readonly why: string;
  readonly now: Date;
}

/** What a deed writes on the pool: at most one patch, and what people should know of it. */
export interface ManualChange {
  /** Undefined leaves `spec.paused` as it is. */
  readonly paused: boolean | undefined;
  /** Undefined leaves the record as it is: there was nothing to do. Null takes it away. */
  readonly record: PoolRecord | null | undefined;
  /** Continues `Pool worker ...`. */
  readonly said: string;
}

/** A hold by hand until `until`: the pool is paused now and let go by the next pass after that. A person has one
 *  hold on a pool; holding again moves its end. Throws BadInput for a pool whose record is not understood. */
export function addManualHold(pool: Pool, until: Date, { who, why, now }: ManualRequest): ManualChange {
  const before = recordOf(pool);
  const at = now.toISOString();
  const id = `manual/${who}`;
  const known = before.holds.find((hold) => hold.id === id);
  const hold: Hold = { id, kind: 'manual', who, why, since: known?.since ?? at, until: until.toISOString() };
  const holds = [...before.holds.filter((each) => each.id !== id), hold];
  if (pool.paused) {
    // Whoever paused it: the hold is a mark until then, and the pause stays whose it is.
    const mark = before.pause === undefined || before.pause === 'overridden' ? { pause: 'foreign' as const } : {};
    const said = before.pause === 'ours' ? 'was paused already by Poolkeeper' : 'was paused already by somebody else';
    return { paused: undefined, record: { ...before, ...mark, holds }, said };
  }
  const { release: _release, ...kept } = before;
  return {
    paused: true,
    record: { ...kept, pause: 'ours', pausedSince: at, last: { did: 'paused', at, why, by: who }, holds },
    said: 'is paused',
  };
}

/** Resumes a pool by hand. What a person or a failed sync holds is let go; a sync that runs or is expected stays as
 *  a mark, so that it does not pause the pool again, and goes with its end. A pause that is not ours stays. Throws
 *  BadInput for a pool whose record is not understood. */
export function resumeManually(pool: Pool, { who, why, now }: ManualRequest): ManualChange {
  const before = recordOf(pool);
  const at = now.toISOString();
  const holds = before.holds.filter(({ kind, phase }) => kind === 'sync' && phase !== 'failed');
  if (pool.paused && before.pause !== 'ours') {
    const by = pool.pausedBy?.manager ?? 'somebody';
    const isChanged = holds.length < before.holds.length;
    return {
      paused: undefined,
      record: isChanged ? { ...before, holds, last: { did: 'left', at, why, by: who } } : undefined,
      said: `stays paused: ${by} has paused it, not Poolkeeper`,
    };
  }
  if (!pool.paused && before.holds.length === 0)
    return { paused: undefined, record: undefined, said: 'was not paused' };
  // Without a hold there is nothing that could pause it again, and the next pass has nothing to tidy up.
  const mark = holds.length > 0 ? { pause: 'overridden' as const } : {};
  return {
    paused: pool.paused ? false : undefined,
    record: { v: 1, ...mark, holds, last: { did: 'overridden', at, why, by: who } },
    said: pool.paused ? 'is resumed' : 'was not paused',
  };
}

function recordOf(pool: Pool): PoolRecord {
  if (pool.record.kind === 'unreadable') throw new BadInput(`pool ${pool.name}: ${pool.record.why}`);
  return pool.record.kind === 'record' ? pool.record.record : emptyRecord;
}
