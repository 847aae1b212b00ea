import { quoted } from '../text/phrases.ts';
import type { Pool } from './pool.ts';

/** How a person keeps a pool paused that Poolkeeper has paused already. `oc patch mcp ... paused: true` changes nothing
 *  there, so it leaves no trace; this annotation does, with `oc` alone. Setting it takes write access to pools. */
export const keepPausedAnnotation = 'poolkeeper.dev/keep-paused';

/** Characters of the reason that are shown. */
const reasonCharacters = 200;

/** Why a person keeps it paused, in that person's words; undefined: nobody does. */
export function whyKeptPaused({ annotations }: Pick<Pool, 'annotations'>): string | undefined {
  const reason = annotations[keepPausedAnnotation];
  if (reason === undefined) return undefined;
  return reason.trim() === '' ? 'no reason given' : reason.trim().slice(0, reasonCharacters);
}

/** As a clause of its own.
 *  @param why {@link whyKeptPaused} */
export function keptPausedWords(why: string): string {
  return `a person keeps it paused with annotation ${keepPausedAnnotation}: ${why}`;
}

/** The same for the middle of a sentence, where a resume would go past it. Empty: nobody does. */
export function keptPausedText(pool: Pick<Pool, 'annotations'>): string {
  const why = whyKeptPaused(pool);
  return why === undefined ? '' : `a person's annotation ${keepPausedAnnotation} (${quoted(why, 160)})`;
}
