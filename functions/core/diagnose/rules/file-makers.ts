/** From what the MCO makes a file of a node, so that a file that differs leads to the place where it is changed.
 *  Source: machine-config-operator, templates/ and the controllers that generate MachineConfigs. */
export interface FileMaker {
  /** For a sentence: `Proxy cluster`. */
  readonly from: string;
  /** What to do instead of editing the file. */
  readonly change: string;
}

const release = 'the templates of the release';

const makers: readonly (readonly [RegExp, string])[] = [
  [
    /^\/etc\/containers\/(?:registries\.conf|registries\.d|policy\.json)/,
    'Image cluster and the mirror sets (ImageDigestMirrorSet, ImageTagMirrorSet, ImageContentSourcePolicy)',
  ],
  [/^\/etc\/kubernetes\/kubelet\.conf$/, 'KubeletConfig, FeatureGate cluster and APIServer cluster'],
  [/^\/etc\/kubernetes\/cloud\.conf$/, 'ConfigMap openshift-config/cloud-provider-config'],
  [/^\/etc\/crio\/crio\.conf/, 'ContainerRuntimeConfig'],
  [/^\/var\/lib\/kubelet\/config\.json$/, 'Secret openshift-config/pull-secret'],
  [/^\/etc\/pki\/ca-trust\/source\/anchors\/openshift-config-user-ca-bundle\.crt$/, 'trustedCA of Proxy cluster'],
  [/^\/etc\/(?:mco\/proxy\.env|systemd\/system\.conf\.d\/10-default-env\.conf)/, 'Proxy cluster'],
  [/^\/usr\/local\/bin\/configure-ovs\.sh$|^\/etc\/NetworkManager\/dispatcher\.d\//, release],
];

export function makerOfFile(path: string): FileMaker | undefined {
  const from = makers.find(([pattern]) => pattern.test(path))?.[1];
  if (from === undefined) return undefined;
  return {
    from,
    change:
      from === release
        ? 'Put the file back as the release has it; what is to be different needs a file of its own'
        : `Put the file back; what should be different in it is set in ${from}, in Git`,
  };
}
