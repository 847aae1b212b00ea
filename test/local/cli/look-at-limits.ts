import { lookAtAdmission } from '../../../local/cli/doctor/look-at-admission.ts';
import type { KubeObject } from '../../../local/manifests/kube-object.ts';

/** What the doctor reads of these objects on a cluster, which writes its defaults into them. */
export async function lookAt(objects: readonly KubeObject[]) {
  const ofKind = (kind: string) => objects.filter((each) => each.kind === kind).map((each) => structuredClone(each));
  const defaults = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
  const policies = ofKind('ValidatingAdmissionPolicy').map(({ spec, ...each }) => {
    const { matchConstraints, ...others } = spec as { readonly matchConstraints: { readonly resourceRules: object[] } };
    const resourceRules = matchConstraints.resourceRules.map((rule) => ({ ...rule, scope: '*' }));
    return { ...each, spec: { ...others, matchConstraints: { ...defaults, ...matchConstraints, resourceRules } } };
  });
  const lists: Readonly<Record<string, readonly object[]>> = {
    validatingadmissionpolicies: policies,
    validatingadmissionpolicybindings: ofKind('ValidatingAdmissionPolicyBinding'),
  };
  const seen = await lookAtAdmission({
    get: async () => ({ resources: [{ name: 'validatingadmissionpolicies' }] }),
    list: async (path) => [...(lists[path.split('/').at(-1) ?? ''] ?? [])],
  });
  return { limits: seen.limits, bindings: seen.bindings };
}
