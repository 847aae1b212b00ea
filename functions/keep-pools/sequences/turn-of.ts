import type { Turn } from '../../core/sequences/order.ts';
import type { PoolStep } from '../../core/sequences/pool-steps.ts';
import { Transient } from '../../core/text/errors.ts';
import { lookAtSequence } from './look-at-sequence.ts';
import type { SequencePorts } from './sequence-ports.ts';

/** Whether a step may go, as everything below it is now. Writes nothing. Throws Transient. */
export async function turnOf({ sequence: name, id }: PoolStep, ports: SequencePorts): Promise<Turn> {
  const sequence = ports.configuration.sequences?.[name];
  if (sequence === undefined) throw new Transient(`there is no sequence ${name}`);
  const look = await lookAtSequence({ name, sequence, swept: false }, ports);
  // Nothing of an aborted sequence is held back any longer, and neither is what was skipped.
  if (look.record.aborted !== undefined || Object.hasOwn(look.judged.record.skipped, id))
    return { mayGo: true, why: '', waitsFor: [] };
  const known = look.judged.turns.get(id);
  // By what was known of lower waves it may: they are looked at once more.
  const turn =
    known?.mayGo === true ? (await lookAtSequence({ name, sequence, swept: true }, ports)).judged.turns.get(id) : known;
  if (turn === undefined) throw new Transient(`sequence ${name} has no step ${id}`);
  return turn;
}
