import type { ObjectName } from '../argocd/application.ts';
import { kindWord } from '../text/kind-words.ts';
import { jsonPatch } from '../text/shell-words.ts';

/** Why it is not Argo CD's own command. */
export const refusedByGuard = 'The API of Argo CD refuses that while its guard is closed';

/** The command that asks for a sync of a guarded Application: Argo CD's own API refuses one while a window denies it.
 *  Refused while there is an operation. What Argo CD says of the one before goes: it would count those results as the
 *  results of this one.
 *  @param resources Objects to sync and no others; empty: all of it */
export function syncByHand(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  resources: readonly ObjectName[] = [],
): string {
  const sync = resources.length === 0 ? {} : { resources };
  const patch = [
    { op: 'test', path: '/operation', value: null },
    { op: 'remove', path: '/status/operationState' },
    { op: 'add', path: '/operation', value: { initiatedBy: { username: 'by hand' }, sync } },
  ];
  return jsonPatch({ kind: kindWord('Application'), name, namespace }, patch);
}
