import type { Snapshot } from '../../core/holds/snapshot.ts';
import { type BreakGlassExemption, breakGlassQuestions, readBreakGlass } from '../../core/judge/break-glass.ts';
import { refusingPools } from '../../core/openshift/managed-pools.ts';
import { notAsked, type Observed, seen, unreadable } from '../../core/text/observed.ts';
import type { ClusterPorts } from '../keep-ports.ts';

/** A few short lists with each sweep, where the API server refuses changes to unpaused pools. Elsewhere the answer is
 *  none, so that earlier findings are resolved. */
export async function readBreakGlassExemptions(
  { snapshot, swept }: { readonly snapshot: Snapshot; readonly swept: boolean },
  { reader }: Pick<ClusterPorts, 'reader'>,
): Promise<Observed<readonly BreakGlassExemption[]>> {
  if (refusingPools(snapshot.settings).length === 0) return seen([]);
  if (!swept) return notAsked;
  const found = readBreakGlass(await Promise.all(breakGlassQuestions.map((question) => reader.read(question))));
  return found === undefined ? unreadable('not every kind could be listed') : seen(found);
}
