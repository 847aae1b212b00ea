import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import type { ChangedFile, FilesRead } from '../../../functions/core/routing/changed-file.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { commitB, type KeepLab } from '../keep-pools/keep-lab.ts';

const role = 'machineconfiguration.openshift.io/role';

export function machineConfigText(name: string, forRole = 'worker'): string {
  return `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: ${name}, labels: {${role}: ${forRole}}}
spec: {config: {ignition: {version: 3.4.0}}}
`;
}

/** One changed file; undefined: it is not there at that commit. */
export function changedFile(path: string, before: string | undefined, after: string | undefined): ChangedFile {
  const observed = (text: string | undefined): ChangedFile['before'] =>
    text === undefined ? { kind: 'absent' } : { kind: 'text', text };
  return { path, before: observed(before), after: observed(after) };
}

/** Delivers a push of commit B, or another, on A that changes these files; everything else the Git host knows is in
 *  `read`. */
export async function pushFiles(
  lab: KeepLab,
  files: readonly ChangedFile[],
  {
    read = {},
    ports = {},
    revision = commitB,
  }: { readonly read?: Partial<FilesRead>; readonly ports?: Partial<KeepPorts>; readonly revision?: string } = {},
): Promise<void> {
  const answer: FilesRead = {
    files,
    tools: [],
    folders: { appeared: [], vanished: [] },
    incomplete: undefined,
    ...read,
  };
  await keep(lab.pushOf(revision, { files: { kind: 'known', paths: files.map(({ path }) => path) } }), {
    ...lab.ports,
    changes: { repositories: { readChange: async () => answer }, manifestReader },
    ...ports,
  });
}
