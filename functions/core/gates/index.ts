import { drainable, forecastsDrains } from './drainable.ts';
import type { Gate, GateQuestion } from './gate.ts';
import type { GateView } from './gate-view.ts';
import { health } from './health.ts';
import { quiet } from './quiet.ts';
import { rendered } from './rendered.ts';
import { wave } from './wave.ts';

/** All gates, in the order people read them. A new gate is one file and one entry here. */
export const gates: readonly Gate[] = [rendered, quiet, wave, health, drainable];

/** Only this gate is left closed, for want of a look: the Applications are listed for it. */
export function waitsForLook(closedNow: readonly GateView[], question: Pick<GateQuestion, 'controllers'>): boolean {
  return (
    question.controllers.kind === 'not asked' &&
    closedNow.length > 0 &&
    closedNow.every(({ gate }) => gate === quiet.name)
  );
}

/** Every other gate is open, and what will block the drains was not looked at yet. Where that may keep the pool for
 *  hours it is looked at before the Applications are listed, so that no tick lists them meanwhile. */
export function waitsForDrains(
  closedNow: readonly GateView[],
  question: Pick<GateQuestion, 'pool' | 'settings' | 'drains' | 'controllers'>,
): boolean {
  if (!forecastsDrains(question) || question.drains?.has(question.pool.name)) return false;
  const isFirst = question.settings.drainable === 'block' && question.controllers.kind === 'not asked';
  return closedNow.every(({ gate }) => gate === drainable.name || (isFirst && gate === quiet.name));
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
