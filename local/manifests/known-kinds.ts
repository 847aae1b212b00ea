/** A kind by which gates wait, as RBAC names it. */
export interface KnownKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly plural: string;
}

/** Kinds that gates wait for, with the names that `oc` takes besides the plural: kind in small letters and short
 *  names. Nobody asks a cluster here, so a kind that is not in this list is written with its group. */
const kinds: readonly (readonly [string, string, ...string[]])[] = [
  ['', 'configmaps', 'configmap', 'cm'],
  ['', 'endpoints', 'ep'],
  ['', 'namespaces', 'namespace', 'ns'],
  ['', 'nodes', 'node', 'no'],
  ['', 'persistentvolumeclaims', 'persistentvolumeclaim', 'pvc'],
  ['', 'persistentvolumes', 'persistentvolume', 'pv'],
  ['', 'pods', 'pod', 'po'],
  ['', 'secrets', 'secret'],
  ['', 'serviceaccounts', 'serviceaccount', 'sa'],
  ['', 'services', 'service', 'svc'],
  ['admissionregistration.k8s.io', 'mutatingwebhookconfigurations', 'mutatingwebhookconfiguration'],
  ['admissionregistration.k8s.io', 'validatingwebhookconfigurations', 'validatingwebhookconfiguration'],
  ['apiextensions.k8s.io', 'customresourcedefinitions', 'customresourcedefinition', 'crd', 'crds'],
  ['apps', 'daemonsets', 'daemonset', 'ds'],
  ['apps', 'deployments', 'deployment', 'deploy'],
  ['apps', 'statefulsets', 'statefulset', 'sts'],
  ['argoproj.io', 'applications', 'application', 'app', 'apps'],
  ['batch', 'jobs', 'job'],
  ['cdi.kubevirt.io', 'cdis', 'cdi'],
  ['cdi.kubevirt.io', 'datavolumes', 'datavolume', 'dv', 'dvs'],
  ['ceph.rook.io', 'cephclusters', 'cephcluster'],
  ['config.openshift.io', 'clusteroperators', 'clusteroperator', 'co'],
  ['config.openshift.io', 'clusterversions', 'clusterversion'],
  ['discovery.k8s.io', 'endpointslices', 'endpointslice'],
  ['hco.kubevirt.io', 'hyperconvergeds', 'hyperconverged', 'hco', 'hcos'],
  ['kubevirt.io', 'kubevirts', 'kubevirt', 'kv', 'kvs'],
  ['kubevirt.io', 'virtualmachines', 'virtualmachine', 'vm', 'vms'],
  ['machineconfiguration.openshift.io', 'machineconfigpools', 'machineconfigpool', 'mcp'],
  ['machineconfiguration.openshift.io', 'machineconfigs', 'machineconfig', 'mc'],
  ['noobaa.io', 'noobaas', 'noobaa', 'nb'],
  ['objectbucket.io', 'objectbucketclaims', 'objectbucketclaim', 'obc', 'obcs'],
  ['ocs.openshift.io', 'storageclusters', 'storagecluster'],
  ['olm.operatorframework.io', 'clusterextensions', 'clusterextension'],
  ['operator.openshift.io', 'ingresscontrollers', 'ingresscontroller'],
  ['operators.coreos.com', 'catalogsources', 'catalogsource', 'catsrc'],
  ['operators.coreos.com', 'clusterserviceversions', 'clusterserviceversion', 'csv', 'csvs'],
  ['operators.coreos.com', 'installplans', 'installplan', 'ip'],
  ['operators.coreos.com', 'subscriptions', 'subscription', 'sub', 'subs'],
  ['quay.redhat.com', 'quayregistries', 'quayregistry'],
  ['rbac.authorization.k8s.io', 'clusterroles', 'clusterrole'],
  ['route.openshift.io', 'routes', 'route'],
  ['security.openshift.io', 'securitycontextconstraints', 'scc'],
  ['snapshot.storage.k8s.io', 'volumesnapshotclasses', 'volumesnapshotclass', 'vsclass', 'vsclasses'],
  ['storage.k8s.io', 'csidrivers', 'csidriver'],
  ['storage.k8s.io', 'storageclasses', 'storageclass', 'sc'],
];

/** The kind that `oc` means by a name, as far as that is known without a cluster; undefined: it is not. With a group
 *  the plural is believed: `filesystems.scale.spectrum.ibm.com`. */
export function knownKind(written: string): KnownKind | undefined {
  const [name = '', ...rest] = written.toLowerCase().split('.');
  // `deployments.v1.apps`: the version is none of the group.
  const group = (/^v\d+(?:(?:alpha|beta)\d+)?$/.test(rest[0] ?? '') ? rest.slice(1) : rest).join('.');
  const named = kinds.find(([itsGroup, ...names]) => names.includes(name) && (rest.length === 0 || itsGroup === group));
  if (named !== undefined) return { group: named[0], plural: named[1] };
  return group !== '' && written === written.toLowerCase() && name.endsWith('s') ? { group, plural: name } : undefined;
}
