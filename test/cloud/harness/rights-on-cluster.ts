/** What the token may do that the deployed functions get: read what is judged and diagnosed, patch pools, write events. */
export const rightsOnCluster = [
  {
    apiGroups: ['machineconfiguration.openshift.io'],
    resources: ['machineconfigpools'],
    verbs: ['get', 'list', 'watch', 'patch'],
  },
  {
    apiGroups: ['machineconfiguration.openshift.io'],
    resources: ['machineconfigs', 'machineconfignodes', 'kubeletconfigs', 'containerruntimeconfigs'],
    verbs: ['get', 'list'],
  },
  { apiGroups: [''], resources: ['nodes', 'pods', 'events'], verbs: ['get', 'list'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['get', 'list'] },
  { apiGroups: ['config.openshift.io'], resources: ['clusterversions', 'clusteroperators'], verbs: ['get', 'list'] },
  { apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['get', 'list'] },
] as const;
