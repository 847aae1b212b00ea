/** Namespace of the machine config pods and of their events about nodes and pools. */
export const mcoNamespace = 'openshift-machine-config-operator';
