import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import type { RunRecord } from '../../core/node-turns/run-record.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import type { RunRecords } from '../../ports/node-turns.ts';
import type { StoredText } from '../../ports/sequences.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { type KeptRecord, loadRunRecord } from './load-run-record.ts';

/** `unseen`: why it could not be read, or understood. */
export type LoadedRun =
  | {
      readonly kind: 'record';
      readonly record: RunRecord;
      readonly stored: StoredText | undefined;
      /** Since when a pool is held without a record. */
      readonly missedSince?: string | undefined;
      /** As it is stored, where `record` says more. */
      readonly before?: RunRecord | undefined;
      /** It is to be stored, whatever this look finds. */
      readonly isElsewhere?: true;
    }
  | {
      readonly kind: 'unseen';
      readonly why: string;
      readonly isLasting: boolean;
      /** People are told of what may pass if it has lasted so long. Absent: they are not. */
      readonly toldAfterSeconds?: number | undefined;
      /** The record of a run that has just begun and has stored none: it would be missed later. */
      readonly begun?: { readonly record: RunRecord; readonly heldSince: string } | undefined;
    };

export async function loadRun(plan: RunPlan, pools: readonly Pool[], ports: KeptRunPorts): Promise<LoadedRun> {
  return loadFrom(ports, (records) => loadRunRecord(plan, pools, records));
}

export async function loadFrom(
  ports: KeptRunPorts,
  load: (records: RunRecords) => Promise<KeptRecord | undefined>,
): Promise<LoadedRun> {
  const lasting = (why: string): LoadedRun => ({ kind: 'unseen', why, isLasting: true });
  if (ports === undefined) return lasting('its cluster keeps no records');
  try {
    const loaded = await load(ports.records);
    if (loaded === undefined) return lasting('its record is not there');
    const { record, ...rest } = loaded;
    return record === 'unreadable' ? lasting('its record cannot be understood') : { kind: 'record', record, ...rest };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return { kind: 'unseen', why: cause.message, isLasting: cause.kind === 'forbidden' };
  }
}

export type KeptRunPorts = Awaited<ReturnType<KeepPorts['cluster']>>['nodeTurns'];
