import { runsHolding } from '../../core/node-turns/pool-rollouts.ts';
import { recordToTakeOver } from '../../core/node-turns/record-to-take-over.ts';
import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import {
  emptyRunRecord,
  lastRunChangeMs,
  parseRunRecord,
  type RunRecord,
  withConfiguration,
} from '../../core/node-turns/run-record.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import type { RunRecords } from '../../ports/node-turns.ts';
import type { StoredText } from '../../ports/sequences.ts';

/** The record of a run, where it is kept. */
export interface KeptRecord {
  readonly record: RunRecord | 'unreadable';
  /** Undefined: there is none yet where it is kept. Empty: somebody has emptied it. */
  readonly stored: StoredText | undefined;
  /** Since when a pool is held without a record, ISO instant; undefined: there is one, or none is missed. */
  readonly missedSince?: string | undefined;
  /** As it is stored, where `record` says more. */
  readonly before?: RunRecord | undefined;
  /** It stands elsewhere alone, which may go or be refused any time. Absent: it is stored where it is kept. */
  readonly isElsewhere?: true;
  /** The namespace where the run goes by it, as its hold says, until it is stored where it is kept now; absent: it is
   *  kept where it stands, or the run holds no pool. */
  readonly place?: string;
}

/** Reads the record of a run that is configured. Throws Transient. */
export async function loadRunRecord(plan: RunPlan, pools: readonly Pool[], records: RunRecords): Promise<KeptRecord> {
  const kept = await loadKept(plan, pools, records);
  const { record: before } = kept;
  if (before === 'unreadable') return kept;
  const record = withConfiguration(before, (pool) => byName(pools, pool)?.paused === true);
  return record === before ? kept : { ...kept, record, before };
}

/** Reads the record of a run, or takes over the one that stands where the hold of the run says, if runs keep theirs
 *  elsewhere now, or the one that an earlier version kept in the namespace of the run. Throws Transient. */
async function loadKept(
  { name, run, recordNamespace }: RunPlan,
  pools: readonly Pool[],
  records: RunRecords,
): Promise<KeptRecord> {
  const stored = await records.load(recordNamespace, name);
  const holding = runsHolding(pools).find((each) => each.run === name);
  const place = holding?.recordIn === recordNamespace ? undefined : holding?.recordIn;
  if (hasRecord(stored)) {
    const kept = { record: parseRunRecord(stored.text), stored };
    if (place === undefined || holding === undefined || kept.record === 'unreadable') return kept;
    return await newest({ ...kept, record: kept.record }, { name, place, since: holding.since }, records);
  }
  const former = place === undefined ? undefined : await loadFormer(place, name, records);
  if (former !== undefined) return { ...former, stored };
  const earlier = recordNamespace === run.namespace ? undefined : await loadEarlier(run.namespace, name, records);
  const read = parseRunRecord(earlier?.text ?? '');
  const isEarlier = holding !== undefined && holding.recordIn === undefined;
  const missed = holding === undefined || (isEarlier && earlier !== undefined) ? {} : { missedSince: holding.since };
  const record = read === 'unreadable' ? emptyRunRecord : recordToTakeOver(read, isEarlier);
  return { record, stored, ...missed, ...(hasRecord(earlier) ? { isElsewhere: true } : {}) };
}

/** The record in the namespace that the hold of the run names; undefined: there is none. Throws Transient. */
async function loadFormer(
  place: string,
  run: string,
  records: RunRecords,
): Promise<Pick<KeptRecord, 'record' | 'isElsewhere' | 'place'> | undefined> {
  const former = await loadEarlier(place, run, records);
  return hasRecord(former) ? { record: parseRunRecord(former.text), isElsewhere: true, place } : undefined;
}

/** The hold of a run names another namespace until its record is stored in the one where runs keep theirs now. What
 *  stands there already may be of before, when they kept it there, too. Throws Transient.
 *  @param hold which names another place, with since when it stands */
async function newest(
  { record: own, stored }: { readonly record: RunRecord; readonly stored: StoredText },
  hold: { readonly name: string; readonly place: string; readonly since: string },
  records: RunRecords,
): Promise<KeptRecord> {
  const former = await loadEarlier(hold.place, hold.name, records);
  // The hold names the place of the newer one until it is stored here.
  const elsewhere = { ...stored, text: '' };
  if (!hasRecord(former)) {
    const isFoundAgain = own.lost !== undefined;
    return isFoundAgain ? { record: own, stored } : { record: own, stored: elsewhere, missedSince: hold.since };
  }
  const record = parseRunRecord(former.text);
  if (record !== 'unreadable' && lastRunChangeMs(record) <= lastRunChangeMs(own)) return { record: own, stored };
  return { record, stored: elsewhere, isElsewhere: true, place: hold.place };
}

/** No record is empty: one that somebody has emptied is lost as one that is deleted. */
export function hasRecord(stored: StoredText | undefined): stored is StoredText {
  return stored !== undefined && stored.text !== '';
}

/** Who may not read there any more has none to take over. */
async function loadEarlier(namespace: string, run: string, records: RunRecords): Promise<StoredText | undefined> {
  try {
    return await records.load(namespace, run);
  } catch (cause) {
    if (cause instanceof Transient && cause.kind === 'forbidden') return undefined;
    throw cause;
  }
}
