import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { type NodeReason, type RegistryAnswer, readNodeReason } from '../text/node-reason.ts';
import { type DegradedRule, errorOf, fitsRule, look, onNode } from './degraded-rule.ts';
import { pull, rpmOstree } from './os-steps.ts';

/** Where the node and rpm-ostree keep what they show to a registry. */
const secretFile = /auth\.json|\/kubelet\/config\.json|\.docker\/config\.json|\bauth ?files?\b|credentials file/i;
const unusable =
  /no such file|permission denied|unmarshal|invalid character|unexpected end of json|reading json|illegal base64|file exists|not accessible|os error/i;

/** The image of the operating system on its way from the registry into the repository of the node. Source of the
 *  wordings: containers/image, ostree-rs-ext (container, tar). */
export const imageErrors: readonly DegradedRule[] = [
  {
    code: 'N32',
    fits: ({ error, registry }) => registry === undefined && secretFile.test(error) && unusable.test(error),
    confidence: 'likely',
    class: 'external',
    explain: secretUnusable,
  },
  {
    code: 'N5',
    context: pull,
    fits: ({ registry }) => registry !== undefined,
    confidence: 'strong',
    class: 'external',
    explain: cannotPull,
  },
  {
    code: 'N5',
    words:
      /^(?:error )?pinging (?:container|docker) registry|initializing source|reading manifest|error (?:pulling|copying) image/i,
    confidence: 'likely',
    class: 'external',
    explain: cannotPull,
  },
  {
    code: 'N5',
    words: /manifest unknown|received unexpected HTTP status/i,
    confidence: 'strong',
    class: 'external',
    explain: cannotPull,
  },
  {
    code: 'N36',
    words:
      /image has (?:architecture|\d+ non-ostree layers)|does not have \S+ label|image is missing container configuration|found multiple commit objects|expected commit object|invalid tar entry|missing \S+ metadata on merge commit|failed to find \S+ metadata key|unhandled layer type|xattrs (?:reference|link|content)|multiple entries for|no layers (?:found|in manifest)|invalid (?:metadata )?object type|duplicate object|skopeo too old|missing config labels?/i,
    context: rpmOstree,
    confidence: 'likely',
    class: 'structural',
    explain: (reason, { node }) => ({
      sentence: `The rpm-ostree of ${node.name} cannot process the image of the new operating system: ${errorOf(reason)}. Possible: the image is of another architecture or is no bootable one, or this rpm-ostree is too old for it.`,
      remedies: [
        look('See its release', onNode(node.name, 'rpm-ostree', '--version')),
        look(
          'See the architecture and the labels of the image',
          onNode(
            node.name,
            'skopeo',
            'inspect',
            '--authfile',
            '/var/lib/kubelet/config.json',
            `docker://${reason.image === '' ? 'IMAGE' : reason.image}`,
          ),
        ),
        remedy('Correct osImageURL in Git, or update to a release between the two first'),
      ],
    }),
  },
  {
    code: 'N5',
    words:
      /OpenImage|FinishPipe|creating importer|fetching manifest|signature|policy|invalid reference|invalid (?:ostree )?image reference|unsupported (?:image|transport)|blob|manifest|no such image|no image found|short-name|registries configuration|unknown transport/i,
    context: pull,
    fits: ({ words }) => !/permission denied|operation not permitted|broken pipe/i.test(words),
    confidence: 'likely',
    class: 'external',
    explain: cannotPull,
  },
  {
    code: 'N32',
    words:
      /pull secrets?|auth ?file|unable to retrieve auth|image pull secret data|(?:mounted|on-disk) secrets?|unknown system value/i,
    fits: ({ words }) => !/no space/i.test(words),
    confidence: 'likely',
    class: 'external',
    explain: secretUnusable,
  },
];

function secretUnusable(reason: NodeReason, { node: { name: node } }: NodeSubject) {
  return {
    sentence: `The pull secret on ${node} cannot be used: ${errorOf(reason)}.`,
    remedies: [
      look(
        'See whether the files are there',
        onNode(node, 'ls', '-lZ', '/var/lib/kubelet/config.json', '/run/ostree', '/etc/ostree'),
      ),
      look(
        'See whether it is well-formed: it prints the names of the registries, not their passwords',
        onNode(node, 'jq', '-r', '.auths | keys[]', '/var/lib/kubelet/config.json'),
      ),
    ],
  };
}

const meanings: Readonly<Record<RegistryAnswer['kind'], readonly [meaning: string, hint: string]>> = {
  refused: ['the registry refuses its credentials', 'pull secret'],
  absent: ['the registry does not have it', 'mirror sets, tag or digest'],
  unresolved: ['the name of the registry is not resolved', 'DNS, proxy'],
  untrusted: ["the registry's certificate is not trusted", 'additional trusted CA'],
  unreachable: ['the registry does not answer', 'network, proxy, firewall'],
  failed: ['the registry answers with an error of its own', 'registry health'],
  limited: ['the registry limits how often it is asked', 'rate limit, mirror'],
};

function cannotPull(reason: NodeReason, subject: NodeSubject) {
  const [meaning, hint] =
    reason.registry === undefined ? ['', 'registry, proxy, pull secret'] : meanings[reason.registry.kind];
  return {
    sentence: `${pullersText(subject)} cannot pull the operating system image: ${errorOf(reason)}${meaning === '' ? '' : ` (${meaning})`}.`,
    remedies: [look(`Check the access to the registry (${hint})`, podmanPull(reason, subject.node.name))],
  };
}

export function podmanPull({ image }: NodeReason, node: string): string {
  return onNode(node, 'podman', 'pull', '--authfile', '/var/lib/kubelet/config.json', image === '' ? 'IMAGE' : image);
}

/** One node alone has a network or a disk of its own; all of them share registry and pull secret. */
function pullersText({ node, nodes }: NodeSubject): string {
  const same = nodes.filter((each) => each.reason !== '' && isPull(each.reason));
  const tried = nodes.filter((each) => each.desiredConfig === node.desiredConfig);
  return same.length > 1 ? `${same.length} of ${tried.length} tried nodes` : node.name;
}

function isPull(reason: string): boolean {
  const read = readNodeReason(reason);
  return imageErrors.find((rule) => fitsRule(rule, read))?.code === 'N5';
}
