/** Why a pool renders anew. `template`: something of the cluster that cannot be told apart without reading content;
 *  `unmanaged`: changed, and no Application manages it; `membership`: it came or went, and no Application manages
 *  it. */
export type CauseKind =
  | 'git'
  | 'release-image'
  | 'certificates'
  | 'pull-secret'
  | 'proxy'
  | 'template'
  | 'kubelet-config'
  | 'container-runtime-config'
  | 'registries'
  | 'cluster-settings'
  | 'tuning'
  | 'another-operator'
  | 'unmanaged'
  | 'membership';

export interface Cause {
  readonly kind: CauseKind;
  /** MachineConfigs that came, went or changed for it. */
  readonly sources: readonly string[];
  /** Whom to ask: Application and commit for `git`, else who or what did it. */
  readonly why: string;
  /** Of `git`: what it was synced to. The commit is empty when it is not known. */
  readonly by?: { readonly application: string; readonly revision: string } | undefined;
}
