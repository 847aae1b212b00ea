import type { Draft } from './kube.ts';

const mcoVersion = 'machineconfiguration.openshift.io/v1';
const roleLabel = 'machineconfiguration.openshift.io/role';

export interface PoolDraft {
  readonly name: string;
  /** Roles whose MachineConfigs it takes: `worker` and its own by default, as a custom pool does. */
  readonly roles?: readonly string[];
  readonly paused?: boolean;
  readonly maxUnavailable?: number | string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function pool({ name, roles, paused, maxUnavailable, labels = {}, annotations = {} }: PoolDraft): Draft {
  const values = roles ?? [...new Set(['worker', name])];
  return {
    apiVersion: mcoVersion,
    kind: 'MachineConfigPool',
    metadata: {
      name,
      annotations,
      labels: { [`pools.operator.machineconfiguration.openshift.io/${name}`]: '', ...labels },
    },
    spec: {
      machineConfigSelector: { matchExpressions: [{ key: roleLabel, operator: 'In', values }] },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
      ...(paused === undefined ? {} : { paused }),
      ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    },
  };
}

/** A MachineConfig that writes one file, which is what makes it differ from another. */
export function machineConfig(name: string, role: string, content = name): Draft {
  const source = `data:,${encodeURIComponent(content)}`;
  return {
    apiVersion: mcoVersion,
    kind: 'MachineConfig',
    metadata: { name, labels: { [roleLabel]: role } },
    spec: {
      config: {
        ignition: { version: '3.4.0' },
        storage: { files: [{ path: `/etc/lab/${name}`, mode: 0o644, contents: { source } }] },
      },
    },
  };
}

/** A node with the labels of its roles. It says nothing about its state until the stand-in or a test does. */
export function node(name: string, ...roles: readonly string[]): Draft {
  const labels = roles.map((role) => [`node-role.kubernetes.io/${role}`, '']);
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: Object.fromEntries(labels) } };
}
