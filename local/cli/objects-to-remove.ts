import { accessObjects } from '../manifests/access.ts';
import { admissionLimitObjects } from '../manifests/admission-limit.ts';
import type { KubeObject } from '../manifests/kube-object.ts';
import { accountName } from '../manifests/manifests.ts';
import { type GrantedRights, rightsOf } from './granted-rights.ts';
import { objectPath } from './object-path.ts';

/** Whatever may have been installed, in the order of removal: what lets the account pause goes first, and its
 *  namespace last. */
export function objectsToRemove(
  namespace: string,
  { argocdNamespaces, rights }: { readonly argocdNamespaces: readonly string[]; readonly rights: GrantedRights },
): readonly KubeObject[] {
  const account = { namespace, name: accountName };
  const given = { pauses: true, pools: [], argocdNamespaces, pausesHealthChecks: true, readsLogs: true };
  const made = [
    ...accessObjects({ account, ...given }),
    ...argocdNamespaces.flatMap((guardsIn) => accessObjects({ account, ...given, guardsIn }).filter(isOfGuards)),
  ];
  // Applications and AppProjects may have gone from where it was given rights.
  const paths = new Set(made.map(objectPath));
  const more = rightsOf(rights, namespace).filter((object) => !paths.has(objectPath(object)));
  const [bindings, others] = [made.filter(isBinding), made.filter((object) => !isBinding(object))];
  const limits = admissionLimitObjects({
    account,
    pools: [],
    restartsSyncs: true,
    guardsSyncs: true,
    letsNodesGo: true,
    pausesHealthChecks: true,
  });
  return [
    ...[...bindings, ...more.filter(isBinding)].toSorted((a, b) => Number(isPausing(b)) - Number(isPausing(a))),
    ...limits.toReversed(),
    ...more.filter((object) => !isBinding(object)),
    ...others.toReversed(),
  ];
}

function isOfGuards({ metadata: { name } }: KubeObject): boolean {
  return name.endsWith('-guards');
}

export function isBinding({ kind }: KubeObject): boolean {
  return kind.endsWith('RoleBinding');
}

/** By which the account may pause and resume pools. */
export function isPausing({ kind, metadata: { name } }: KubeObject): boolean {
  return kind === 'ClusterRoleBinding' && name.endsWith('-pause');
}
