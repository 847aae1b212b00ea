import type { GateView } from '../view.ts';
import { drainable, looksAtDrains } from './drainable.ts';
import type { Gate, GateQuestion } from './gate.ts';
import { health } from './health.ts';
import { quiet } from './quiet.ts';
import { rendered } from './rendered.ts';
import { wave } from './wave.ts';

/** All gates, in the order people read them. A new gate is one file and one entry here. */
export const gates: readonly Gate[] = [rendered, quiet, wave, health, drainable];

/** Only gates that are looked at last are left closed, for want of a look: this one is the first of them. */
export function waitsForLook(closedNow: readonly GateView[], question: Pick<GateQuestion, 'controllers'>): boolean {
  const last: readonly string[] = [quiet.name, drainable.name];
  return (
    question.controllers.kind === 'not asked' &&
    closedNow.some(({ gate }) => gate === quiet.name) &&
    closedNow.every(({ gate }) => last.includes(gate))
  );
}

/** Every other gate is open, and what will block the drains was not looked at yet: the very last look. */
export function waitsForDrains(
  closedNow: readonly GateView[],
  question: Pick<GateQuestion, 'pool' | 'settings' | 'drains'>,
): boolean {
  if (!looksAtDrains(question) || question.drains?.has(question.pool.name)) return false;
  return closedNow.every(({ gate }) => gate === drainable.name);
}

/** The gates that keep this pool from resuming now; empty = it may. */
export function closedGates(question: GateQuestion): readonly GateView[] {
  return gates.flatMap((gate) => {
    const answer = gate.ask(question);
    if (answer.open) return [];
    return [{ gate: gate.name, why: answer.why, since: question.release?.since, opens: answer.opens }];
  });
}

/** What open gates want said of a resume. */
export function warningsOf(question: GateQuestion): readonly string[] {
  return gates.flatMap((gate) => {
    const answer = gate.ask(question);
    return answer.open && answer.warning !== undefined ? [answer.warning] : [];
  });
}
