import {
  aDrainingNode,
  aLiveNode,
  aWorld,
  drainFailing,
  minutesAgo,
  newConfig,
} from '../../functions/core/diagnose/world.ts';
import { aRollingPoolObject, type Cause, type Situation, situation } from '../situation.ts';
import { sources } from '../sources.ts';

function cause(code: string, named: readonly string[], about = 'Node worker-2'): Cause {
  return { pool: 'worker', kind: 'node-degraded', code, about, named };
}

/** worker-2 has failed with this reason, on its way to the new configuration. */
function failing(reason: string, state = 'Degraded') {
  return {
    nodes: [
      aLiveNode('worker-1'),
      aLiveNode('worker-2', { annotations: { state, reason, desiredConfig: newConfig } }),
      aLiveNode('worker-3'),
    ],
  };
}

const pull = 'failed to update OS to quay.io/os@sha256:abc after retries:';

const rebase =
  'error running rpm-ostree rebase --experimental ostree-unverified-registry:quay.io/os@sha256:abc: error:';

/** Errors of the operating system's update and of the daemon, in the words of rpm-ostree and of the MCO's source. */
const texts: readonly {
  readonly id: string;
  readonly title: string;
  readonly after: string;
  readonly code: string;
  readonly named: readonly string[];
  readonly reason: string;
}[] = [
  {
    id: 'layered-packages-conflict',
    title: 'packages that somebody layered on the node do not fit the new operating system',
    after: sources.okdLayered,
    code: 'N19',
    named: ['worker-2', 'depsolve'],
    reason: `${pull} ${rebase} Could not depsolve transaction; 1 problem detected:\n Problem: conflicting requests\n: exit status 1: timed out waiting for the condition`,
  },
  {
    id: 'rpm-ostreed-is-silent',
    title: 'the service rpm-ostreed does not answer, and the retries of the MCO end in their own timeout',
    after: sources.pivotRunbook,
    code: 'N20',
    named: ['worker-2', 'Timeout was reached'],
    reason: `${pull} ${rebase} Timeout was reached\n: exit status 1: timed out waiting for the condition`,
  },
  {
    id: 'refs-are-equal',
    title: 'rpm-ostree has the image deployed already',
    after: sources.rpmOstree,
    code: 'N21',
    named: ['worker-2', 'Old and new refs are equal'],
    reason: `${pull} ${rebase} Old and new refs are equal: ostree-unverified-registry:quay.io/os@sha256:abc\n: exit status 1: timed out waiting for the condition`,
  },
  {
    id: 'disk-is-full',
    title: 'the disk is full while the new operating system is written',
    after: sources.rpmOstree,
    code: 'N22',
    named: ['worker-2', 'min-free-space'],
    reason: `${pull} ${rebase} Writing content object: min-free-space-percent '3%' would be exceeded, at least 4.1 kB requested\n: exit status 1`,
  },
  {
    id: 'disk-is-broken',
    title: 'the disk answers with errors',
    after: sources.rpmOstree,
    code: 'N23',
    named: ['worker-2', 'Input/output error'],
    reason: `${pull} ${rebase} fsync: Input/output error\n: exit status 1`,
  },
  {
    id: 'package-script-fails',
    title: 'the script of a package fails in its sandbox',
    after: sources.rpmOstree,
    code: 'N24',
    named: ['worker-2', '%post'],
    reason: `${pull} ${rebase} Running %post for fuse: bwrap(/bin/sh): Child process exited with code 1\n: exit status 1`,
  },
  {
    id: 'package-repository-is-gone',
    title: 'the repository of layered packages cannot be reached',
    after: sources.okdRepositories,
    code: 'N25',
    named: ['worker-2', 'No enabled repositories'],
    reason: `${pull} ${rebase} No enabled repositories\n: exit status 1`,
  },
  {
    id: 'no-core-os',
    title: 'the node does not run CoreOS',
    after: sources.daemon,
    code: 'N26',
    named: ['worker-2', 'rpm-ostree'],
    reason: 'error running rpm-ostree status --json: exec: "rpm-ostree": executable file not found in $PATH',
  },
  {
    id: 'node-and-annotation-disagree',
    title: 'the node keeps another current config than its annotation says',
    after: sources.daemon,
    code: 'N28',
    named: ['worker-2', 'rendered-worker-ccc'],
    reason:
      'error current config rendered-worker-ccc on disk does not match current config on annotation: rendered-worker-aaa',
  },
  {
    id: 'installed-with-another-config',
    title: 'the bootstrap has rendered another configuration than the cluster',
    after: sources.daemon,
    code: 'N29',
    named: ['worker-2', 'bootstrap'],
    reason:
      'bootstrap generated MC rendered-worker-aaa and in-cluster generated MC rendered-worker-bbb for this node do not match. Please check machine-config-daemon logs',
  },
  {
    id: 'kernel-argument-refused',
    title: 'rpm-ostree cannot take a kernel argument away',
    after: sources.rpmOstree,
    code: 'N30',
    named: ['worker-2', 'nosmt'],
    reason: "error running rpm-ostree kargs --delete=nosmt: error: No key 'nosmt' found\n: exit status 1",
  },
  {
    id: 'api-server-does-not-answer-the-daemon',
    title: 'the daemon cannot write that it is done',
    after: sources.daemon,
    code: 'N31',
    named: ['worker-2', 'etcdserver'],
    reason: "error setting node's state to Done: etcdserver: request timed out",
  },
  {
    id: 'pull-secret-unusable',
    title: 'the pull secret on the node is missing',
    after: sources.rpmOstree,
    code: 'N32',
    named: ['worker-2', 'config.json'],
    reason: 'error while ensuring access to pull secrets: open /var/lib/kubelet/config.json: no such file or directory',
  },
  {
    id: 'boot-loader-not-updated',
    title: 'the boot loader cannot be updated',
    after: sources.daemon,
    code: 'N33',
    named: ['worker-2', 'bootupctl'],
    reason: 'bootupctl fallback EFI copy: exit status 1',
  },
  {
    id: 'user-core-not-set-up',
    title: 'the password of user core cannot be changed',
    after: sources.daemon,
    code: 'N34',
    named: ['worker-2', 'usermod'],
    reason: 'failed to change password for core: usermod: user core is currently used by process 1: exit status 8',
  },
  {
    id: 'changes-in-etc-not-merged',
    title: 'a file that somebody changed in /etc is a folder in the new operating system',
    after: 'https://github.com/ostreedev/ostree/blob/main/src/libostree/ostree-sysroot-deploy.c',
    code: 'N35',
    named: ['worker-2', 'newly defaults to directory'],
    reason:
      "error running rpm-ostree rebase x: error: During /etc merge: Modified config file newly defaults to directory 'foo', cannot merge: exit status 1",
  },
  {
    id: 'image-of-another-architecture',
    title: 'the image of the operating system is of another architecture',
    after: 'https://github.com/ostreedev/ostree-rs-ext/blob/main/lib/src/container/store.rs',
    code: 'N36',
    named: ['worker-2', 'arm64'],
    reason: 'error running rpm-ostree rebase x: error: Image has architecture arm64; expected amd64: exit status 1',
  },
  {
    id: 'something-stands-in-the-way-of-a-file',
    title: 'a file stands where a folder is to be',
    after: sources.daemon,
    code: 'N9',
    named: ['worker-2', 'not a directory'],
    reason: 'failed to create directory "/etc/foo/bar": mkdir /etc/foo: not a directory',
  },
];

/** Releases 4.16 to 4.21 tell of the retries and keep the error in the log. */
const untold = 'Failed to update OS to quay.io/os@sha256:abc after retries: timed out waiting for the condition';

/** What the daemon says of a node that it gave up. The texts are those of the MCO's source. */
export const degradedNodes: readonly Situation[] = [
  situation({
    id: 'file-edited',
    title: 'somebody edited a file that a MachineConfig owns, on a node at rest',
    after: sources.onDisk,
    expected: cause('N1', ['worker-2', '/etc/chrony.conf']),
    world: {
      nodes: [
        aLiveNode('worker-1'),
        aLiveNode('worker-2', {
          annotations: {
            state: 'Degraded',
            reason:
              'unexpected on-disk state validating against rendered-worker-aaa: content mismatch for file "/etc/chrony.conf"',
          },
        }),
        aLiveNode('worker-3'),
      ],
    },
    pools: [
      aRollingPoolObject(
        aWorld({
          nodes: [
            aLiveNode('worker-1'),
            aLiveNode('worker-2', {
              annotations: {
                state: 'Degraded',
                reason:
                  'unexpected on-disk state validating against rendered-worker-aaa: content mismatch for file "/etc/chrony.conf"',
              },
            }),
            aLiveNode('worker-3'),
          ],
        }),
        { target: 'rendered-worker-aaa', counts: { updated: 2, ready: 2, unavailable: 1 } },
      ),
    ],
  }),
  situation({
    id: 'file-mode-changed',
    title: 'the mode of a file was changed by hand',
    after: sources.onDisk,
    expected: cause('N1', ['worker-2', '/etc/audit/rules.d/a.rules']),
    world: failing(
      'mode mismatch for file: "/etc/audit/rules.d/a.rules"; expected: -rw-r--r--/420; received: -rwxr-xr-x/493',
    ),
  }),
  situation({
    id: 'booted-the-old-system',
    title: 'the node came up with the old operating system',
    after: sources.daemon,
    expected: cause('N2', ['worker-2', 'osImageURL']),
    world: failing(
      'unexpected on-disk state validating against rendered-worker-bbb: expected target osImageURL "quay.io/os@sha256:new", have "quay.io/os@sha256:old" ("old")',
    ),
  }),
  situation({
    id: 'fell-back-after-a-failed-boot',
    title: 'the new deployment was never finished for want of space, and ostree fell back to the known-good one',
    after: sources.daemon,
    expected: cause('N16', ['worker-2', 'No space left']),
    world: {
      nodes: [
        aLiveNode('worker-1'),
        aLiveNode('worker-2', {
          annotations: {
            state: 'Degraded',
            desiredConfig: newConfig,
            reason:
              'unexpected on-disk state validating against rendered-worker-bbb: expected target osImageURL "quay.io/os@sha256:new", have "quay.io/os@sha256:old" ("old")',
            'ostree-finalize-staged-failure': 'error: Installing kernel: regfile copy: No space left on device',
          },
        }),
      ],
    },
  }),
  situation({
    id: 'kernel-arguments-lost',
    title: 'kernel arguments are missing',
    after: sources.onDisk,
    expected: cause('N3', ['worker-2', 'nosmt']),
    world: failing(
      'unexpected on-disk state validating against rendered-worker-bbb: missing expected kernel arguments: [nosmt]',
    ),
  }),
  situation({
    id: 'rendered-config-pruned',
    title: 'the rendered configuration that the node is to have was deleted',
    after: sources.missingRendered,
    expected: cause('N4', [newConfig]),
    world: failing(`machineconfig.machineconfiguration.openshift.io "${newConfig}" not found`),
  }),
  situation({
    id: 'rendered-config-is-back',
    title: 'it was deleted, and the MCO has rendered it again: only the daemon must try again',
    after: sources.missingRenderedOkd,
    expected: cause('N4', [newConfig]),
    world: {
      ...failing(`machineconfig.machineconfiguration.openshift.io "${newConfig}" not found`),
      machineConfigs: [{ metadata: { name: newConfig, uid: 'u' } }],
    },
  }),
  situation({
    id: 'nobody-tries-again',
    title: 'it is back for forty minutes, and the daemon has not tried again: it needs a nudge',
    after: sources.noRetry,
    expected: cause('N17', ['worker-2', newConfig]),
    world: {
      ...failing(`machineconfig.machineconfiguration.openshift.io "${newConfig}" not found`),
      machineConfigs: [{ metadata: { name: newConfig, uid: 'u', creationTimestamp: minutesAgo(40) } }],
    },
  }),
  situation({
    id: 'registry-refuses-credentials',
    title: 'the registry of the operating system image refuses the credentials',
    after: sources.pivotRunbook,
    expected: cause('N5', ['unauthorized']),
    world: failing(`${pull} error: unauthorized: access to the requested resource is not authorized`),
  }),
  situation({
    id: 'image-is-not-in-the-mirror',
    title: 'the mirror lacks the operating system image: three nodes alike',
    after: sources.pivotRunbook,
    expected: cause('N5', ['manifest unknown'], 'Node worker-1'),
    world: {
      nodes: ['worker-1', 'worker-2', 'worker-3'].map((name) =>
        aLiveNode(name, {
          annotations: { state: 'Degraded', reason: `${pull} manifest unknown`, desiredConfig: newConfig },
        }),
      ),
    },
  }),
  situation({
    id: 'registry-name-not-resolved',
    title: 'in the words of older releases: the name of the registry is not resolved',
    after: sources.rpmOstree,
    expected: cause('N5', ['no such host']),
    world: failing(
      'failed to update OS to quay.io/os@sha256:abc : error running rpm-ostree rebase: dial tcp: lookup quay.io: no such host',
    ),
  }),
  situation({
    id: 'rpm-ostree-busy',
    title: 'rpm-ostree is busy with another transaction',
    after: sources.rpmOstree,
    expected: cause('N6', ['Transaction in progress']),
    world: failing('error running rpm-ostree kargs: error: Transaction in progress: rebase'),
  }),
  situation({
    id: 'extension-missing',
    title: 'an extension cannot be installed',
    after: sources.rpmOstree,
    expected: cause('N7', ['kernel-devel']),
    world: failing('extension "kernel-devel" verification failed: not in the image'),
  }),
  situation({
    id: 'disks-cannot-change',
    title: 'a MachineConfig changes disks, which cannot be done in place',
    after: sources.reconcile,
    expected: cause('N8', ['disks']),
    world: failing(
      "can't reconcile config rendered-worker-aaa with rendered-worker-bbb: ignition disks section contains changes",
      'Unreconcilable',
    ),
  }),
  situation({
    id: 'unit-name-misspelt',
    title: 'a unit of the new configuration cannot be enabled',
    after: sources.daemon,
    expected: cause('N9', ['chronyd2.service']),
    world: failing('error enabling units: Failed to enable unit: Unit file chronyd2.service does not exist.'),
  }),
  situation({
    id: 'service-does-not-restart',
    title: 'a service that the change asks to restart does not',
    after: sources.daemon,
    expected: cause('N10', ['crio']),
    world: failing('could not apply update: restarting crio service failed. Error: exit status 1'),
  }),
  situation({
    id: 'disruption-policy-not-ready',
    title: 'the node disruption policy was not computed yet',
    after: sources.daemon,
    expected: cause('N11', ['NodeDisruptionPolicyStatus']),
    world: failing('NodeDisruptionPolicyStatus was not ready: generation 2, observed 1'),
  }),
  situation({
    id: 'kubelet-unhealthy',
    title: 'the kubelet fails its health check',
    after: sources.kubeletRunbook,
    expected: cause('N12', ['kubelet']),
    world: failing('kubelet health check has failed 3 times: Get "http://localhost:10248/healthz": connection refused'),
  }),
  situation({
    id: 'certificates-not-written',
    title: "the cluster's certificates cannot be written",
    after: sources.certificates,
    expected: cause('N13', ['ControllerConfig']),
    world: failing('could not get ControllerConfig: context deadline exceeded'),
  }),
  situation({
    id: 'reboot-command-failed',
    title: 'the reboot command itself failed',
    after: sources.rebootRunbook,
    expected: cause('N15', ['reboot']),
    world: failing('reboot command failed, something is seriously wrong'),
  }),
  situation({
    id: 'unknown-words-of-the-daemon',
    title: 'a reason that nobody knows: it is passed on, and nothing is claimed',
    after: sources.daemon,
    expected: cause('N0', ['the moon is in the wrong house']),
    world: failing('the moon is in the wrong house'),
  }),
  situation({
    id: 'not-uncordoned',
    title: 'the update is done, and the machine-config-controller has not uncordoned the node',
    after: sources.drainController,
    expected: cause('D5', ['worker-2']),
    world: failing(
      'failed to uncordon node: worker-2 after 10 minutes. Please see machine-config-controller logs for more information',
    ),
  }),
  situation({
    id: 'drain-fails-without-a-blocker',
    title: 'the drain goes on, and what it named before is gone: the next attempt may pass',
    after: sources.drainLogs,
    expected: { pool: 'worker', kind: 'drain-blocked', code: 'D0', about: 'Node worker-2', named: ['worker-2'] },
    world: {
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
      machines: [drainFailing('worker-2', 'error when evicting pods/"web-a" -n "shop": global timeout reached: 1m30s')],
    },
  }),
  ...texts.map(({ id, title, after, code, named, reason }) =>
    situation({ id, title, after, expected: cause(code, named), world: failing(reason) }),
  ),
  situation({
    id: 'retries-hide-the-error',
    title: 'the text tells of the retries alone: what may be the cause is listed, and nothing is claimed',
    after: sources.daemon,
    expected: cause('N18', ['worker-2', 'after retries']),
    world: failing(untold),
  }),
];
