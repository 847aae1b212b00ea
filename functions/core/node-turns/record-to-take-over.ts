import { given } from '../text/given.ts';
import { emptyRunRecord, type RunRecord, roundsOfAll } from './run-record.ts';

/** What counts of a record that an earlier version kept in the namespace of the run, where others may write.
 *  @param isHeld a pool has the hold of that version, so that it was at work: its record is all that is known of it.
 *  Otherwise only that it was paused, and the numbers of its rounds: neither lets a node go. */
export function recordToTakeOver(record: RunRecord, isHeld: boolean): RunRecord {
  if (isHeld) return record;
  const { paused } = record;
  const rounds = roundsOfAll(record);
  return {
    ...emptyRunRecord,
    ...given({ paused }),
    ...(Object.keys(rounds).length === 0 ? {} : { rounds }),
  };
}
