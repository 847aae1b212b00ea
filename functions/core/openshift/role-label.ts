/** Label with the role that a MachineConfig is for. */
export const roleLabel = 'machineconfiguration.openshift.io/role';
