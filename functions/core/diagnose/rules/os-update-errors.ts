import type { Remedy } from '../../findings/trouble.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { type NodeReason, type RegistryAnswer, readNodeReason } from '../text/node-reason.ts';
import { type DegradedRule, daemonLog, errorOf, fitsRule, look, onNode } from './degraded-rule.ts';

/** The steps in which the daemon changes the operating system of a node. */
const osUpdate = /update OS|rpm-ostree|bootc|OS image|os-content|podman|skopeo|image extract|pivot/i;
/** Steps that fetch an image. `rpm-ostree kargs` and `update --install` fetch none. */
const pull = /update OS|rebase|podman|skopeo|image extract|pulling|OS image|extensions image|bootc switch|pivot/i;
/** Questions about images and deployments that the daemon asks without telling what for. */
const osQuestion = /podman|skopeo|refs found in repo|type of (?:target|update) image|parse manifest/i;
const rpmOstree = /rpm-ostree|update OS/i;

const packages =
  /depsolve|conflicting requests|conflicts? (?:with|between)|cannot install both|nothing provides|forbidden base package|is already provided by|already requested|base package .{0,200} not found|importing (?:rpm|package)|inactive|multiple providers|hardlinking .{0,200} file exists|no packages in transaction|is already in the base|no installed package matches/i;
const packagesAbsent = /packages? not found|no package matches|unable to find a match/i;

/** Errors of the operating system's update, each by its innermost words. The order is from those that are the same in
 *  every step (a full disk) to those that take their meaning from the step. */
export const osUpdateErrors: readonly DegradedRule[] = [
  {
    code: 'N22',
    words:
      /no space left on device|min-free-space|disk quota exceeded|not enough (?:free )?space|insufficient (?:disk )?space/i,
    confidence: 'strong',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `A disk of ${node.name} is full: ${errorOf(reason)}.`,
      remedies: [
        look('See which file system is full', onNode(node.name, 'df', '-h', '/boot', '/sysroot', '/var')),
        look('See which deployments rpm-ostree keeps', onNode(node.name, 'rpm-ostree', 'status')),
        remedy('Free it: remove what the node keeps of deployments that it does not run; the fallback is gone then', {
          command: onNode(node.name, 'rpm-ostree', 'cleanup', '-p', '-r'),
          risk: 'low',
        }),
      ],
    }),
  },
  {
    code: 'N23',
    words: /input\/output error|structure needs cleaning|bad message/i,
    confidence: 'strong',
    class: 'external',
    explain: (reason, { node }) => damaged(reason, node.name),
  },
  {
    code: 'N23',
    words:
      /corrupt|no such metadata object|couldn't find file object|object .{0,150} not found|checksum (?:mismatch|expected)|fsck|bad superblock|read-only file system|failed to (?:find|open) (?:deployment|sysroot)|opening (?:ostree )?(?:repo|deployment)/i,
    context: rpmOstree,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => damaged(reason, node.name),
  },
  {
    code: 'N25',
    words:
      /rpm-md repo|repomd|repodata|no enabled repositor|cannot download|failed to download metadata|curl error|mirrorlist|metalink/i,
    confidence: 'strong',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `rpm-ostree on ${node.name} has no package repository for the packages that are layered there: ${errorOf(reason)}.`,
      remedies: [
        look('See which packages are layered on the node', onNode(node.name, 'rpm-ostree', 'status', '-v')),
        look(
          'See which repositories it has, and whether they are enabled',
          onNode(node.name, 'grep', '-r', '-E', '^\\[|^enabled|^baseurl', '/etc/yum.repos.d'),
        ),
        remedy('Restore the access to that repository, or take the packages away that need it'),
      ],
    }),
  },
  {
    code: 'N20',
    words:
      /^timeout was reached$|rpmostree\d|rpm-ostreed|failed to activate service|loading sysroot|failed to connect to (?:the )?(?:system )?bus|couldn't start daemon|could not connect: |message recipient disconnected|did not receive a reply|no reply|can't get polkit authority|StartServiceByName|bus owner changed|GDBus\.Error:org\.(?:gtk|freedesktop)/i,
    fits: ({ context, command }) => rpmOstree.test(context) || command?.program === 'systemctl',
    confidence: 'strong',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `The service rpm-ostreed of ${node.name} does not answer: ${errorOf(reason)}.`,
      remedies: [
        look(
          'See what the service says',
          onNode(node.name, 'journalctl', '-u', 'rpm-ostreed', '--no-pager', '-n', '50'),
        ),
        remedy('Restart rpm-ostreed; the daemon then tries again by itself', {
          command: onNode(node.name, 'systemctl', 'restart', 'rpm-ostreed'),
          risk: 'low',
        }),
      ],
    }),
  },
  {
    code: 'N6',
    words: /transaction in progress/i,
    confidence: 'strong',
    class: 'self-healing',
    explain: (reason, { node }) => ({
      sentence: `rpm-ostree on ${node.name} is busy with another transaction (${errorOf(reason, 120)}).`,
      remedies: [
        look('See which one, and how long it runs', onNode(node.name, 'rpm-ostree', 'status')),
        remedy('If it lasts, cancel it: the daemon then tries again', {
          command: onNode(node.name, 'rpm-ostree', 'cancel'),
          risk: 'low',
        }),
        remedy('If that does not help, restart rpm-ostreed there', {
          command: onNode(node.name, 'systemctl', 'restart', 'rpm-ostreed'),
          risk: 'low',
        }),
      ],
    }),
  },
  {
    code: 'N21',
    words: /old and new refs are equal/i,
    confidence: 'strong',
    class: 'structural',
    explain: (reason, { node }) => ({
      sentence: `rpm-ostree refuses to rebase ${node.name} to the image that its deployment is already of (${errorOf(reason, 160)}), while the daemon believes that it runs another.`,
      remedies: [
        look(
          'See which image the booted and the staged deployment are of',
          onNode(node.name, 'rpm-ostree', 'status', '-v'),
        ),
        remedy('If a deployment is staged and not booted: remove it, and the daemon stages it again', {
          command: onNode(node.name, 'rpm-ostree', 'cleanup', '-p'),
          risk: 'low',
        }),
        remedy('Or boot into it, once the node is drained', {
          command: onNode(node.name, 'systemctl', 'reboot'),
          risk: 'outage',
        }),
      ],
    }),
  },
  {
    code: 'N24',
    words: /bwrap|bubblewrap|%(?:pre|post|posttrans|prein|postin)\b|scriptlet|running .{0,150}script/i,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `A script that rpm-ostree runs for a package fails on ${node.name}: ${errorOf(reason)}.`,
      remedies: [
        look(
          'See what the script said',
          onNode(node.name, 'journalctl', '-u', 'rpm-ostreed', '--no-pager', '-n', '80'),
        ),
        remedy(
          'Take the package away that brings the script, or correct what it meets on the node (limits, mounts, security modules)',
        ),
      ],
    }),
  },
  {
    code: 'N7',
    words: packagesAbsent,
    context: /rpm-ostree (?:\["?)?update/i,
    confidence: 'likely',
    class: 'structural',
    explain: (reason, { node }) => extensions(reason, node.name),
  },
  {
    code: 'N19',
    words: packages,
    fits: ({ context, command }) => rpmOstree.test(context) || command === undefined,
    confidence: 'strong',
    class: 'structural',
    explain: (reason, { node }) => layered(reason, node.name),
  },
  {
    code: 'N19',
    words: packagesAbsent,
    fits: ({ context, command }) => rpmOstree.test(context) || command === undefined,
    confidence: 'strong',
    class: 'structural',
    explain: (reason, { node }) => layered(reason, node.name),
  },
  {
    code: 'N7',
    words:
      /extension .{0,200} (?:verification failed|has no valid package sets)|extension packages are missing|64k-pages is only supported|unhandled kernel type|no staged deployment found after applying extensions|failed to get (?:packages for extensions|staged deployment)|failed to query rpm database|failed to query rpm-ostree status|failed to get booted deployment|invalid extensions found|kernel-devel extension/i,
    confidence: 'strong',
    class: 'external',
    explain: (reason, { node }) => extensions(reason, node.name),
  },
  {
    code: 'N7',
    context: /extensions? (?:image|OS image)|pulling extensions/i,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => extensions(reason, node.name),
  },
  {
    code: 'N30',
    words:
      /failed (?:adding|deleting) karg|kernel arg is tuneable|no (?:key|karg) |cannot specify both --delete and --append/i,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `The kernel arguments of ${node.name} cannot be set: ${errorOf(reason)}.`,
      remedies: [look('See which arguments the next boot gets', onNode(node.name, 'rpm-ostree', 'kargs'))],
    }),
  },
  {
    code: 'N30',
    context: /rpm-ostree kargs|nmstatectl/i,
    fits: ({ isHidden }) => !isHidden,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `The kernel arguments of ${node.name} cannot be set: ${errorOf(reason)}.`,
      remedies: [
        look('See which arguments the next boot gets', onNode(node.name, 'rpm-ostree', 'kargs')),
        remedy('Correct kernelArguments of the MachineConfig in Git, or bring the node back to what the old one says'),
      ],
    }),
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
    code: 'N5',
    words:
      /OpenImage|creating importer|fetching manifest|signature|policy|invalid reference|unsupported (?:image|transport)|blob|manifest/i,
    context: pull,
    fits: ({ words }) => !/permission denied|operation not permitted/i.test(words),
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
    explain: (reason, { node }) => ({
      sentence: `The pull secret on ${node.name} cannot be used: ${errorOf(reason)}.`,
      remedies: [
        look(
          'See whether the files are there',
          onNode(node.name, 'ls', '-lZ', '/var/lib/kubelet/config.json', '/run/ostree', '/etc/ostree'),
        ),
      ],
    }),
  },
  {
    code: 'N33',
    words: /bootupctl|ESP\b|EFI|findmnt|lsblk/,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `The boot loader of ${node.name} cannot be updated: ${errorOf(reason)}.`,
      remedies: [
        look('See its boot partitions', onNode(node.name, 'lsblk', '-o', 'NAME,PARTLABEL,FSTYPE,MOUNTPOINT,SIZE')),
      ],
    }),
  },
];

/** Whatever else goes wrong in these steps: what it was is quoted, and what would tell the causes apart is listed. */
export const osUpdateFailed: DegradedRule = {
  code: 'N18',
  fits: ({ context, words }) => osUpdate.test(context) || osQuestion.test(words),
  confidence: 'possible',
  class: 'unknown',
  explain: (reason, subject) => ({
    sentence: reason.isHidden
      ? `The operating system of ${subject.node.name} cannot be updated; the text does not say why (${errorOf(reason)}). Possible: the registry, a full disk, layered packages, rpm-ostreed.`
      : `The operating system of ${subject.node.name} cannot be updated: ${errorOf(reason)}.`,
    remedies: tellApart(reason, subject.node.name),
  }),
};

/** One look for each cause that such a text may have. */
function tellApart(reason: NodeReason, node: string): readonly Remedy[] {
  return [
    daemonLog(node),
    look('Registry, if this fails: pull the image by hand', podmanPull(reason, node)),
    look('Full disk, if one is at 100 %', onNode(node, 'df', '-h', '/boot', '/sysroot', '/var')),
    look(
      'Layered packages, a staged deployment or a stuck transaction, if it lists any',
      onNode(node, 'rpm-ostree', 'status', '-v'),
    ),
  ];
}

function damaged(reason: NodeReason, node: string) {
  return {
    sentence: `The file system or the ostree repository of ${node} is damaged: ${errorOf(reason)}.`,
    remedies: [
      look(
        'See what the kernel says of the disk',
        onNode(node, 'journalctl', '-k', '-p', 'err', '--no-pager', '-n', '50'),
      ),
      look('See whether the repository is whole (takes minutes)', onNode(node, 'ostree', 'fsck')),
      remedy('If the disk is broken, replace the machine; what pods keep on its disks is lost', { risk: 'data-loss' }),
    ],
  };
}

function layered(reason: NodeReason, node: string) {
  return {
    sentence: `Packages layered on ${node} do not fit the new operating system: ${errorOf(reason)}.`,
    remedies: [
      look('See LayeredPackages, LocalPackages and overrides of the node', onNode(node, 'rpm-ostree', 'status', '-v')),
      remedy('If no MachineConfig asks for the package: remove it from the node, it takes effect with the next boot', {
        command: onNode(node, 'rpm-ostree', 'uninstall', 'PACKAGE'),
        undo: onNode(node, 'rpm-ostree', 'install', 'PACKAGE'),
        risk: 'low',
      }),
      remedy('If it is an override: reset it, it takes effect with the next boot', {
        command: onNode(node, 'rpm-ostree', 'override', 'reset', 'PACKAGE'),
        risk: 'low',
      }),
      remedy('If extensions of a MachineConfig ask for it: correct them in Git, not on the node'),
    ],
  };
}

function extensions(reason: NodeReason, node: string) {
  return {
    sentence: `${node} cannot bring in the kernel or the extensions that its configuration asks for: ${errorOf(reason)}.`,
    remedies: [
      remedy('Correct extensions and kernelType in Git, or restore the access to the extensions image'),
      look('See which packages are layered on the node', onNode(node, 'rpm-ostree', 'status', '-v')),
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

function podmanPull({ image }: NodeReason, node: string): string {
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
  return osUpdateErrors.find((rule) => fitsRule(rule, read))?.code === 'N5';
}
