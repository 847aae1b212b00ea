import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import type { NodeReason } from '../text/node-reason.ts';
import { type DegradedRule, errorOf, look, onNode } from './degraded-rule.ts';
import { rpmOstree } from './os-steps.ts';

const repository =
  /rpm-md repo|repomd|repodata|no enabled repositor|cannot download|failed to download metadata|curl error|mirrorlist|metalink|yum repo .{1,80} not found|gpg key retrieval|load solv|cached metadata|repo \S+ is gpg enabled/i;
const packages =
  /depsolve|conflicting requests|conflicts? (?:with|between)|cannot install both|nothing provides|none of the providers can be installed|forbidden base package|is already provided by|already requested|not currently requested|already layered|base packages? (?:.{0,200} not found|would be|not marked)|importing (?:rpm|package)|inactive|multiple providers|multiple packages match|hardlinking .{0,200} file exists|exists under .{1,200} when attempting write|no packages in transaction|is already in the base|no installed package matches|provided by removed package|doesn't replace a package|exact base package versions|overrides? (?:for|already exists for) p(?:ac)?k(?:a)?ge?|replacement overrides|checksum mismatch for package|verification of \S+ failed|LockLayering/i;
/** Server-side apply, where two write one field. */
const ofApiServer = /apply failed with/i;
const packagesAbsent =
  /packages? (?:\S{1,80} )?not found|no package matches|unable to find a match|no match for argument|failed to find package/i;

/** Packages that are layered on a node, the repositories that they come from, and the extensions of a MachineConfig,
 *  which rpm-ostree installs in the same way. Source of the wordings: src/libpriv of rpm-ostree, libdnf, libsolv. */
export const repositoryOfPackages: DegradedRule = {
  code: 'N25',
  words: repository,
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
};

export const packageErrors: readonly DegradedRule[] = [
  {
    code: 'N24',
    words:
      /bwrap|bubblewrap|%(?:pre|post|posttrans|prein|postin)\b|scriptlet|running .{0,150}script|unsupported \S{1,20} script/i,
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
    fits: isAskedFor,
    confidence: 'likely',
    class: 'structural',
    explain: extensions,
  },
  ...[packages, packagesAbsent].flatMap((words): readonly DegradedRule[] => [
    {
      code: 'N19',
      words,
      context: rpmOstree,
      confidence: 'strong',
      class: 'structural',
      explain: layered,
    },
    {
      // `conflict with`, `inactive`, `not found`: where no program is named, anybody may have said it.
      code: 'N19',
      words,
      fits: ({ command, words: said }) => command === undefined && !ofApiServer.test(said),
      confidence: 'likely',
      class: 'structural',
      explain: layered,
    },
  ]),
  {
    code: 'N7',
    words:
      /extension .{0,200} (?:verification failed|has no valid package sets)|extension packages are missing|64k-pages is only supported|unhandled kernel type|no staged deployment found after applying extensions|failed to get (?:packages for extensions|staged deployment)|failed to query rpm database|failed to query rpm-ostree status|failed to get booted deployment|invalid extensions found|kernel-devel extension/i,
    confidence: 'strong',
    class: 'external',
    explain: extensions,
  },
  {
    code: 'N7',
    context: /extensions? (?:image|OS image)|pulling extensions/i,
    confidence: 'likely',
    class: 'external',
    explain: extensions,
  },
];

export const kernelArgumentErrors: readonly DegradedRule[] = [
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
];

/** The daemon asked for the very package that is missing. Any other is layered on the node, and rpm-ostree looks for it
 *  again with each change. */
function isAskedFor({ command, error }: NodeReason): boolean {
  const asked = (command?.line ?? '').split(/[\s"'[\],]+/).filter((word) => word !== '' && !word.startsWith('-'));
  const missing = error.replace(/^.*(?:not found|matches|match for argument|find a match|find package)/i, '');
  return asked.slice(2).some((name) => `${missing} `.includes(name));
}

function layered(reason: NodeReason, { node: { name: node } }: NodeSubject) {
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

function extensions(reason: NodeReason, { node: { name: node } }: NodeSubject) {
  return {
    sentence: `${node} cannot bring in the kernel or the extensions that its configuration asks for: ${errorOf(reason)}.`,
    remedies: [
      remedy('Correct extensions and kernelType in Git, or restore the access to the extensions image'),
      look('See which packages are layered on the node', onNode(node, 'rpm-ostree', 'status', '-v')),
    ],
  };
}
