import type { TurnAction } from '../../core/node-turns/judge-turn.ts';
import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import { parseRunRecord, runRecordText, withJobRefused, withJobSeen } from '../../core/node-turns/run-record.ts';
import { Transient } from '../../core/text/errors.ts';
import type { NodeTurnPorts } from '../../ports/node-turns.ts';
import type { KeepPorts } from '../keep-ports.ts';

interface Noting {
  readonly records: NodeTurnPorts['records'];
  readonly logger: KeepPorts['logger'];
  readonly now: Date;
}

/** What came of the Jobs that were to be made. */
interface Asked {
  readonly made: readonly TurnAction[];
  readonly refused: readonly TurnAction[];
}

/** Notes Jobs that an earlier look has begun, and that were made just now: whoever deleted them before anybody saw them
 *  deletes these, too, and one that is made at every look does part of its work each time. The first time, when the Job
 *  may only not have been made, costs no further write. Those that were refused are noted each time: where Poolkeeper
 *  has no rights, no look would ever find that there is none. */
export async function noteJobs(
  plan: RunPlan,
  { made, refused }: Asked,
  { records, logger, now }: Noting,
): Promise<void> {
  const remade = made.flatMap((action) =>
    action.kind === 'create-job' && action.turn.since !== now.toISOString() ? [action] : [],
  );
  if (remade.length === 0 && refused.length === 0) return;
  try {
    const stored = await records.load(plan.recordNamespace, plan.name);
    const record = parseRunRecord(stored?.text ?? '');
    if (stored === undefined || record === 'unreadable') return;
    const seen = remade.reduce((known, { node, turn }) => withJobSeen(known, { node, turn, now }), record);
    const noted = refused.reduce(
      (known, action) => (action.kind === 'create-job' ? withJobRefused(known, action) : known),
      seen,
    );
    const text = runRecordText(noted);
    await records.save(plan.recordNamespace, plan.name, { text, resourceVersion: stored.resourceVersion });
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('record of a run could not be stored', { run: plan.name, why: cause.message });
  }
}
