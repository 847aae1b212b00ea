/** Why a pool was re-rendered. `template`: a cluster setting that cannot be identified without reading content;
 *  `unmanaged`: changed, and not managed by any Application; `membership`: added or removed, and not managed by any
 *  Application. */
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
  /** MachineConfigs that were added, removed or changed. */
  readonly sources: readonly string[];
  /** Origin for people: Application and commit for `git`, else who or what did it. */
  readonly why: string;
  /** For `git`: what it was synced to. The commit is empty if unknown; `oneOf`: it is one of these, of an Application
   *  of several sources. */
  readonly by?:
    | { readonly application: string; readonly revision: string; readonly oneOf?: readonly string[] | undefined }
    | undefined;
}
