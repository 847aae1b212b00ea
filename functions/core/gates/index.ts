import type { GateView } from '../view.ts';
import type { Gate, GateQuestion } from './gate.ts';
import { health } from './health.ts';
import { quiet } from './quiet.ts';
import { rendered } from './rendered.ts';
import { wave } from './wave.ts';

/** All gates, in the order people read them. A new gate is one file and one entry here. */
export const gates: readonly Gate[] = [rendered, quiet, wave, health];

/** The gates that keep this pool from resuming now; empty = it may. */
export function closedGates(question: GateQuestion): readonly GateView[] {
  return gates.flatMap((gate) => {
    const answer = gate.ask(question);
    if (answer.open) return [];
    return [{ gate: gate.name, why: answer.why, since: question.release?.since, opens: answer.opens }];
  });
}
