import { clipped } from '../text/phrases.ts';
import { byTurns, roundsOf } from '../text/rounds.ts';
import { asPrinted } from '../text/shell-words.ts';
import { ownerOf } from './owner.ts';
import { type Finding, type ObjectRef, type Remedy, refText } from './trouble.ts';

const riskOrder: readonly Remedy['risk'][] = ['none', 'low', 'outage', 'data-loss'];

/** Of hundreds of objects with the same trouble, the commands of a few. */
const mostOfTitle = 3;

/** UTF-16 units of the name of an object in a title. */
const longestName = 100;

/** Every surface offers remedies in this order: lowest risk first, those of the root cause before those of its
 *  consequences. Of those that differ by their command alone, each says whose it is, and the last how many are left
 *  out. A command that cannot be printed as it is is left out, which its title says.
 *  @param most How many: one of each title before a second of any */
export function remediesInOrder(findings: readonly Finding[], most = Number.POSITIVE_INFINITY): readonly Remedy[] {
  const all = distinct(findings.flatMap(rootCauseFirst)).toSorted((a, b) => riskOf(a) - riskOf(b));
  const byTitle = Map.groupBy(all, ({ remedy }) => remedy.title);
  // By turns: whoever has many objects takes nobody else's remedy away.
  const inTurns = [...byTitle.values()].map((alike) => byTurns(alike, ({ of }) => ownerOf(of)).slice(0, mostOfTitle));
  const shown = new Set(roundsOf(inTurns).flat().slice(0, most));
  return all
    .filter((each) => shown.has(each))
    .map((each) => named(each, byTitle.get(each.remedy.title) ?? [], shown))
    .map(withPrintedCommands);
}

interface Proposed {
  readonly remedy: Remedy;
  /** What its finding is about. */
  readonly of: ObjectRef;
}

function rootCauseFirst({ subject, because, remedies }: Finding): readonly Proposed[] {
  return [...because.flatMap(rootCauseFirst), ...remedies.map((remedy) => ({ remedy, of: subject }))];
}

/** Of the same words and command, the one of the root cause. */
function distinct(all: readonly Proposed[]): readonly Proposed[] {
  const keyOf = ({ remedy: { title, command } }: Proposed) => JSON.stringify([title, command]);
  return [...Map.groupBy(all, keyOf).values()].flatMap((same) => same.slice(0, 1));
}

function riskOf({ remedy }: Proposed): number {
  return riskOrder.indexOf(remedy.risk);
}

/** @param alike All of its title
 *  @param shown Those that people see */
function named(each: Proposed, alike: readonly Proposed[], shown: ReadonlySet<Proposed>): Remedy {
  const { remedy, of } = each;
  const isOneObject = new Set(alike.map((one) => refText(one.of))).size === 1;
  const left = alike.filter((one) => !shown.has(one)).length;
  const isLast = alike.findLast((one) => shown.has(one)) === each;
  const words = [
    ...(isOneObject ? [] : [clipped(refText(of), longestName)]),
    ...(isLast && left > 0 ? [`and ${left} more`] : []),
  ];
  return words.length === 0 ? remedy : { ...remedy, title: `${remedy.title} (${words.join(', ')})` };
}

/** A command without its undo, or the reverse, is worse than neither. */
function withPrintedCommands(remedy: Remedy): Remedy {
  const { title, command, undo } = remedy;
  if ([command, undo].every((each) => each === undefined || asPrinted(each) !== undefined)) return remedy;
  const why = 'no command: a name in it has signs or words that are not printed as they are';
  return { ...remedy, title: `${title} (${why})`, command: undefined, undo: undefined };
}
