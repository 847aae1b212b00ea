import { accessObjects } from '../manifests/access.ts';
import { admissionLimitObjects } from '../manifests/admission-limit.ts';
import type { KubeObject } from '../manifests/kube-object.ts';
import { accountName } from '../manifests/manifests.ts';
/** Whatever may have been installed, in the order of removal: what lets the account write goes first, its namespace
 *  last. */
export function objectsToRemove(namespace: string, argocdNamespaces: readonly string[]): readonly KubeObject[] {
  const account = { namespace, name: accountName };
  const given = { pauses: true, pools: [], argocdNamespaces, pausesHealthChecks: true, readsLogs: true };
  const made = [
    ...accessObjects({ account, ...given }),
    ...argocdNamespaces.flatMap((guardsIn) => accessObjects({ account, ...given, guardsIn }).filter(isOfGuards)),
  ];
  const [bindings, others] = [made.filter(isBinding), made.filter((object) => !isBinding(object))];
  const limits = admissionLimitObjects({
    account,
    pools: [],
    restartsSyncs: true,
    guardsSyncs: true,
    letsNodesGo: true,
    pausesHealthChecks: true,
  });
  return [...bindings, ...limits.toReversed(), ...others.toReversed()];
}

function isOfGuards({ metadata: { name } }: KubeObject): boolean {
  return name.endsWith('-guards');
}

export function isBinding({ kind }: KubeObject): boolean {
  return kind.endsWith('RoleBinding');
}
