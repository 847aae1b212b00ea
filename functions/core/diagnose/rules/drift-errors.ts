import type { Remedy } from '../../findings/trouble.ts';
import type { Node } from '../../openshift/node.ts';
import { counted, listed, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { type NodeReason, readNodeReason } from '../text/node-reason.ts';
import { withShortNames } from '../text/plain-words.ts';
import { type DegradedRule, daemonLog, errorOf, forceFile, look, onNode, unitNamed } from './degraded-rule.ts';
import { makerOfFile } from './file-makers.ts';

/** Another operating system runs than the one that was given. The daemon's own texts begin so; further inside, the
 *  words may be of a path, an extension or an argument that it quotes from a MachineConfig. */
const wrongSystem = /^expected target osImageURL "?([^",]{0,400})"?, have "?([^",]*)"?/i;
const validatedAgainst = /\bunexpected on-disk state validating against (\S{1,253}):\s/i;
const lostArguments = /^missing expected kernel arguments/i;
const drift =
  /content mismatch for file "?([^"\s]+)"?|mode mismatch for file:? "?([^"\s;]+)"?|could not (?:stat|read) file "?([^"\s:]+)"?|unit "?([^"\s]+)"? expected enabled|invalid unit masked setting\. path: "?([^"\s;]+)"?/i;
/** Paths have a slash, and lists of extensions and arguments a bracket. */
const rendered =
  /^(?:[^"'/[\]]|node\/machineconfig){0,300}?(?:machineconfigs?(?:\.machineconfiguration\.openshift\.io)? "([\w.-]+)" not found|(?:unable to|could not|cannot) find machineconfig "?([\w.-]+)|\b(rendered-[\w-]{1,200})"? (?:was |is )?(?:not found|does not exist))/i;
const unreconcilable =
  /unreconcilable|ignition [a-z/ ]{1,60} section contains|ignition kargs section|ignition file \S+ includes append|cannot create .{0,200} via ignition|detected change to FIPS flag|forceful?ly/i;

function isWrongSystem(reason: NodeReason): boolean {
  return wrongSystem.test(ownWords(reason));
}

/** What a deployment that was not finished leaves behind: the system or the kernel arguments of before. Source: MCO
 *  pull request 3105. */
export function mayHaveFallenBack(reason: NodeReason): boolean {
  return isWrongSystem(reason) || lostArguments.test(ownWords(reason));
}

/** What the daemon says itself: a program that it ran repeats its arguments. */
function ownWords({ consequence, error, command }: NodeReason): string {
  return consequence ?? (command === undefined ? error : '');
}

/** The rendered config that the daemon asks for and does not get. */
export function missingRendered({ error }: NodeReason): string {
  return (rendered.exec(error) ?? []).slice(1).find((name) => name !== undefined) ?? '';
}

/** What is on the node is not what its configuration says, or may not become it. */
export const driftErrors: readonly DegradedRule[] = [
  {
    code: 'N4',
    fits: (reason) => missingRendered(reason) !== '',
    confidence: 'strong',
    class: 'structural',
    explain: (reason, { node }) => ({
      sentence: `${missingRendered(reason)} does not exist, and ${pointsToIt(missingRendered(reason), node)}: it was pruned or deleted with its pool, or, on a new cluster, the node was installed with another configuration than the cluster renders.`,
      remedies: [
        look(
          'See which rendered configs exist',
          command('oc', 'get', 'machineconfigs', '--sort-by=.metadata.creationTimestamp'),
        ),
        remedy(
          `Restore ${missingRendered(reason)} from a backup, or point the annotations currentConfig and desiredConfig of the node to a rendered config that exists; the force file alone does not help. Where the two differ from what is on its disk, the node drains and reboots`,
          { risk: 'outage' },
        ),
      ],
    }),
  },
  {
    code: 'N29',
    words: /bootstrap generated MC/i,
    confidence: 'strong',
    class: 'structural',
    explain: (reason, { node }) => ({
      sentence: `${node.name} was installed with another configuration than the cluster renders now: ${errorOf(reason)}.`,
      remedies: [
        look(
          'See in which files the two differ',
          onNode(node.name, 'cat', '/etc/machine-config-daemon/bootstrapconfigdiff'),
        ),
        remedy(
          'Bring both to the same: manifests that were added only before or only after the bootstrap make the difference',
        ),
      ],
    }),
  },
  {
    code: 'N2',
    fits: isWrongSystem,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => {
      const [, wanted = '', has = ''] = wrongSystem.exec(ownWords(reason)) ?? [];
      return {
        sentence: `${node.name} runs another operating system than it was given: it has ${shortImage(has)} and should have ${shortImage(wanted)}. Possible: the new one was never pulled or staged, was staged and not booted, failed to boot, or somebody rebased the node by hand.`,
        remedies: [
          look(
            'See which deployments it has: none of the wanted image means that it was never staged',
            onNode(node.name, 'rpm-ostree', 'status', '-v'),
          ),
          look(
            'See whether the last boot failed to finish a staged deployment',
            onNode(node.name, 'journalctl', '-b', '-1', '-u', 'ostree-finalize-staged.service', '--no-pager'),
          ),
          remedy(
            'If the daemon does not get there by itself: rebase the node to the image that it was given, which stages it',
            {
              command: rebaseToGiven(node, reason),
              undo: onNode(node.name, 'rpm-ostree', 'cleanup', '-p'),
              risk: 'low',
            },
          ),
          remedy('Then boot into it, once the node is drained', {
            command: onNode(node.name, 'systemctl', 'reboot'),
            risk: 'outage',
          }),
        ],
      };
    },
  },
  {
    code: 'N2',
    words: /parsing booted osImageURL|not pivoted/i,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `${node.name} runs an operating system of which the daemon does not know the image: ${errorOf(reason, 160)}. It was never brought to the image of the release.`,
      remedies: [
        look('See which deployments it has', onNode(node.name, 'rpm-ostree', 'status', '-v')),
        daemonLog(node.name),
      ],
    }),
  },
  {
    code: 'N3',
    fits: (reason) => reason.consequence === undefined && lostArguments.test(ownWords(reason)),
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => {
      const missing = /kernel arguments:? ?(\[[^\]]*\])?/i.exec(reason.error)?.[1] ?? '';
      return {
        sentence: `${node.name} was booted without kernel arguments that its configuration asks for ${quoted(missing, 120)}; the text does not say what took them away. Possible: the deployment that has them was not booted, they were removed by hand, or another tool writes the boot entries.`,
        remedies: [
          look('See which arguments the next boot gets', onNode(node.name, 'rpm-ostree', 'kargs')),
          look('See which arguments it was booted with', onNode(node.name, 'cat', '/proc/cmdline')),
          look('See which deployments it has', onNode(node.name, 'rpm-ostree', 'status', '-v')),
          remedy('If the next boot has them: boot it once, when the node is drained', {
            command: onNode(node.name, 'systemctl', 'reboot'),
            risk: 'outage',
          }),
        ],
      };
    },
  },
  {
    code: 'N8',
    fits: ({ context, words }) =>
      unreconcilable.test(words) || /can't reconcile config|not reconcilable/i.test(`${context} ${words}`),
    confidence: 'strong',
    class: 'structural',
    explain: (reason, { node }) => ({
      sentence: refusedBy(node.name, reason, 'The new configuration'),
      remedies: [remedy('Revert the change in Git; disks, users and FIPS need a new node')],
    }),
  },
  {
    code: 'N1',
    words: /^unexpected on-disk state validating against RENDERED\b[^:]{0,80}$/i,
    confidence: 'possible',
    class: 'unknown',
    explain: (_reason, { node }) => ({
      sentence: `What is on the disk of ${node.name} is not what its MachineConfig says, and the text does not say what. Possible: a file or unit that was changed, another operating system, other kernel arguments.`,
      remedies: [
        daemonLog(node.name),
        look(
          'Another operating system, if the image of the booted deployment is not the wanted one',
          onNode(node.name, 'rpm-ostree', 'status', '-v'),
        ),
        look('Other kernel arguments, if one is missing', onNode(node.name, 'rpm-ostree', 'kargs')),
      ],
    }),
  },
  {
    code: 'N1',
    fits: ({ error, words }) => drift.test(error) || /unknown config drift error|state validation: /i.test(words),
    confidence: 'likely',
    class: 'external',
    explain: (reason, subject) => drifted(reason, subject),
  },
];

/** The image is the one that was rendered for the node, or built for it in image mode: never what a text says. Between
 *  two updates the daemon validates the disk against the config that the node has, and names it. */
function rebaseToGiven(node: Node, { whole }: NodeReason): string {
  const { config, image } = isOfCurrent(node, whole)
    ? { config: node.currentConfig, image: node.currentImage ?? '' }
    : { config: node.desiredConfig, image: node.desiredImage ?? '' };
  const rendered = command('oc', 'get', 'machineconfig', config, '-o', 'jsonpath={.spec.osImageURL}');
  const rebase = ['rpm-ostree', 'rebase', '--experimental'] as const;
  return image === ''
    ? `${onNode(node.name, ...rebase)} "ostree-unverified-registry:$(${rendered})"`
    : onNode(node.name, ...rebase, `ostree-unverified-registry:${image}`);
}

function isOfCurrent({ currentConfig }: Node, whole: string): boolean {
  return currentConfig !== '' && validatedAgainst.exec(whole)?.[1] === currentConfig;
}

/** @param what the MachineConfig that did it, or all of them together */
export function refusedBy(node: string, reason: NodeReason, what: string): string {
  return `${what} changes what cannot be changed on a running node (${errorOf(reason)}), so ${node} refuses it.`;
}

/** In words of the node: what is on its disk may name another config than its annotations. */
function pointsToIt(missing: string, { name, currentConfig, desiredConfig }: Node): string {
  return [currentConfig, desiredConfig].includes(missing)
    ? `${name} points to it`
    : `the daemon of ${name} asks for it, though its annotations name another (/etc/machine-config-daemon/currentconfig may)`;
}

/** Found only once nothing else is: the validation of the disk passes on the errors of its own reads. */
export const driftWithoutName: DegradedRule = {
  code: 'N1',
  context: /unexpected on-disk state|disk validation failed/i,
  confidence: 'possible',
  class: 'external',
  explain: (reason, { node }) => ({
    sentence: `What is on the disk of ${node.name} is not what its MachineConfig says: ${errorOf(reason)}.`,
    remedies: [
      daemonLog(node.name),
      remedy('Put it back as the MachineConfig has it, or bring the change into a MachineConfig in Git'),
      forceFile(node.name),
    ],
  }),
};

/** The file or unit that differs; empty where the text names none. */
function driftedName(error: string): string {
  const [name = ''] = (drift.exec(error) ?? []).slice(1).filter((each) => each !== undefined);
  return name.startsWith('/') ? name : unitNamed(name);
}

function drifted(reason: NodeReason, subject: NodeSubject) {
  const { node } = subject;
  const name = driftedName(reason.error);
  const what = name === '' ? 'A file or unit' : `${name.startsWith('/') ? 'File' : 'Unit'} ${name}`;
  const same = name === '' ? [] : alike(name, subject);
  const maker = makerOfFile(name);
  const made = maker === undefined ? '' : ` The MCO makes it from ${maker.from}.`;
  const who =
    same.length > 1
      ? `It differs on ${counted(same.length, 'node')} at once (${listed(same, 3)}), which no edit by hand on one of them does: something writes it everywhere, or what the MCO wants of it changed.`
      : 'The text does not say what changed it: somebody on the node, another operator, a package, or two MachineConfigs that both have it.';
  return {
    sentence: `${what} on ${node.name} is not as its MachineConfig says (${errorOf(reason, 160)}). ${who}${made}`,
    remedies: name === '' ? [daemonLog(node.name)] : driftRemedies(name, node.name, maker?.change),
  };
}

/** A filter of jq. The path is given to it as a value: as part of the filter it could be a program of its own. */
const withFile = '.items[] | select(any(.spec.config.storage.files[]?; .path == $path)) | .metadata.name';

function driftRemedies(name: string, node: string, change: string | undefined): readonly Remedy[] {
  const isFile = name.startsWith('/');
  return [
    look(
      isFile ? 'See when the file was written, by whom and with which mode' : 'See what systemd says of the unit',
      isFile ? onNode(node, 'stat', name) : onNode(node, 'systemctl', 'status', '--no-pager', name),
    ),
    ...(isFile
      ? [
          look(
            'See which MachineConfigs have it: two of them, and the last by name wins',
            `oc get machineconfigs -o json | ${command('jq', '-r', '--arg', 'path', name, withFile)}`,
          ),
        ]
      : []),
    remedy(
      change ??
        `Put ${name} back as the MachineConfig has it, with content and mode, or bring the change into a MachineConfig in Git; the node then heals by itself`,
      { risk: 'low' },
    ),
    forceFile(node),
  ];
}

/** Nodes of the pool that complain of the same file. */
function alike(name: string, { nodes }: NodeSubject): readonly string[] {
  return nodes
    .filter(({ reason }) => reason !== '' && driftedName(readNodeReason(reason).error) === name)
    .map((each) => each.name)
    .toSorted();
}

function shortImage(image: string): string {
  return image === '' ? 'none' : quoted(withShortNames(image), 120);
}
