import type { Snapshot } from '../../core/holds/snapshot.ts';
import { type BrokenGlass, glassQuestions, readGlass } from '../../core/judge/broken-glass.ts';
import type { ClusterPorts } from '../keep-ports.ts';

/** A few short lists with each sweep, where the admission level is in use. None elsewhere, so that what stood there once is told as over. */
export async function lookForGlass(
  { snapshot, swept }: { readonly snapshot: Snapshot; readonly swept: boolean },
  { looker }: Pick<ClusterPorts, 'looker'>,
): Promise<readonly BrokenGlass[] | 'not looked at'> {
  const isInUse = Object.values(snapshot.settings.pools).some(({ protection }) => protection === 'admission');
  if (!isInUse) return [];
  if (!swept) return 'not looked at';
  return readGlass(await Promise.all(glassQuestions.map((question) => looker.look(question)))) ?? 'not looked at';
}
