const labelOf = (role: string) => `node-role.kubernetes.io/${role}`;

/** A member of etcd alone, without an API server. */
export const arbiterLabel = labelOf('arbiter');

/** Of nodes that an API server runs on: by its old name and by its new one. */
export const apiServerLabels: readonly string[] = ['master', 'control-plane'].map(labelOf);

/** Of nodes that etcd runs on. */
export const controlPlaneLabels: readonly string[] = [...apiServerLabels, arbiterLabel];
