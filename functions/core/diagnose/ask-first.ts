import type { Remedy } from '../findings/trouble.ts';
import { quoted } from '../text/phrases.ts';
import { remedy } from './remedies.ts';

/** In place of a command that would end somebody's pause, too: nothing to type before they have agreed.
 *  @param title what the command would do, as an order
 *  @param since why they are asked */
export function askFirst(
  { who, why }: Readonly<Record<'who' | 'why', string>>,
  title: string,
  since = 'go-on ends that pause, too',
): Remedy {
  return remedy(`${title}: ask ${who} first, who has paused it (${quoted(why)}), since ${since}`);
}
