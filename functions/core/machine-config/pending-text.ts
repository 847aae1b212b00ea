import type { Cause } from '../openshift/render-cause.ts';
import { classWords } from './class-words.ts';
import type { PendingChange } from './pending-change.ts';

/** Why the pool was re-rendered, in words; empty: unknown. */
export function causeText({ causes }: Pick<PendingChange, 'causes'>): string {
  const [first, second, ...more] = causes.map(oneCause);
  if (first === undefined) return '';
  const others = more.length === 0 ? '' : `; and ${more.length} more`;
  return second === undefined ? first : `${first}; ${second}${others}`;
}

/** If its origin is unknown, the object is named. */
function oneCause({ kind, sources, why }: Cause): string {
  const isNobodys = (kind === 'unmanaged' || kind === 'membership') && sources.length > 0;
  return isNobodys ? `MachineConfig ${sources.join(', ')} (${why})` : why;
}

/** Contents of the change and its effect on nodes, in words. */
export function contentText({ parts, partsInAll, security, unread, ...change }: PendingChange): string {
  if (unread !== undefined) return `contents unknown: ${unread}`;
  const named = parts.slice(0, 3);
  const more = partsInAll - named.length;
  const what = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const concerns = security.length === 0 ? '' : `; concerns ${security.slice(0, 4).join(', ')}`;
  return `${what === '' ? 'nothing specific' : what}; ${classText(change)}${concerns}`;
}

function classText({ class: worst, isByDefault }: Pick<PendingChange, 'class' | 'isByDefault'>): string {
  const means = `nodes ${classWords(worst)}`;
  return isByDefault === true ? `${means}, by the default disruption policy` : means;
}
