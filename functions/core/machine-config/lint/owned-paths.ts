/** Files that the Machine Config Operator writes and checks on every node, or that belong to its daemon. Source:
 *  machine-config-operator templates/, pkg/daemon, and the default policy in pkg/apihelpers/apihelpers.go. */
const owned: readonly RegExp[] = [
  /^\/etc\/kubernetes\/(?:kubelet\.conf|kubelet-ca\.crt|ca\.crt|kubeconfig|cloud\.conf|apiserver-url\.env|kubelet-plugins\/.*|credential-providers\/.*)$/,
  /^\/etc\/(?:machine-config-daemon|mco|ignition-machine-config-encapsulated\.json)(?:\/.*)?$/,
  /^\/run\/machine-config-daemon-force$/,
  /^\/etc\/containers\/(?:registries\.conf|policy\.json|storage\.conf|registries\.d\/.*)$/,
  /^\/etc\/crio\/(?:crio\.conf|crio\.conf\.d\/(?:00-default|01-ctrcfg-.*)|policies\/.*)$/,
  /^\/etc\/systemd\/system\/(?:kubelet|crio|machine-config-daemon-[a-z-]*)\.service(?:\.d\/.*)?$/,
  /^\/var\/lib\/kubelet\/config\.json$/,
  /^\/etc\/pki\/ca-trust\/source\/anchors\/openshift-config-user-ca-bundle\.crt$/,
  /^\/(?:var\/)?home\/core\/\.ssh\/authorized_keys(?:\.d\/.*)?$/,
  /^\/etc\/(?:tmpfiles\.d\/cleanup-cni\.conf|sysctl\.d\/inotify\.conf)$/,
];

/** Whole folders of which the operator owns more than is left when they go. */
const ownedFolders =
  /^\/etc\/(?:kubernetes|containers|crio|crio\/crio\.conf\.d|containers\/registries\.d|systemd\/system\/(?:kubelet|crio)\.service\.d)\/?\*?$/;

/** `path` as a script writes it: below another root, or with doubled slashes. */
export function plainPath(path: string): string {
  return path
    .slice(0, 1_000)
    .replace(/\/+/g, '/')
    .replace(/^\/(?:host|rootfs|sysroot)(?=\/)/, '')
    .replace(/^\/var\/run(?=\/)/, '/run');
}

export function isOwned(path: string): boolean {
  return owned.some((pattern) => pattern.test(path));
}

export function isOwnedFolder(path: string): boolean {
  return ownedFolders.test(path);
}
