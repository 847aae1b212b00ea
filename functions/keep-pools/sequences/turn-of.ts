import type { Turn } from '../../core/sequences/order.ts';
import type { PoolStep } from '../../core/sequences/pool-steps.ts';
import { turnOfStep } from '../../core/sequences/turn-of-step.ts';
import { Transient } from '../../core/text/errors.ts';
import { lookAtSequence } from './look-at-sequence.ts';
import type { SequencePorts } from './sequence-ports.ts';

/** Whether a step may go, as everything below it is now. Writes nothing. Throws Transient. */
export async function turnOf({ sequence: name, id }: PoolStep, ports: SequencePorts): Promise<Turn> {
  const sequence = ports.configuration.sequences?.[name];
  if (sequence === undefined) throw new Transient(`there is no sequence ${name}`);
  const look = await lookAtSequence({ name, sequence, swept: false }, ports);
  const { aborted } = look.record;
  const { skipped } = look.judged.record;
  const isFree = aborted !== undefined || Object.hasOwn(skipped, id);
  // By what was known of lower waves it may: they are looked at once more.
  const isToLook = !isFree && look.judged.turns.get(id)?.mayGo === true;
  const { plan, judged } = isToLook ? await lookAtSequence({ name, sequence, swept: true }, ports) : look;
  const turn = turnOfStep(id, { plan, turns: judged.turns, aborted, skipped });
  if (turn === undefined) throw new Transient(`sequence ${name} has no step ${id}`);
  return turn;
}
