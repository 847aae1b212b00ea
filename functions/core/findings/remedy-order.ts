import type { Finding, Remedy } from './trouble.ts';

const riskOrder: readonly Remedy['risk'][] = ['none', 'low', 'outage', 'data-loss'];

/** Every surface offers remedies in this order: lowest risk first, those of the root cause before those of its
 *  consequences, each title once. */
export function remediesInOrder(findings: readonly Finding[]): readonly Remedy[] {
  const all = findings.flatMap(rootCauseFirst);
  // Reversed, so that of equal titles the map keeps the remedy of the root cause.
  return [...new Map(all.toReversed().map((each) => [each.title, each])).values()]
    .toReversed()
    .toSorted((a, b) => riskOrder.indexOf(a.risk) - riskOrder.indexOf(b.risk));
}

function rootCauseFirst({ because, remedies }: Finding): readonly Remedy[] {
  return [...because.flatMap(rootCauseFirst), ...remedies];
}
