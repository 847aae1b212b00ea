import { fieldManager } from './hold.ts';
import type { PauseAuthor, Pool } from './pool.ts';

/** Whose the pause of a pool is: of who has written it, or of Argo CD where its record says that Git pauses the pool,
 *  for as long as that is so.
 *  @param writer of the pause, as the API server names it */
export function pauseAuthor(
  { paused, appliedPausedBy, record }: Pick<Pool, 'paused' | 'appliedPausedBy' | 'record'>,
  writer: PauseAuthor | undefined,
): PauseAuthor | undefined {
  const inGit = record.kind === 'record' ? record.record.pausedInGit : undefined;
  const isInGit = paused && appliedPausedBy !== undefined && writer?.manager === fieldManager;
  return inGit !== undefined && isInGit ? { manager: inGit.by, at: inGit.at } : writer;
}
