import type { Cause } from '../openshift/render-cause.ts';
import { classWords } from './class-words.ts';
import type { PendingChange } from './pending-change.ts';

/** Why the pool renders anew, in words; empty: not known. */
export function causeText({ causes }: Pick<PendingChange, 'causes'>): string {
  const [first, second, ...more] = causes.map(oneCause);
  if (first === undefined) return '';
  const others = more.length === 0 ? '' : `; and ${more.length} more`;
  return second === undefined ? first : `${first}; ${second}${others}`;
}

/** Where nobody is known who did it, what it was done to. */
function oneCause({ kind, sources, why }: Cause): string {
  const isNobodys = (kind === 'unmanaged' || kind === 'membership') && sources.length > 0;
  return isNobodys ? `MachineConfig ${sources.join(', ')} (${why})` : why;
}

/** What it is and what it means for the nodes, in words. */
export function contentText({ parts, partsInAll, security, unread, ...change }: PendingChange): string {
  if (unread !== undefined) return `what it holds is not known: ${unread}`;
  const named = parts.slice(0, 3);
  const more = partsInAll - named.length;
  const what = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const concerns = security.length === 0 ? '' : `; concerns ${security.slice(0, 4).join(', ')}`;
  return `${what === '' ? 'nothing that can be named' : what}; ${classText(change)}${concerns}`;
}

function classText({ class: worst, isByDefault }: Pick<PendingChange, 'class' | 'isByDefault'>): string {
  const means = `nodes ${classWords(worst)}`;
  return isByDefault === true ? `${means}, by the defaults of the Machine Config Operator` : means;
}
