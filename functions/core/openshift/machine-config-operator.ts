/** Where the Machine Config Operator and its parts run. */
export const mcoNamespace = 'openshift-machine-config-operator';

/** Its ClusterOperator: what it says of itself, and the version it has reached. */
export const mcoClusterOperatorPath = '/apis/config.openshift.io/v1/clusteroperators/machine-config';
