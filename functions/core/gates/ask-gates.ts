import { isPast, plusSeconds } from '../text/instant.ts';
import { type EvidenceKind, evidenceByCost } from './evidence.ts';
import type { ClosedGate, Gate, GateAnswer, GateQuestion } from './gate.ts';
import type { GateView } from './gate-view.ts';

/** What the gates of one pool say together. */
export interface GatesAnswer {
  /** Gates that keep the pool from resuming now; empty: it may resume, unless evidence is lacking. */
  readonly closed: readonly GateView[];
  /** Warnings of open gates, for the reason of the resume. */
  readonly warnings: readonly string[];
  /** What to read before deciding; undefined: no further read would change the answer. */
  readonly lacking: EvidenceKind | undefined;
}

/** Asks every gate. The order is only the order of display; no answer depends on it. */
export function askGates(gates: readonly Gate[], question: GateQuestion): GatesAnswer {
  const asked = gates.map((gate) => ({ gate, answer: settled(gate, question) }));
  const answers = asked.map(({ answer }) => answer);
  return {
    closed: asked.flatMap(({ gate, answer }) => (answer.open ? [] : [viewOf(gate, answer, question)])),
    warnings: answers.flatMap((answer) => (answer.open ? (answer.warning ?? []) : [])),
    lacking: lackingIn(answers),
  };
}

/** A gate that is passed in an emergency, or stayed closed past its timeout with action `resume`, no longer counts and
 *  warns about it. */
function settled(gate: Gate, question: GateQuestion): GateAnswer {
  const answer = gate.ask(question);
  if (gate.inEmergency === 'passed' && question.emergency !== undefined)
    return passed(gate, answer, question.emergency);
  if (answer.open || timeoutAction(gate, question) !== 'resume') return answer;
  return { open: true, warning: `gate ${gate.name} stayed closed for too long and is skipped: ${answer.why}` };
}

/** Whoever opened the lane takes the place of the gate, so nothing is read for it. */
function passed(gate: Gate, answer: GateAnswer, { who }: NonNullable<GateQuestion['emergency']>): GateAnswer {
  if (answer.open || answer.lacks !== undefined) return { open: true };
  return { open: true, warning: `gate ${gate.name} is passed in the emergency of ${who}: ${answer.why}` };
}

function timeoutAction(gate: Gate, question: GateQuestion): 'wait' | 'alert' | 'resume' | undefined {
  const since = question.closedSince[gate.name];
  const timeout = gate.timeout?.(question);
  if (since === undefined || timeout === undefined) return undefined;
  return isPast(plusSeconds(new Date(since), timeout.afterSeconds), question.now) ? timeout.action : undefined;
}

function viewOf(gate: Gate, { why, opens, opensAt, lacks }: ClosedGate, question: GateQuestion): GateView {
  return {
    gate: gate.name,
    why,
    since: question.closedSince[gate.name] ?? question.now.toISOString(),
    opens,
    ...(opensAt === undefined ? {} : { opensAt }),
    ...(lacks === undefined ? {} : { unread: true as const }),
    ...(timeoutAction(gate, question) === 'alert' ? { overdue: true as const } : {}),
  };
}

/** Nothing is read while some gate is closed no matter what a read would say. Otherwise: first the cheapest evidence
 *  that a closed gate lacks; with every gate open, what a warning lacks. */
function lackingIn(answers: readonly GateAnswer[]): EvidenceKind | undefined {
  if (answers.some((answer) => !answer.open && answer.lacks === undefined)) return undefined;
  const lackedBy = (isOpen: boolean) =>
    evidenceByCost.find((kind) => answers.some((answer) => answer.open === isOpen && answer.lacks === kind));
  return lackedBy(false) ?? lackedBy(true);
}
