import type { Remedy, TroubleClass } from '../../findings/trouble.ts';
import { listed, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';

/** What one kind of daemon error means. Source of the wordings: facts of the MCO, node Degraded and Unreconcilable. */
export interface DegradedRule {
  readonly code: string;
  readonly pattern: RegExp;
  readonly class: TroubleClass;
  readonly explain: (match: RegExpExecArray, subject: NodeSubject) => Explained;
}

export interface Explained {
  readonly sentence: string;
  readonly remedies: readonly Remedy[];
  /** MachineConfigs to revert, in place of the remedies, where any are known. */
  readonly guilty?: readonly string[];
}

/** Another operating system runs than the one that was given. */
export const wrongSystem = /expected target osImageURL "?([^",]*)"?, have "?([^",]*)"?/i;

/** The first that fits names the cause: wordings nest (a wrong OS image comes as an "unexpected on-disk state"). */
export const degradedRules: readonly DegradedRule[] = [
  {
    code: 'N2',
    pattern: wrongSystem,
    class: 'external',
    explain: ([, wanted = '', has = ''], { node }) => ({
      sentence: `${node.name} booted another operating system than it was given: it has ${quoted(has, 80)} and should have ${quoted(wanted, 80)}; as a rule the boot of the new one failed and the node fell back.`,
      remedies: [
        remedy('See why the new deployment was not finished (full disk, /boot)', {
          command: onNode(node.name, 'rpm-ostree', 'status', '-v'),
        }),
        forceFile(node.name),
      ],
    }),
  },
  {
    code: 'N3',
    pattern: /missing expected kernel arguments:? ?(\[[^\]]*\])?/i,
    class: 'external',
    explain: ([, missing = ''], { node }) => ({
      sentence: `${node.name} lacks kernel arguments that its configuration asks for ${quoted(missing, 120)}: something else edits its boot loader.`,
      remedies: [
        remedy('See which arguments it has', { command: onNode(node.name, 'rpm-ostree', 'kargs') }),
        forceFile(node.name),
      ],
    }),
  },
  {
    code: 'N4',
    pattern: /machineconfigs?(?:\.machineconfiguration\.openshift\.io)? "(rendered-[^"]+)" not found/i,
    class: 'structural',
    explain: ([, name = ''], { node }) => ({
      sentence: `${name} does not exist any more, while ${node.name} still points to it; a pruned rendered config or a deleted pool does that.`,
      remedies: [
        remedy(`Restore ${name} from a backup, or point the node to a rendered config that exists`, {
          command: command('oc', 'get', 'machineconfigs', '--sort-by=.metadata.creationTimestamp'),
        }),
      ],
    }),
  },
  {
    code: 'N8',
    pattern:
      /(?:can't reconcile config|unreconcilable|(?:ignition [a-z/]+ section contains|ignition kargs section|ignition file \S+ includes append|cannot create .* via ignition|detected change to FIPS flag))[\s\S]*/i,
    class: 'structural',
    explain: ([all], subject) => {
      const suspects = newSources(subject);
      const phrase = all.split(': ').at(-1) ?? all;
      const named = suspects.length === 0 ? 'The new configuration' : `MachineConfig ${listed(suspects, 3)}`;
      return {
        sentence: `${named} changes what cannot be changed on a running node (${quoted(phrase, 160)}), so ${subject.node.name} refuses it.`,
        remedies: [remedy('Revert the change in Git; disks, users and FIPS need a new node')],
        guilty: suspects,
      };
    },
  },
  {
    code: 'N6',
    pattern: /transaction in progress/i,
    class: 'self-healing',
    explain: (_match, { node }) => ({
      sentence: `rpm-ostree on ${node.name} is busy with another transaction.`,
      remedies: [
        remedy('If it lasts, restart rpm-ostreed there', {
          command: onNode(node.name, 'systemctl', 'restart', 'rpm-ostreed'),
          risk: 'low',
        }),
      ],
    }),
  },
  {
    code: 'N7',
    pattern:
      /(?:error pulling extensions image|extension "?[^"]*"? verification failed|extension packages are missing|64k-pages is only supported)[\s\S]*/i,
    class: 'external',
    explain: ([all], { node }) => ({
      sentence: `${node.name} cannot bring in the kernel or the extensions that its configuration asks for: ${quoted(all, 160)}.`,
      remedies: [remedy('Correct extensions and kernelType in Git, or mend the access to the extensions image')],
    }),
  },
  {
    code: 'N5',
    pattern:
      /failed to update OS to[\s\S]*|error running rpm-ostree rebase[\s\S]*|podman pull[\s\S]*|(?:manifest unknown|received unexpected HTTP status)[\s\S]*/i,
    class: 'external',
    explain: ([all], subject) => ({
      sentence: `${pullersText(subject)} cannot pull the operating system image: ${pullCause(all)}.`,
      remedies: [
        remedy(`Mend the access to the registry (${pullHint(all)})`, {
          command: onNode(
            subject.node.name,
            'podman',
            'pull',
            '--authfile',
            '/var/lib/kubelet/config.json',
            imageOf(all),
          ),
        }),
      ],
    }),
  },
  {
    code: 'N15',
    pattern: /reboot command failed[\s\S]*/i,
    class: 'external',
    explain: ([all], { node }) => ({
      sentence: `${node.name} could not be rebooted: ${quoted(all, 160)}.`,
      remedies: [remedy('Reboot it by hand, from its console if need be', { risk: 'outage' })],
    }),
  },
  {
    code: 'D5',
    pattern: /failed to uncordon node/i,
    class: 'external',
    explain: (_match, { node }) => ({
      sentence: `${node.name} is updated, but the machine-config-controller did not uncordon it.`,
      remedies: [
        remedy('See whether the machine-config-controller runs', {
          command: command(
            'oc',
            '-n',
            'openshift-machine-config-operator',
            'get',
            'pods',
            '-l',
            'k8s-app=machine-config-controller',
          ),
        }),
      ],
    }),
  },
  {
    code: 'N1',
    pattern:
      /content mismatch for file "?([^"\s]+)"?|mode mismatch for file:? "?([^"\s;]+)"?|could not stat file "?([^"\s:]+)"?|unit "?([^"\s]+)"? expected enabled/i,
    class: 'external',
    explain: (match, { node }) => {
      const file = match[1] ?? match[2] ?? match[3];
      const what = file === undefined ? (match[4] === undefined ? 'A file' : `Unit ${match[4]}`) : `File ${file}`;
      return {
        sentence: `${what} on ${node.name} is no longer as its MachineConfig says: somebody, or another operator, edited it.`,
        remedies: [
          remedy(
            `Put ${file ?? 'it'} back as the MachineConfig has it, or bring the edit into a MachineConfig in Git; it then heals by itself`,
          ),
          forceFile(node.name),
        ],
      };
    },
  },
  {
    code: 'N1',
    pattern: /unexpected on-disk state[\s\S]*/i,
    class: 'external',
    explain: ([all], { node }) => ({
      sentence: `What is on the disk of ${node.name} is not what its MachineConfig says: ${quoted(all, 160)}.`,
      remedies: [
        remedy('Put it back as the MachineConfig has it, or bring the edit into a MachineConfig in Git'),
        forceFile(node.name),
      ],
    }),
  },
  {
    code: 'N10',
    pattern: /could not apply update: (?:restarting|reloading) (\S+)[\s\S]*failed[\s\S]*/i,
    class: 'external',
    explain: ([all, service = ''], { node }) => ({
      sentence: `Service ${service} on ${node.name} could not be restarted or reloaded: ${quoted(all, 160)}.`,
      remedies: [remedy('See why', { command: onNode(node.name, 'systemctl', 'status', service) })],
    }),
  },
  {
    code: 'N9',
    pattern:
      /(?:error enabling units?|error disabling units?|error running preset on unit|could not write systemd unit|couldn't decode file|error rolling back)[\s\S]*/i,
    class: 'external',
    explain: ([all], { node }) => ({
      sentence: `A file or unit of the new configuration cannot be applied on ${node.name}: ${quoted(all, 160)}.`,
      remedies: [remedy('Correct the MachineConfig in Git')],
    }),
  },
  {
    code: 'N11',
    pattern: /NodeDisruptionPolicyStatus was not ready/i,
    class: 'self-healing',
    explain: (_match, { node }) => ({
      sentence: `${node.name} waits for the node disruption policy to be computed.`,
      remedies: [remedy('Wait; if it lasts, look at the machine-config cluster operator')],
    }),
  },
  {
    code: 'N12',
    pattern: /kubelet health check has failed/i,
    class: 'external',
    explain: ([all], { node }) => ({
      sentence: `The kubelet of ${node.name} fails its health check: ${quoted(all, 120)}.`,
      remedies: [
        remedy('Read what the kubelet says', {
          command: command('oc', 'adm', 'node-logs', node.name, '-u', 'kubelet', '--tail=50'),
        }),
      ],
    }),
  },
  {
    code: 'N13',
    pattern: /could not get ControllerConfig|malformed (?:CA|certificate|bundle)/i,
    class: 'external',
    explain: ([all], { node }) => ({
      sentence: `${node.name} cannot write the cluster's certificates: ${quoted(all, 160)}.`,
      remedies: [remedy('Look at the ControllerConfig and the machine-config cluster operator')],
    }),
  },
];

/** The daemon gave up after an hour; the controller goes on trying. */
export const drainTimeout = /failed to drain node/i;

/** MachineConfigs that came with the change: in what is wanted, not in what every node has. */
export function newSources({ pool }: Pick<NodeSubject, 'pool'>): readonly string[] {
  const before = new Set(pool.current.sources);
  return pool.target.sources.filter((name) => !before.has(name));
}

/** What helps where nothing else does. */
export function forceFile(node: string): Remedy {
  return remedy('Else make the daemon write everything anew; this drains and reboots the node', {
    command: onNode(node, 'touch', '/run/machine-config-daemon-force'),
    undo: onNode(node, 'rm', '-f', '/run/machine-config-daemon-force'),
    risk: 'outage',
  });
}

/** A command for a shell of the node itself. */
export function onNode(node: string, ...words: readonly string[]): string {
  return command('oc', 'debug', `node/${node}`, '--', 'chroot', '/host', ...words);
}

/** One node alone has a network or a disk of its own; all of them share registry and pull secret. */
function pullersText({ node, nodes }: NodeSubject): string {
  const same = nodes.filter((each) => each.reason !== '' && classOf(each.reason) === 'N5');
  const tried = nodes.filter((each) => each.desiredConfig === node.desiredConfig);
  return same.length > 1 ? `${same.length} of ${tried.length} tried nodes` : node.name;
}

function classOf(reason: string): string | undefined {
  return degradedRules.find(({ pattern }) => pattern.test(reason))?.code;
}

const pullCauses: readonly (readonly [RegExp, string, string])[] = [
  [/unauthorized|authentication required|401|403|denied/i, 'the registry refuses its credentials', 'pull secret'],
  [/manifest unknown|not found|404/i, 'the registry does not have it', 'mirror sets, tag or digest'],
  [/no such host|server misbehaving/i, 'the name of the registry is not resolved', 'DNS, proxy'],
  [/no space left/i, 'its disk is full', 'free space'],
  [/x509|certificate/i, "the registry's certificate is not trusted", 'additional trusted CA'],
  [
    /timeout|timed out|deadline exceeded|connection refused|i\/o/i,
    'the registry does not answer',
    'network, proxy, firewall',
  ],
  [/status:? 5\d\d|50\d/i, 'the registry answers with an error of its own', 'registry health'],
];

function pullCause(text: string): string {
  return pullCauses.find(([pattern]) => pattern.test(text))?.[1] ?? quoted(text, 160);
}

function pullHint(text: string): string {
  return pullCauses.find(([pattern]) => pattern.test(text))?.[2] ?? 'registry, proxy, pull secret';
}

function imageOf(text: string): string {
  return /failed to update OS to (\S+?)[,:;]?(?:\s|$)/i.exec(text)?.[1] ?? 'IMAGE';
}
