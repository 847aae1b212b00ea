import type { Snapshot } from '../../core/holds/snapshot.ts';
import { type BreakGlassExemption, breakGlassQuestions, readBreakGlass } from '../../core/judge/break-glass.ts';
import type { ClusterPorts } from '../keep-ports.ts';

/** A few short lists with each sweep, where the admission level is in use. None elsewhere, so that what stood there
 *  once is told as over. */
export async function readBreakGlassExemptions(
  { snapshot, swept }: { readonly snapshot: Snapshot; readonly swept: boolean },
  { reader }: Pick<ClusterPorts, 'reader'>,
): Promise<readonly BreakGlassExemption[] | 'not looked at'> {
  const isInUse = Object.values(snapshot.settings.pools).some(({ protection }) => protection === 'admission');
  if (!isInUse) return [];
  if (!swept) return 'not looked at';
  return (
    readBreakGlass(await Promise.all(breakGlassQuestions.map((question) => reader.read(question)))) ?? 'not looked at'
  );
}
