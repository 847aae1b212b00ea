import { command } from '../../text/shell-words.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import type { NodeReason } from '../text/node-reason.ts';
import { type DegradedRule, errorOf, look, onNode } from './degraded-rule.ts';
import { isOfOsProgram, rpmOstree } from './os-steps.ts';

/** Disk, repository and service: errors of ostree and of rpm-ostreed. They are the same in every step. Source of the
 *  wordings: src/libostree of ostree, src/daemon and src/libpriv of rpm-ostree, libdnf. */
/** `Failed to add ... to directory watch` is systemctl, where the kernel has no inotify watches left: no disk is full,
 *  and it goes on without. */
const fullDisk =
  /(?<!directory watch: )no space left on device|min-free-space|disk quota exceeded|not enough (?:free )?space|insufficient (?:disk )?space|needs? .{1,40} more space|more space needed|requires .{1,40} free space, but only/i;

export const diskErrors: readonly DegradedRule[] = [
  {
    code: 'N22',
    words: fullDisk,
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
    explain: damaged,
  },
];

const crash =
  /assertion failed|panicked at|segmentation fault|core dumped|signal: (?:aborted|segmentation)|double free|corrupted (?:size|double-linked|unsorted)|buffer overflow|stack smashing|terminate called|code should not be reached|SIG(?:SEGV|ABRT)|dumped core/i;
const noAnswer =
  /timeout was reached$|rpmostree\d|rpm-ostreed|failed to activate service|loading sysroot|failed to connect to (?:the )?(?:system )?bus|connecting to system bus|couldn't start daemon|could not connect: |message recipient disconnected|did not receive a reply|no reply|can't get polkit authority|StartServiceByName|bus owner changed|GDBus\.Error:org\.(?:gtk|freedesktop)|remote peer vanished|underlying GIOStream|the connection is closed|error (?:sending|receiving) (?:data|credentials|message)|failed to invoke RegisterClient|initialize object manager client|unit \S+ is masked/i;

/** The daemon runs systemctl for the service of rpm-ostree, and for units of MachineConfigs. */
function isOfRpmOstree({ context, command: run, whole }: NodeReason): boolean {
  return rpmOstree.test(context) || (run?.program === 'systemctl' && /rpm-?ostree/i.test(whole));
}

export const serviceErrors: readonly DegradedRule[] = [
  {
    code: 'N20',
    words: crash,
    fits: isOfRpmOstree,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `rpm-ostree crashes on ${node.name}: ${errorOf(reason)}. Possible: a bug of its release, too little memory, or something that it does not expect in its repository.`,
      remedies: [
        look(
          'See where it crashed, and whether the kernel killed it for want of memory',
          onNode(node.name, 'journalctl', '-b', '--no-pager', '-g', 'rpm-ostree|oom-kill|coredump', '-n', '60'),
        ),
        look('See its release, to look for the bug', onNode(node.name, 'rpm-ostree', '--version')),
        restart(node.name),
      ],
    }),
  },
  {
    code: 'N20',
    words: noAnswer,
    fits: isOfRpmOstree,
    confidence: 'strong',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `The service rpm-ostreed of ${node.name} does not answer: ${errorOf(reason)}.`,
      remedies: [
        look(
          'See what the service says',
          onNode(node.name, 'journalctl', '-u', 'rpm-ostreed', '--no-pager', '-n', '50'),
        ),
        restart(node.name),
      ],
    }),
  },
  {
    code: 'N6',
    words:
      /transaction (?:is )?in progress|reboot initiated, cannot start|lock[a-z]{0,5} .{0,60}resource temporarily unavailable/i,
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
    code: 'N26',
    words:
      /unexpected host OS|on non-CoreOS nodes|executable file not found|is not (?:a )?(?:RHEL )?coreos|not a supported operating system|(?:run command|exec:?) \S{0,20}(?:rpm-ostree|ostree)\S{0,20} .{0,60}no such file/i,
    confidence: 'likely',
    class: 'structural',
    explain: (reason, { node }) => ({
      sentence: `${node.name} does not run CoreOS, or lacks what the daemon needs of it: ${errorOf(reason)}.`,
      remedies: [
        look(
          'See which operating system it runs',
          command('oc', 'get', 'node', node.name, '-o', 'jsonpath={.status.nodeInfo.osImage}'),
        ),
        remedy(
          'A package-based RHEL worker is updated by its own playbook, not by the MCO; replace it with a CoreOS node',
        ),
      ],
    }),
  },
  {
    code: 'N26',
    words:
      /not booted (?:via|into an) (?:lib)?ostree|not currently booted into an ostree|not running on an ostree|can only run in an ostree container|not booted into any deployment/i,
    confidence: 'likely',
    class: 'structural',
    explain: (reason, { node }) => ({
      sentence: `${node.name} was not booted from a deployment of rpm-ostree: ${errorOf(reason)}. It does not run CoreOS, or not as CoreOS boots.`,
      remedies: [
        look(
          'See which operating system it runs',
          command('oc', 'get', 'node', node.name, '-o', 'jsonpath={.status.nodeInfo.osImage}'),
        ),
        look(
          'See what it was booted from: CoreOS has ostree= among its arguments',
          onNode(node.name, 'cat', '/proc/cmdline'),
        ),
      ],
    }),
  },
];

/** Of the deployments and the repository in which ostree keeps them. */
export const repositoryErrors: readonly DegradedRule[] = [
  {
    code: 'N35',
    words:
      /during PATH merge|computing configuration diff|modified config file newly defaults|reading modified config file|contains both PATH and PATH/i,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `What was changed in /etc of ${node.name} cannot be carried over to the new operating system: ${errorOf(reason)}.`,
      remedies: [
        look(
          'See what differs from the delivered files: M modified, A added, D removed',
          onNode(node.name, 'ostree', 'admin', 'config-diff'),
        ),
        look(
          'See which file the last boot stopped at',
          onNode(node.name, 'journalctl', '-b', '-1', '-u', 'ostree-finalize-staged.service', '--no-pager'),
        ),
        remedy(
          'Put the file or folder that is named back as the operating system delivers it (below /usr/etc), or make it readable; the daemon then tries again',
          { risk: 'low' },
        ),
      ],
    }),
  },
  {
    code: 'N23',
    words:
      /corrupt|no such metadata object|couldn't find file object|object .{0,150} not found|commit object not found|checksum (?:mismatch|expected)|fsck|bad superblock|read-only file system|failed to (?:find|open) (?:deployment|sysroot)|opening (?:ostree )?(?:repo|deployment)|no such (?:stateroot|deployment)|no deployments found|expected deployment root|unexpected state: PATH found|not normal form|commit \S+ is partial|refspec .{1,200} not found|missing base image ref|rpmdb|rpm database|packages database|failed to remount|remounting PATH read-write|invalid null filename/i,
    context: rpmOstree,
    fits: ({ words }) => !/blob|FinishPipe/i.test(words),
    confidence: 'likely',
    class: 'external',
    explain: damaged,
  },
  {
    code: 'N23',
    words: /opendir\(\S{0,60}ostree|readlinkat?: no such file|(?:parsing|reading) deployment/i,
    fits: isOfOsProgram,
    confidence: 'likely',
    class: 'external',
    explain: damaged,
  },
  {
    code: 'N33',
    words:
      /bootupctl|ESP\b|EFI|findmnt|lsblk|[Bb]ootloader write config|grub2-mkconfig|zipl|PATH cannot currently be a vfat/,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `The boot loader of ${node.name} cannot be updated: ${errorOf(reason)}.`,
      remedies: [
        look('See its boot partitions', onNode(node.name, 'lsblk', '-o', 'NAME,PARTLABEL,FSTYPE,MOUNTPOINT,SIZE')),
        look('See whether they have room', onNode(node.name, 'df', '-h', '/boot', '/boot/efi')),
      ],
    }),
  },
];

function restart(node: string) {
  return remedy('Restart rpm-ostreed; the daemon then tries again by itself', {
    command: onNode(node, 'systemctl', 'restart', 'rpm-ostreed'),
    risk: 'low',
  });
}

function damaged(reason: NodeReason, { node: { name: node } }: NodeSubject) {
  return {
    sentence: `The file system or the ostree repository of ${node} is damaged: ${errorOf(reason)}.`,
    remedies: [
      look(
        'See what the kernel says of the disk',
        onNode(node, 'journalctl', '-k', '-p', 'err', '--no-pager', '-n', '50'),
      ),
      look('See whether the repository is whole (takes minutes)', onNode(node, 'ostree', 'fsck')),
      remedy(
        'If the disk is broken, replace the machine, one of the control plane only by the procedure for a member of etcd; what pods keep on its disks is lost',
        { risk: 'data-loss' },
      ),
    ],
  };
}
