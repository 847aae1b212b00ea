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
];
