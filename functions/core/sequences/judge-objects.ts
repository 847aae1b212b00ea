import { clipped, counted } from '../text/phrases.ts';
import { type EvaluateCel, type GateVerdict, judgeObject, type ObjectsRead, subjectOf } from './judge-gate.ts';
import type { ObjectGate } from './presets.ts';

/** What is known of the objects of a gate, page by page. */
export interface GateTally {
  readonly judged: number;
  readonly fulfil: number;
  /** What an expression asks is not there: they may come to fulfil it. */
  readonly undecided: GateVerdict | undefined;
  /** Expressions that took too long. */
  readonly slow: number;
  readonly first: GateVerdict | undefined;
  readonly closed: GateVerdict | undefined;
  readonly refused: GateVerdict | undefined;
  /** There are objects that were not judged. */
  readonly isCut: boolean;
}

export const emptyTally: GateTally = {
  judged: 0,
  fulfil: 0,
  slow: 0,
  first: undefined,
  closed: undefined,
  undecided: undefined,
  refused: undefined,
  isCut: false,
};

/** Objects on which an expression may take too long before no further one is tried: each costs as much as it may. */
const slowAtMost = 3;

/** What is said of objects that were not read. */
export function verdictUnread(gate: ObjectGate, read: Exclude<ObjectsRead, { readonly kind: 'objects' }>): GateVerdict {
  const what = subjectOf(gate);
  switch (read.kind) {
    case 'forbidden':
      return { kind: 'refused', value: `forbidden to read ${what}: ${clipped(read.why, 300)}` };
    case 'unknown-kind':
      return {
        kind: 'refused',
        value: `the cluster has no kind ${gate.resourceType}: ${clipped(read.why, 300)}`,
        isUnknownKind: true,
      };
    case 'failed':
      return { kind: 'unseen', value: `${what} could not be read: ${clipped(read.why, 300)}` };
    default:
      return read satisfies never;
  }
}

interface Page {
  readonly objects: readonly unknown[];
  readonly evaluate: EvaluateCel;
}

/** With one more page of objects. */
export function tallied(gate: ObjectGate, before: GateTally, { objects, evaluate }: Page): GateTally {
  let { judged, fulfil, slow, first, closed, undecided, refused } = before;
  const counting: EvaluateCel = (expression, object) => {
    const result = evaluate(expression, object);
    if (result.kind === 'stopped') slow += 1;
    return result;
  };
  for (const object of objects) {
    if (slow >= slowAtMost) break;
    const verdict = judgeObject(gate, object, counting);
    judged += 1;
    first ??= verdict;
    if (verdict.kind === 'open') fulfil += 1;
    if (verdict.kind === 'closed') closed ??= verdict;
    if (verdict.kind === 'closed' && verdict.isUndecided === true) undecided ??= verdict;
    if (verdict.kind === 'refused') refused ??= verdict;
  }
  return { judged, fulfil, slow, first, closed, undecided, refused, isCut: slow >= slowAtMost };
}

/** Whatever other objects there are, the verdict stays the same. */
export function isSettled({ count }: ObjectGate, { fulfil, isCut }: GateTally): boolean {
  const { atLeast, atMost } = count ?? { atLeast: 1 };
  return isCut || (atMost === undefined ? fulfil >= atLeast : fulfil > atMost);
}

/** Without a name, at least one of the objects has to fulfil it. */
export function verdictOf(gate: ObjectGate, tally: GateTally): GateVerdict {
  const { judged, fulfil, first } = tally;
  const { atLeast, atMost } = gate.count ?? { atLeast: 1 };
  if (first === undefined) return atLeast === 0 ? { kind: 'open', value: 'none' } : noneOf(gate);
  if (atMost !== undefined && fulfil > atMost) return { kind: 'closed', value: `${fulfil}, more than ${atMost}` };
  const isOnly = judged === 1 && atLeast === 1;
  // One that somebody made so that it cannot be judged is not needed where enough others fulfil it.
  if (fulfil >= atLeast && (atMost === undefined || isCertain(tally)))
    return isOnly ? first : { kind: 'open', value: countText(tally) };
  return undecidedOf(tally, atMost !== undefined) ?? (isOnly ? first : { kind: 'closed', value: closedText(tally) });
}

/** Each object is known to fulfil it or not. */
function isCertain({ isCut, refused, undecided }: GateTally): boolean {
  return !isCut && refused === undefined && undecided === undefined;
}

/** Why nobody can say what the objects come to; undefined: it is known. */
function undecidedOf({ judged, refused, undecided, isCut }: GateTally, isLimit: boolean): GateVerdict | undefined {
  if (refused !== undefined) return refused;
  if (isCut) return { kind: 'refused', value: `there are more than ${judged} objects: name one, or its namespace` };
  return isLimit && undecided !== undefined ? { kind: 'closed', value: undecided.value } : undefined;
}

function countText({ fulfil, judged }: GateTally): string {
  return `${fulfil} of ${counted(judged, 'object')}`;
}

function closedText(tally: GateTally): string {
  return tally.closed === undefined ? countText(tally) : `${countText(tally)}: ${tally.closed.value}`;
}

function noneOf(gate: ObjectGate): GateVerdict {
  return {
    kind: 'closed',
    value: gate.resourceName === undefined ? `no ${gate.resourceType}` : `${subjectOf(gate)} is not there`,
  };
}
