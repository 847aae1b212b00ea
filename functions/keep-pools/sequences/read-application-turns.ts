import type { AwaitedTurns } from '../../core/guard/awaited-turn.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import { hasApplications, waitingApplications } from '../../core/sequences/application-turns.ts';
import type { SequenceRecord } from '../../core/sequences/record.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { withCheckpointsOnce } from './former-record.ts';
import { loadRecord } from './look-at-sequence.ts';
import type { SequencePorts } from './sequence-ports.ts';

/** Why the turn of an Application in its sequence has not come, by the id of its sync hold. One small read for each
 *  sequence with Applications, and for each first cluster of one. Never throws Transient: what cannot be read has not
 *  come. */
export async function readApplicationTurns(own: SequencePorts): Promise<AwaitedTurns> {
  const ports = withCheckpointsOnce(own);
  const { sequences = {}, argocd } = ports.configuration;
  const waiting = await Promise.all(
    Object.entries(sequences).map(async ([name, sequence]) => {
      if (sequence.disabled || !hasApplications(sequence)) return [];
      const record = await recordOf(name, sequence, ports);
      return waitingApplications(name, sequence, record, ports.clock()).flatMap(({ target, ...turn }) => {
        const instance = target.argocd ?? argocd[0]?.name;
        return instance === undefined ? [] : [[syncHoldId({ ...target, argocd: instance }), turn] as const];
      });
    }),
  );
  return new Map(waiting.flat());
}

async function recordOf(
  name: string,
  sequence: Parameters<typeof loadRecord>[1],
  ports: SequencePorts,
): Promise<SequenceRecord | string | undefined> {
  try {
    return (await loadRecord(name, sequence, ports)).record;
  } catch (cause) {
    if (!(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
    return cause.message;
  }
}
