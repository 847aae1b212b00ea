import { accessObjects } from '../../manifests/access.ts';
import { admissionLimitObjects } from '../../manifests/admission-limit.ts';
import type { KubeObject } from '../../manifests/kube-object.ts';
import { accountName } from '../../manifests/manifests.ts';
import { type GrantedRights, pausingBindings, rightsOf } from './granted-rights.ts';
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
  const isPausing = pausingAmong(rights, namespace);
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

/** By which the account may pause and resume pools: by the rules of the role, and by the name of ours, whose role may
 *  not be read, or be gone. */
export function pausingAmong(rights: GrantedRights, namespace: string): (binding: KubeObject) => boolean {
  const paths = new Set(pausingBindings(rights, namespace).map(objectPath));
  return (binding) =>
    paths.has(objectPath(binding)) ||
    (binding.kind === 'ClusterRoleBinding' && binding.metadata.name.endsWith('-pause'));
}
