/** Where the machine config parts run and where their events about nodes and pools go. */
export const mcoNamespace = 'openshift-machine-config-operator';
