/** Label by which a MachineConfig says for whom it is. */
export const roleLabel = 'machineconfiguration.openshift.io/role';
