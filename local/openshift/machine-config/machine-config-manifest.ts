import type { MachineConfig } from '../api-server/cluster-objects.ts';

/** Contents of the files that a node gets, by path. */
export type Files = Readonly<Record<string, string>>;

/** A MachineConfig that writes files to the nodes of a role, complete as in a Git repository. */
export function machineConfigManifest(
  name: string,
  role: string,
  files: Files,
): Pick<MachineConfig, 'apiVersion' | 'kind' | 'spec'> & {
  metadata: { name: string; labels: Record<string, string> };
} {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels: { 'machineconfiguration.openshift.io/role': role } },
    spec: {
      config: {
        ignition: { version: '3.4.0' },
        storage: {
          files: Object.entries(files).map(([path, text]) => ({
            path,
            mode: 0o644,
            overwrite: true,
            contents: { source: `data:,${encodeURIComponent(text)}` },
          })),
        },
      },
    },
  };
}
