import type { GateView } from '../view.ts';
import type { Gate, GateQuestion } from './gate.ts';
import { health } from './health.ts';
import { quiet } from './quiet.ts';
import { rendered } from './rendered.ts';
import { wave } from './wave.ts';

/** All gates, in the order people read them. A new gate is one file and one entry here. */
export const gates: readonly Gate[] = [rendered, quiet, wave, health];

/** Only the gate that is looked at last is left closed, for want of a look. */
export function waitsForLook(closedNow: readonly GateView[], question: Pick<GateQuestion, 'controllers'>): boolean {
  return question.controllers.kind === 'not asked' && closedNow.length === 1 && closedNow[0]?.gate === quiet.name;
}

/** The gates that keep this pool from resuming now; empty = it may. */
export function closedGates(question: GateQuestion): readonly GateView[] {
  return gates.flatMap((gate) => {
    const answer = gate.ask(question);
    if (answer.open) return [];
    return [{ gate: gate.name, why: answer.why, since: question.release?.since, opens: answer.opens }];
  });
}
