import { asPrinted } from '../text/shell-words.ts';
import type { Finding, Remedy } from './trouble.ts';

const riskOrder: readonly Remedy['risk'][] = ['none', 'low', 'outage', 'data-loss'];

/** Every surface offers remedies in this order: lowest risk first, those of the root cause before those of its
 *  consequences, each title once. A command that cannot be printed as it is is left out, which its title says. */
export function remediesInOrder(findings: readonly Finding[]): readonly Remedy[] {
  const all = findings.flatMap(rootCauseFirst);
  // Reversed, so that of equal titles the map keeps the remedy of the root cause.
  return [...new Map(all.toReversed().map((each) => [each.title, each])).values()]
    .toReversed()
    .toSorted((a, b) => riskOrder.indexOf(a.risk) - riskOrder.indexOf(b.risk))
    .map(withPrintedCommands);
}

function rootCauseFirst({ because, remedies }: Finding): readonly Remedy[] {
  return [...because.flatMap(rootCauseFirst), ...remedies];
}

/** A command without its undo, or the reverse, is worse than neither. */
function withPrintedCommands(remedy: Remedy): Remedy {
  const { title, command, undo } = remedy;
  if ([command, undo].every((each) => each === undefined || asPrinted(each) !== undefined)) return remedy;
  const why = 'no command: a name in it has signs or words that are not printed as they are';
  return { ...remedy, title: `${title} (${why})`, command: undefined, undo: undefined };
}
