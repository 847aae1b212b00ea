import { isPast, plusSeconds } from '../text/instant.ts';
import { type EvidenceKind, evidenceByCost } from './evidence.ts';
import type { ClosedGate, Gate, GateAnswer, GateQuestion } from './gate.ts';
import type { GateView } from './gate-view.ts';

/** What the gates of one pool say together. */
export interface GatesAnswer {
  /** The gates that keep the pool from resuming now; empty: it may, unless evidence is lacking. */
  readonly closed: readonly GateView[];
  /** What open gates want said of a resume. */
  readonly warnings: readonly string[];
  /** What to read before it is decided; undefined: nothing that is not read yet would change the answer. */
  readonly lacking: EvidenceKind | undefined;
}

/** Asks every gate. Their order is that in which people read them; no answer depends on it. */
export function askGates(gates: readonly Gate[], question: GateQuestion): GatesAnswer {
  const asked = gates.map((gate) => ({ gate, answer: settled(gate, question) }));
  const answers = asked.map(({ answer }) => answer);
  return {
    closed: asked.flatMap(({ gate, answer }) => (answer.open ? [] : [viewOf(gate, answer, question)])),
    warnings: answers.flatMap((answer) => (answer.open ? (answer.warning ?? []) : [])),
    lacking: lackingIn(answers),
  };
}

/** A gate that may not stay closed for so long counts no more, and says so. */
function settled(gate: Gate, question: GateQuestion): GateAnswer {
  const answer = gate.ask(question);
  if (answer.open || timeoutAction(gate, question) !== 'resume') return answer;
  return { open: true, warning: `gate ${gate.name} stayed closed for too long and is passed over: ${answer.why}` };
}

function timeoutAction(gate: Gate, question: GateQuestion): 'wait' | 'alert' | 'resume' | undefined {
  const since = question.closedSince[gate.name];
  const timeout = gate.timeout?.(question);
  if (since === undefined || timeout === undefined) return undefined;
  return isPast(plusSeconds(new Date(since), timeout.afterSeconds), question.now) ? timeout.action : undefined;
}

function viewOf(gate: Gate, { why, opens, opensAt }: ClosedGate, question: GateQuestion): GateView {
  return {
    gate: gate.name,
    why,
    since: question.closedSince[gate.name] ?? question.now.toISOString(),
    opens,
    ...(opensAt === undefined ? {} : { opensAt }),
    ...(timeoutAction(gate, question) === 'alert' ? { overdue: true as const } : {}),
  };
}

/** Nothing is read while a gate is closed whatever would be read. First what keeps a gate closed, the cheapest of it;
 *  with every gate open what only a warning lacks. */
function lackingIn(answers: readonly GateAnswer[]): EvidenceKind | undefined {
  if (answers.some((answer) => !answer.open && answer.lacks === undefined)) return undefined;
  const lackedBy = (isOpen: boolean) =>
    evidenceByCost.find((kind) => answers.some((answer) => answer.open === isOpen && answer.lacks === kind));
  return lackedBy(false) ?? lackedBy(true);
}
