import { given } from '../text/given.ts';
import { isPast, latest, plusSeconds } from '../text/instant.ts';
import { type EvidenceKind, evidenceByCost, evidenceReadAhead } from './evidence.ts';
import type { ClosedGate, Gate, GateAnswer, GateQuestion, GateTimeout, TimeoutAction } from './gate.ts';
import type { GateView } from './gate-view.ts';
import { imageBuiltAt } from './image.ts';

/** What the gates of one pool say together. */
export interface GatesAnswer {
  /** Gates that keep the pool from resuming now; empty: it may resume, unless evidence is lacking. */
  readonly closed: readonly GateView[];
  /** Gates that have stayed closed past their timeout, which says that they no longer count. */
  readonly skipped: readonly GateView[];
  /** Why gates are open, as far as the reason of the resume should say so. */
  readonly because: readonly string[];
  /** Warnings of open gates, for the reason of the resume. */
  readonly warnings: readonly string[];
  /** What to read before deciding; undefined: no further read would change the answer. */
  readonly lacking: EvidenceKind | undefined;
}

/** Asks every gate. The order is only the order of display; no answer depends on it. */
export function askGates(gates: readonly Gate[], question: GateQuestion): GatesAnswer {
  const asked = gates.map((gate) => {
    const said = gate.ask(question);
    return { gate, said, answer: settled(gate, said, question) };
  });
  const answers = asked.map(({ answer }) => answer);
  return {
    closed: asked.flatMap(({ gate, answer }) => (answer.open ? [] : [viewOf(gate, answer, question)])),
    skipped: asked.flatMap(({ gate, said }) => (isSkipped(gate, said, question) ? [viewOf(gate, said, question)] : [])),
    because: answers.flatMap((answer) => (answer.open ? (answer.because ?? []) : [])),
    warnings: answers.flatMap((answer) => (answer.open ? (answer.warning ?? []) : [])),
    lacking: lackingIn(answers),
  };
}

/** A gate that is passed in an emergency, or stayed closed past its timeout with action `resume`, no longer counts and
 *  warns about it. */
function settled(gate: Gate, answer: GateAnswer, question: GateQuestion): GateAnswer {
  if (gate.inEmergency === 'passed' && question.emergency !== undefined) return passed(gate, answer, question);
  if (!isSkipped(gate, answer, question)) return answer;
  return { open: true, warning: `gate ${gate.name} stayed closed for too long and is skipped: ${answer.why}` };
}

function isSkipped(gate: Gate, answer: GateAnswer, question: GateQuestion): answer is ClosedGate {
  return !answer.open && answer.lacks === undefined && pastTimeout(gate, question, answer.isUnseen) === 'resume';
}

/** Whoever opened the lane takes the place of the gate, so nothing is read for it. */
function passed(gate: Gate, answer: GateAnswer, { emergency, yields }: GateQuestion): GateAnswer {
  if (answer.open || answer.lacks !== undefined) return { open: true };
  const because = yields === undefined ? `in the emergency of ${emergency?.who ?? 'somebody'}` : `because ${yields}`;
  return { open: true, warning: `gate ${gate.name} is passed ${because}: ${answer.why}` };
}

/** Whether people are to be told that this gate has been closed for too long, if it is closed. */
export function isOverdue(gate: Gate, question: GateQuestion): boolean {
  return pastTimeout(gate, question) === 'alert';
}

/** What happens now, because the gate stayed closed for too long; undefined: it has not. */
function pastTimeout(gate: Gate, question: GateQuestion, isUnseen?: true): TimeoutAction | undefined {
  const { at, action } = timeoutOf(gate, question, isUnseen);
  return isPast(at, question.now) ? action : undefined;
}

/** What cannot be read is neither passed nor given up: people are told when its time is over. */
function timeoutOf(gate: Gate, question: GateQuestion, isUnseen?: true): NonNullable<GateView['timeout']> {
  const configured: Readonly<Record<string, GateTimeout | undefined>> = question.policy.gates;
  const { afterSeconds, action: wanted } = configured[gate.name] ?? gate.timeout(question);
  const action = isUnseen === true && wanted !== 'wait' ? 'alert' : wanted;
  const since = sinceOf(gate, question);
  const from = action === 'alert' ? since : (latest([since, ...startsOver(gate, question)]) ?? since);
  return { at: plusSeconds(new Date(from), afterSeconds), action };
}

/** What is rendered or built late is not skipped through, nor given up, because something else has waited long enough.
 *  Nor is a gate that may have been open while nobody read it. */
function startsOver(gate: Gate, question: GateQuestion): readonly (string | undefined)[] {
  const { readSince, renderedSince, now } = question;
  const read = readSince === undefined ? undefined : (readSince[gate.name] ?? now.toISOString());
  return [read, renderedSince, imageBuiltAt(question)];
}

/** Since when it has been closed; now, if it was not in the last pass. */
function sinceOf(gate: Gate, { closedSince, now }: GateQuestion): string {
  return closedSince[gate.name] ?? now.toISOString();
}

function viewOf(gate: Gate, { open: _, lacks, ...answer }: ClosedGate, question: GateQuestion): GateView {
  const { how, opensAt, approves, excludes, ...said } = answer;
  const view = {
    gate: gate.name,
    ...said,
    ...given({ how, opensAt, approves, excludes }),
  };
  // It may be open: no clock runs before it is read.
  if (lacks !== undefined) return { ...view, since: undefined, unread: true };
  return {
    ...view,
    since: sinceOf(gate, question),
    timeout: timeoutOf(gate, question, answer.isUnseen),
    ...(pastTimeout(gate, question, answer.isUnseen) === 'alert' ? { overdue: true as const } : {}),
  };
}

/** First what people act on ahead of time. Nothing else is read while some gate is closed no matter what a read would
 *  say. Otherwise: first the cheapest evidence that a closed gate lacks; with every gate open, what a warning lacks. */
function lackingIn(answers: readonly GateAnswer[]): EvidenceKind | undefined {
  const ahead = evidenceReadAhead.find((kind) => answers.some(({ lacks }) => lacks === kind));
  if (ahead !== undefined) return ahead;
  if (answers.some((answer) => !answer.open && answer.lacks === undefined)) return undefined;
  const lackedBy = (isOpen: boolean) =>
    evidenceByCost.find((kind) => answers.some((answer) => answer.open === isOpen && answer.lacks === kind));
  return lackedBy(false) ?? lackedBy(true);
}
