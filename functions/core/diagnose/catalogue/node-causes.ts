import type { CauseFamily } from './cause.ts';

export const degradedNodes: CauseFamily = {
  name: 'The daemon of a node gives up (N)',
  about:
    "Told by the daemon itself: the node's annotation reason, its MachineConfigNode, or the pool's condition NodeDegraded.",
  causes: [
    {
      code: 'N0',
      title: 'cause not known',
      meaning: 'The node is Degraded with a text that the catalogue does not know. It is quoted.',
      knownBy: 'No pattern fits.',
      remedy: "Read the quoted text; the daemon's log says more.",
    },
    {
      code: 'N1',
      title: 'files on disk were edited',
      meaning: 'A file or unit on the node is no longer as its MachineConfig says. It is drift, no rollout.',
      knownBy: 'content mismatch, mode mismatch, could not stat file, unit expected enabled.',
      remedy: 'Put it back, or bring the edit into a MachineConfig. Else the force file, which reboots the node.',
    },
    {
      code: 'N2',
      title: 'booted the old operating system',
      meaning:
        'The node came back on another operating system than it was given: as a rule the new one failed to boot and the node fell back to its known-good one.',
      knownBy: 'expected target osImageURL ..., have ...',
      remedy: 'See why the new deployment was not finished (full disk, /boot).',
    },
    {
      code: 'N3',
      title: 'kernel arguments are missing',
      meaning: 'Something else edits the boot loader of the node.',
      knownBy: 'missing expected kernel arguments.',
      remedy: 'Find the other editor; the force file writes them anew.',
    },
    {
      code: 'N4',
      title: 'rendered config is gone',
      meaning: 'The rendered config that the node points to does not exist any more: pruned, or deleted with its pool.',
      knownBy: 'The daemon says not found, and the API server confirms it by a 404.',
      remedy: 'Restore it, or point the node to one that exists.',
    },
    {
      code: 'N5',
      title: 'operating system image cannot be pulled',
      meaning:
        'The image cannot be pulled: credentials, name resolution, certificate, network or space, as the text tells.',
      knownBy: 'failed to update OS to ..., and on how many nodes the same.',
      remedy: 'All nodes: registry, pull secret, mirror. One node: its network or disk.',
    },
    {
      code: 'N6',
      title: 'rpm-ostree is busy',
      meaning: 'Another transaction runs on the node.',
      knownBy: 'Transaction in progress.',
      remedy: 'Wait; if it lasts, restart rpm-ostreed there.',
    },
    {
      code: 'N7',
      title: 'extensions cannot be installed',
      meaning: 'The kernel or the extensions that are asked for cannot be brought in.',
      knownBy: 'Texts about the extensions image, verification, missing packages.',
      remedy: 'Correct extensions and kernelType, or the access to the extensions image.',
    },
    {
      code: 'N8',
      title: 'change cannot be applied in place',
      meaning: 'Disks, filesystems, users or FIPS cannot be changed on a running node.',
      knownBy: "can't reconcile config ..., and the state Unreconcilable.",
      remedy: 'Revert that MachineConfig in Git; storage and FIPS need a new node.',
    },
    {
      code: 'N9',
      title: 'file or unit cannot be applied',
      meaning: 'A file cannot be written or a unit not be enabled.',
      knownBy: 'error enabling units, could not write systemd unit and the like.',
      remedy: 'Correct the MachineConfig in Git.',
    },
    {
      code: 'N10',
      title: 'service cannot be restarted',
      meaning: 'A service that the disruption policy restarts or reloads fails to.',
      knownBy: 'could not apply update: restarting ... failed.',
      remedy: 'Look at the service on the node.',
    },
    {
      code: 'N11',
      title: 'disruption policy is not ready',
      meaning: 'The daemon waits for the node disruption policy to be computed.',
      knownBy: 'NodeDisruptionPolicyStatus was not ready.',
      remedy: 'Wait; if it lasts, look at the machine-config operator.',
    },
    {
      code: 'N12',
      title: 'kubelet is unhealthy',
      meaning: 'The kubelet fails its health check.',
      knownBy: 'kubelet health check has failed.',
      remedy: 'Read what the kubelet says.',
    },
    {
      code: 'N13',
      title: 'certificates cannot be written',
      meaning: "The daemon cannot write the cluster's certificates.",
      knownBy: 'could not get ControllerConfig, malformed certificate.',
      remedy: 'Look at the ControllerConfig and the machine-config operator.',
    },
    {
      code: 'N15',
      title: 'reboot failed',
      meaning: 'The reboot command itself failed.',
      knownBy: 'reboot command failed.',
      remedy: 'Reboot it by hand, from its console if need be.',
    },
    {
      code: 'N16',
      title: 'fell back after a failed boot',
      meaning:
        'The node was rebooted for its update and came up as it was before: the new deployment did not boot or was never finished, and ostree fell back to the known-good one.',
      knownBy:
        'Its boot id changed since it was targeted, or the boot before left a finalize error, and it still has the old config or the old operating system.',
      remedy: 'The journal of the boot that failed; free /boot or the disk. It tries again by itself.',
    },
    {
      code: 'N17',
      title: 'cause is gone, nobody tries again',
      meaning:
        'What the daemon complains of is over, and it has not tried again since: the node stays Degraded until somebody nudges it.',
      knownBy:
        'The missing object exists again, the drain is done, or the text is about another target; and the last write of the daemon is older than that.',
      remedy: "Start the node's config daemon anew; else the force file.",
    },
  ],
};

export const standstills: CauseFamily = {
  name: 'A pool or node stands still (S, W)',
  about: 'Nothing is Degraded, and yet nothing moves.',
  causes: [
    {
      code: 'S1',
      title: 'cordoned by hand',
      meaning: 'A node is cordoned and no drain is asked for: it uses up the budget of unavailable nodes.',
      knownBy: 'spec.unschedulable with state Done; the writer of the field and the time of the taint.',
      remedy: 'Uncordon it, if nobody needs it cordoned.',
    },
    {
      code: 'S2',
      title: 'node is not ready',
      meaning: 'The kubelet is silent or says that the node is not ready, outside of a reboot.',
      knownBy: 'Condition Ready.',
      remedy: 'The machine, its console, its network; replace it if it does not come back.',
    },
    {
      code: 'S3',
      title: 'node did not come back',
      meaning: 'The node was rebooted and is not ready since.',
      knownBy: 'post-config-action is Rebooting and Ready is not True.',
      remedy: 'Console; read what the kubelet says.',
    },
    {
      code: 'S4',
      title: 'config daemon does not run',
      meaning: 'Nobody on the node does what the MCO asks for.',
      knownBy: "The daemon's pod on the node is missing or not ready.",
      remedy: 'Start the daemon anew; look at taints and image pulls.',
    },
    {
      code: 'S6',
      title: 'change behind a pause',
      meaning: 'The pool is paused and a change waits.',
      knownBy: 'spec.paused, the writer of the field, and the two configurations of the pool.',
      remedy: 'Resume it when its owner is done; everything that waits then goes out at once.',
    },
    {
      code: 'S7',
      title: 'node in several custom pools',
      meaning: 'Two custom pools select the node, so it belongs to none and gets no update.',
      knownBy: "The node's labels against the selectors of all pools.",
      remedy: 'Take away the role label that is not meant.',
    },
    {
      code: 'S8',
      title: 'node in no pool',
      meaning: 'No pool selects the node any more, though the MCO has configured it: it gets no update.',
      knownBy: "The node's labels against the selectors of all pools; all nodes are looked at once with each sweep.",
      remedy: 'Give back the label that its pool selects by, or bring its pool back.',
    },
    {
      code: 'S9',
      title: 'custom pool on the control plane',
      meaning:
        'A custom pool selects a node of the control plane, which stays there: what is meant for the pool never reaches it.',
      knownBy: "The node's labels against the selectors of all pools.",
      remedy: 'Take the label of the custom pool away from control plane nodes.',
    },
    {
      code: 'S10',
      title: 'change is not rendered',
      meaning: 'A sync applied a MachineConfig and the render does not list it, and the MCO says nothing.',
      knownBy:
        "The pool's sources against what the sync applied; KubeletConfigs, ContainerRuntimeConfigs and the ControllerConfig are looked at.",
      remedy: 'See what is quoted; else the machine-config-controller.',
    },
    {
      code: 'S11',
      title: 'disk or network of a node',
      meaning: 'The node answers and takes no pods.',
      knownBy: 'Conditions DiskPressure or NetworkUnavailable.',
      remedy: 'Free space; look at the network plugin.',
    },
    {
      code: 'S12',
      title: 'budget of the pool is used up',
      meaning: 'Nodes wait because as many as may be unavailable already are.',
      knownBy: 'maxUnavailable against the nodes that are cordoned or not ready.',
      remedy: 'See the nodes named below it.',
    },
    {
      code: 'S13',
      title: 'MCO controller does not run',
      meaning:
        'No machine-config-controller is ready: nothing is rendered, no node is updated or uncordoned, no pause is taken note of.',
      knownBy: 'Its pods; looked at before a resume and where a pool stands still for no other reason.',
      remedy: 'See why its pod does not run.',
    },
    {
      code: 'S14',
      title: 'MCO server does not run',
      meaning: 'No machine-config-server is ready: no new machine can join, so a second node cannot be added.',
      knownBy: 'Its pods; looked at before a resume.',
      remedy: 'See why its pods do not run.',
    },
    {
      code: 'S15',
      title: 'machine has failed',
      meaning:
        'The machine of a lost node has failed at its provider, or does not exist any more: the node does not come back by itself.',
      knownBy: "The Machine that the node's annotation names: its phase and error, or a 404.",
      remedy: 'Delete the machine; its MachineSet makes a new one.',
    },
    {
      code: 'K1',
      title: 'part of the platform is not well',
      meaning:
        'A cluster operator that the finding above depends on (API server, etcd, network, machine-config and others) is degraded.',
      knownBy: 'Its own conditions Available and Degraded.',
      remedy: 'Mend it first: oc describe clusteroperator.',
    },
    {
      code: 'W1',
      title: 'step takes too long',
      meaning: 'A step takes longer than it may, and no error is told.',
      knownBy: "The node's annotations, its config daemon, its MachineConfigNode.",
      remedy: 'Look at the node; the daemon tries again by itself.',
    },
  ],
};
