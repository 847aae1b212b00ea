import { quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import type { NodeReason } from '../text/node-reason.ts';
import { type DegradedRule, daemonLog, errorOf, look, onNode, unitNamed } from './degraded-rule.ts';

const fileSystem =
  /not a directory|is a directory|file exists|permission denied|operation not permitted|no such file or directory|read-only file system|text file busy|device or resource busy|directory not empty|invalid cross-device link|too many levels of symbolic links|file name too long|no such process/i;

/** Files in which the daemon keeps what it has done. */
const daemonState =
  /machine-config-daemon\/(?:currentconfig|currentimage|state)|node-annotations\.json|No machineconfiguration\S+ annotation on node/i;
const stateWords =
  /does not match current config on annotation|annotation not found on node|cannot find any existing configuration|(?:current|on-disk|desired|local|transient|pending|install-time) ?(?:config|state)|config (?:from|on) disk|could not get the state|layered (?:diff|configuration)|current image path|boot ID|FIPS file|initial annotations|initial node annotation|node object is nil|machineconfig is nil|state\.currentconfig|encapsulated MachineConfig|could not calculate config diff|machineConfigDiff|parse .{0,100} output|revert|could not marshal|selinux enforcing/i;

const policy = /NodeDisruptionPolicyStatus|MachineConfiguration\/cluster has not been created|disruption polic/i;

/** What fails while the daemon writes files and units, talks to systemd, or to the API server. What a program says that
 *  brings an operating system is not among it, whatever words it has in common. */
export const daemonErrors: readonly DegradedRule[] = [
  {
    code: 'N15',
    words: /reboot (?:command )?failed|failed to reboot/i,
    confidence: 'strong',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `${node.name} could not be rebooted: ${errorOf(reason, 160)}.`,
      remedies: [
        look('See what holds the reboot back', onNode(node.name, 'systemd-inhibit', '--list', '--no-pager')),
        remedy('Reboot it by hand once it is drained, from its console if need be', { risk: 'outage' }),
      ],
    }),
  },
  {
    code: 'D5',
    words: /failed to uncordon node/i,
    confidence: 'strong',
    class: 'external',
    explain: (_reason, { node }) => ({
      sentence: `${node.name} is updated, but the machine-config-controller did not uncordon it.`,
      remedies: [
        look(
          'See whether the machine-config-controller runs',
          command(
            'oc',
            '-n',
            'openshift-machine-config-operator',
            'get',
            'pods',
            '-l',
            'k8s-app=machine-config-controller',
          ),
        ),
      ],
    }),
  },
  {
    code: 'N12',
    words: /kubelet health check has failed/i,
    confidence: 'strong',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `The kubelet of ${node.name} fails its health check: ${errorOf(reason, 200)}.`,
      remedies: [
        look('Read what the kubelet says', command('oc', 'adm', 'node-logs', node.name, '-u', 'kubelet', '--tail=50')),
      ],
    }),
  },
  {
    code: 'N11',
    fits: ({ words, context }) => policy.test(words) || /NodeDisruptionPolicyStatus/i.test(context),
    confidence: 'strong',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `${node.name} waits for the node disruption policy to be computed (${errorOf(reason, 120)}).`,
      remedies: [
        look('Look at its status', command('oc', 'get', 'machineconfiguration', 'cluster', '-o', 'yaml')),
        remedy('Wait; if it lasts, look at the machine-config operator'),
      ],
    }),
  },
  {
    code: 'N13',
    words:
      /could not get controllerconfig|malformed|kubeconfig|clusters cannot be nil|certificate_writer|not found in \S+\/kubeconfig|\bCA bundle|controllerconfig images/i,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `${node.name} cannot write the cluster's certificates: ${errorOf(reason)}.`,
      remedies: [
        look(
          'Look at the ControllerConfig and the machine-config cluster operator',
          command('oc', 'get', 'controllerconfig', 'machine-config-controller', '-o', 'jsonpath={.status.conditions}'),
        ),
      ],
    }),
  },
  {
    code: 'N10',
    context: /restarting|reloading|systemctl (?:restart|reload|daemon-reload)|update-ca-trust/i,
    confidence: 'strong',
    class: 'external',
    explain: (reason, { node }) => {
      const [, before, after] = /(?:restarting|reloading) (\S+)|systemctl [a-z-]+ (\S+)/i.exec(reason.whole) ?? [];
      const service = unitNamed(before ?? after ?? '');
      return {
        sentence: `${service === '' ? 'A service' : `Service ${service}`} on ${node.name} could not be restarted or reloaded: ${errorOf(reason)}.`,
        remedies: [look('See why', onNode(node.name, 'systemctl', 'status', '--no-pager', service || 'crio'))],
      };
    },
  },
  {
    code: 'N34',
    words: /user core|password|\.ssh|authorized_keys|core exists|SSH key|SSH accesses|ignition-written ssh/i,
    confidence: 'likely',
    class: 'external',
    explain: (reason, { node }) => ({
      sentence: `The SSH keys or the password of user core cannot be set on ${node.name}: ${errorOf(reason)}.`,
      remedies: [
        look('See the user and its folder', onNode(node.name, 'ls', '-laZ', '/var/home/core', '/var/home/core/.ssh')),
        remedy('Put owner and mode back, or correct passwd of the MachineConfig in Git', { risk: 'low' }),
      ],
    }),
  },
  {
    code: 'N28',
    fits: ({ error, words }) => daemonState.test(error) || stateWords.test(words),
    confidence: 'likely',
    class: 'external',
    explain: stateDiffers,
  },
  {
    code: 'N9',
    words:
      /error (?:enabling|disabling|trying to enable) units?|error running preset on unit|systemd unit|couldn't decode file|could not decode file|disabling \S+ failed|append section|failed to (?:remove|symlink) unit|failed to cleanup|failed decoding (?:data url|toml)|could not create ignition file|could not write files for|parsing (?:old|new) ignition config failed|failed to connect to system bus to list|could not determine if service|failed to retrieve (?:file ownership|UserID|GroupID)|failed to create directory|(?:deleting|creating|restoring) .{0,200}(?:orig|noorig)|unable to delete|error deleting|error creating directory|cannot stat|failed to write|failed to read\b|failed to get info for path|failed to remove (?:existing|path|force validation|pending|Ignition-written)|changing selinux context|could not write|could not create|could not read/i,
    confidence: 'likely',
    class: 'external',
    explain: cannotApply,
  },
  {
    code: 'N9',
    words: fileSystem,
    fits: ({ context, command: run }) =>
      !/rpm-ostree|podman|update OS/i.test(context) && !['rpm-ostree', 'podman', 'skopeo'].includes(run?.program ?? ''),
    confidence: 'likely',
    class: 'external',
    explain: cannotApply,
  },
  {
    code: 'N31',
    words:
      /cannot retrieve \w+ MachineConfig from cluster|could not list API items|fetching fresh node state|the object has been modified|apply failed with \d+ conflict|etcdserver|the server (?:was|is|could)|unable to connect to the server|client rate limiter|api server|too old resource version|initial listers cache|\bforbidden: user|apiserver|lost connection|get node|failed to get (?:node|pools)|could not set drain annotation|set(?:ting)? \w+ annotation|setting node's state|failed to set annotations|updating MCN|while attempting to (?:drain|uncordon) node|machine config node/i,
    confidence: 'likely',
    class: 'self-healing',
    explain: apiServer,
  },
  {
    code: 'N31',
    context: /setting node's state|Done annotation|drain annotation|drain node|uncordon node|annotations? on node/i,
    confidence: 'likely',
    class: 'self-healing',
    explain: apiServer,
  },
  {
    code: 'N9',
    context: /rolling back/i,
    confidence: 'possible',
    class: 'external',
    explain: (reason, subject) => ({
      ...cannotApply(reason, subject),
      sentence: `The new configuration could not be applied on ${subject.node.name}, and taking it back failed as well: ${errorOf(reason)}.`,
    }),
  },
  {
    code: 'N9',
    fits: ({ command: run, isHidden }) =>
      !isHidden && ['systemctl', 'chcon', 'cp', 'rm', 'rpm', 'restorecon', 'usermod'].includes(run?.program ?? ''),
    confidence: 'likely',
    class: 'external',
    explain: cannotApply,
  },
];

function cannotApply(reason: NodeReason, { node: { name: node } }: NodeSubject) {
  const [path] = /\/[\w@%+=.,~/-]+/.exec(reason.error) ?? [];
  return {
    sentence: `A file or unit of the new configuration cannot be applied on ${node}: ${errorOf(reason)}.`,
    remedies: [
      ...(path === undefined
        ? [daemonLog(node)]
        : [look(`See what stands at ${quoted(path, 80)} and above it`, onNode(node, 'namei', '-l', path))]),
      remedy('If something else stands in its place on the node, move it away; else correct the MachineConfig in Git', {
        risk: 'low',
      }),
    ],
  };
}

function stateDiffers(reason: NodeReason, { node: { name: node } }: NodeSubject) {
  return {
    sentence: `What the daemon of ${node} keeps about its configuration cannot be read or does not agree: ${errorOf(reason)}.`,
    remedies: [
      look(
        'Compare what the node has with its annotations',
        onNode(node, 'jq', '-r', '.metadata.name', '/etc/machine-config-daemon/currentconfig'),
      ),
      look('Its annotations', command('oc', 'get', 'node', node, '-o', 'jsonpath={.metadata.annotations}')),
    ],
  };
}

function apiServer(reason: NodeReason, { node: { name: node } }: NodeSubject) {
  return {
    sentence: `The config daemon of ${node} could not read or write at the API server: ${errorOf(reason)}. It tries again by itself.`,
    remedies: [
      look(
        'If it lasts: see whether the API server is well',
        command('oc', 'get', 'clusteroperator', 'kube-apiserver', 'etcd'),
      ),
      daemonLog(node),
    ],
  };
}
