import { causeTitles } from '../cause-titles.ts';
import type { CauseFamily } from './cause.ts';

export const degradedNodes: CauseFamily = {
  name: 'The daemon of a node gives up (N)',
  about:
    "Told by the daemon itself: the node's annotation reason, its MachineConfigNode, or the pool's condition NodeDegraded.",
  causes: [
    {
      code: 'N0',
      title: causeTitles.N0,
      meaning:
        'The node is Degraded with a text that the catalogue does not know, or its pool is and none of its nodes says so.',
      remedy: "Read the quoted text, then the daemon's log around it: oc logs of its machine-config-daemon.",
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigDaemonRebootError.md',
      ],
    },
    {
      code: 'N1',
      title: causeTitles.N1,
      meaning: 'A file or unit is no longer as its MachineConfig says: drift, no rollout.',
      knownBy: 'content mismatch, mode mismatch, could not stat file, unit expected enabled.',
      remedy: 'Put it back, or bring the edit into a MachineConfig. Else the force file, which reboots the node.',
      notFor: 'The force file where something keeps changing the file: it differs again.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/on_disk_validation.go'],
    },
    {
      code: 'N2',
      title: causeTitles.N2,
      meaning:
        'The new operating system was never staged, was staged and not booted, failed to boot, or somebody rebased the node.',
      knownBy: 'expected target osImageURL ..., have ...',
      remedy: 'rpm-ostree status tells which; rebase the node to the wanted image and boot it.',
      notFor: 'The force file: it does not bring an image that was not pulled.',
      sources: ['https://github.com/okd-project/okd/issues/596'],
    },
    {
      code: 'N3',
      title: causeTitles.N3,
      meaning: 'The node was booted without arguments that its configuration asks for.',
      knownBy: 'missing expected kernel arguments.',
      remedy: 'rpm-ostree kargs tells whether the next boot has them.',
      notFor: 'The force file where another tool writes the boot entries.',
      sources: ['https://github.com/openshift/machine-config-operator/pull/3105'],
    },
    {
      code: 'N4',
      title: causeTitles.N4,
      meaning: 'The node points to a rendered config that was pruned, or deleted with its pool.',
      knownBy: 'The daemon says not found, and the API server confirms it by a 404.',
      remedy: 'Restore it, or point currentConfig and desiredConfig of the node to one that exists.',
      notFor: 'The force file: there is nothing to apply.',
      sources: [
        'https://github.com/openshift/machine-config-operator/issues/2010',
        'https://github.com/okd-project/okd/issues/963',
      ],
    },
    {
      code: 'N5',
      title: causeTitles.N5,
      meaning: 'Credentials, name resolution, certificate, network or space, as the text tells.',
      knownBy: 'The answer of the registry as the innermost error of a pull or rebase; on how many nodes.',
      remedy: 'All nodes: registry, pull secret, mirror. One node: its network or disk.',
      notFor: 'A full disk, which is N22.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigDaemonPivotError.md',
      ],
    },
    {
      code: 'N6',
      title: causeTitles.N6,
      meaning: 'Another transaction runs on the node.',
      knownBy: 'Transaction in progress.',
      remedy: 'Wait; if it lasts, restart rpm-ostreed there.',
      sources: ['https://github.com/coreos/rpm-ostree/blob/main/src/daemon/rpmostreed-transaction.cxx'],
    },
    {
      code: 'N7',
      title: causeTitles.N7,
      meaning: 'The kernel or the extensions that are asked for cannot be brought in.',
      knownBy: 'Texts about the extensions image, verification, missing packages.',
      remedy: 'Correct extensions and kernelType, or the access to the extensions image.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/update.go'],
    },
    {
      code: 'N8',
      title: causeTitles.N8,
      meaning: 'Disks, filesystems, users or FIPS cannot be changed on a running node.',
      knownBy: "can't reconcile config ..., and the state Unreconcilable.",
      remedy: 'Revert that MachineConfig in Git; storage and FIPS need a new node.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/common/reconcile.go'],
    },
    {
      code: 'N9',
      title: causeTitles.N9,
      meaning: 'A file cannot be written or a unit not be enabled.',
      knownBy: 'error enabling units, could not write systemd unit and the like.',
      remedy: 'Correct the MachineConfig in Git.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/file_writers.go'],
    },
    {
      code: 'N10',
      title: causeTitles.N10,
      meaning: 'A service that the disruption policy restarts or reloads fails to.',
      knownBy: 'could not apply update: restarting ... failed.',
      remedy: 'Look at the service on the node.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/update.go'],
    },
    {
      code: 'N11',
      title: causeTitles.N11,
      meaning: 'The daemon waits for the node disruption policy to be computed.',
      knownBy: 'NodeDisruptionPolicyStatus was not ready.',
      remedy: 'Wait; if it lasts, look at the machine-config operator.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/update.go'],
    },
    {
      code: 'N12',
      title: causeTitles.N12,
      meaning: 'The kubelet fails its health check.',
      knownBy: 'kubelet health check has failed.',
      remedy: 'Read what the kubelet says.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigDaemonRebootError.md',
      ],
    },
    {
      code: 'N13',
      title: causeTitles.N13,
      meaning: "The daemon cannot write the cluster's certificates.",
      knownBy: 'could not get ControllerConfig, malformed certificate.',
      remedy: 'Look at the ControllerConfig and the machine-config operator.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/certificate_writer.go'],
    },
    {
      code: 'N15',
      title: causeTitles.N15,
      meaning: 'The reboot command itself failed.',
      knownBy: 'reboot command failed.',
      remedy: 'Reboot it by hand, from its console if need be.',
      notFor: 'A node that is not drained: its pods are lost with the reboot.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigDaemonRebootError.md',
      ],
    },
    {
      code: 'N16',
      title: causeTitles.N16,
      meaning: 'The node came up unchanged: the new deployment did not boot or was never finished.',
      knownBy:
        'Its boot id changed since it was targeted, or the boot before left a finalize error, and config or operating system is the old one. By its config alone only where it does not run the system of a done node.',
      remedy: 'The journal of the boot that failed; free /boot or the disk. It tries again by itself.',
      notFor: 'The force file while /boot is full or the merge of /etc fails: the next boot ends in the same way.',
      sources: [
        'https://github.com/ostreedev/ostree/blob/main/src/libostree/ostree-sysroot-deploy.c',
        'https://github.com/coreos/fedora-coreos-tracker/issues/1196',
      ],
    },
    {
      code: 'N17',
      title: causeTitles.N17,
      meaning: 'The daemon does not try again: the node stays Degraded until somebody nudges it.',
      knownBy:
        "The missing object exists again, the drain is done, or the text is about another target; the daemon's last write is older.",
      remedy: "Start the node's config daemon anew; else the force file.",
      notFor:
        'A cause that is still there: the daemon gives up again. A node that is drained, written, rebooted or uncordoned meanwhile: it says Degraded until that is done.',
      sources: ['https://github.com/okd-project/okd/issues/593'],
    },
    {
      code: 'N18',
      title: causeTitles.N18,
      meaning: 'The text does not say why, or in words that the catalogue does not know.',
      knownBy:
        'A failed rebase without a known innermost error; releases 4.16 to 4.21 keep the error of the retries in the log.',
      remedy:
        "The daemon's log; then pull the image by hand, look for a full disk, for layered packages, for a stuck transaction.",
      notFor: 'The registry, before the text or the log names it.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/update.go'],
    },
    {
      code: 'N19',
      title: causeTitles.N19,
      meaning: 'Packages layered on the node, or overrides, do not fit the new operating system.',
      knownBy: 'rpm-ostree: could not depsolve, conflicting requests, packages not found, file conflicts.',
      remedy: 'See LayeredPackages in rpm-ostree status; remove what no MachineConfig asks for.',
      notFor: 'Extensions that a MachineConfig asks for: they come back; correct them in Git.',
      sources: ['https://github.com/okd-project/okd/issues/470', 'https://github.com/okd-project/okd/issues/1502'],
    },
    {
      code: 'N20',
      title: causeTitles.N20,
      meaning: 'The service is silent, does not start, or crashes.',
      knownBy: 'Timeout was reached, failed to activate service, loading sysroot, assertion failed, core dumped.',
      remedy: 'Read its journal; restart rpm-ostreed.',
      notFor: 'A full disk or a damaged file system: its journal says so.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigDaemonPivotError.md',
      ],
    },
    {
      code: 'N21',
      title: causeTitles.N21,
      meaning: 'rpm-ostree refuses to rebase to it, while the daemon believes that the node runs another.',
      knownBy: 'Old and new refs are equal.',
      remedy: 'rpm-ostree status; remove the staged deployment, or boot into it.',
      notFor: 'A staged deployment that is the wanted one: boot it rather than remove it.',
      sources: ['https://github.com/coreos/rpm-ostree/blob/main/src/daemon/rpmostreed-transaction-types.cxx'],
    },
    {
      code: 'N22',
      title: causeTitles.N22,
      meaning: 'A file system of the node has no room left.',
      knownBy: 'No space left on device, min-free-space, whatever the daemon was doing.',
      remedy: 'Find the full file system; free it.',
      notFor: '/boot is not freed by removing container images, nor /var by removing deployments.',
      sources: ['https://github.com/ostreedev/ostree/blob/main/src/libostree/ostree-repo-commit.c'],
    },
    {
      code: 'N23',
      title: causeTitles.N23,
      meaning:
        'The disk answers with errors, a file system has become read-only, or the ostree repository misses objects.',
      knownBy: 'Input/output error, read-only file system, corrupt, no such metadata object.',
      remedy: "The kernel's log; ostree fsck; else another machine.",
      notFor: 'A server that hands out a corrupted object: ostree fsck finds nothing then.',
      sources: ['https://github.com/coreos/rpm-ostree/issues/1178'],
    },
    {
      code: 'N24',
      title: causeTitles.N24,
      meaning: 'A script that rpm-ostree runs for a package fails in its sandbox.',
      knownBy: 'bwrap, %post, scriptlet.',
      remedy: 'The journal of rpm-ostreed; take the package away, or what hinders its script.',
      sources: ['https://github.com/coreos/rpm-ostree/blob/main/src/libpriv/rpmostree-scripts.cxx'],
    },
    {
      code: 'N25',
      title: causeTitles.N25,
      meaning: 'The node has no repository for packages that are layered on it, or cannot reach it.',
      knownBy: 'Updating rpm-md repo, cannot download, no enabled repositories.',
      remedy: 'Restore the repository, or take the packages away that need it.',
      sources: ['https://github.com/okd-project/okd/issues/1502'],
    },
    {
      code: 'N26',
      title: causeTitles.N26,
      meaning: 'The daemon finds another operating system than CoreOS, or lacks its tools.',
      knownBy: 'unexpected host OS, executable file not found.',
      remedy: 'Replace it with a CoreOS node; package-based RHEL workers are updated by their playbook.',
      notFor: 'A CoreOS node whose tools are only not in the path of the daemon: its log shows the command.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/osrelease/osrelease.go'],
    },
    {
      code: 'N28',
      title: causeTitles.N28,
      meaning: 'The configuration that the daemon keeps on the node cannot be read, or the annotations name another.',
      knownBy: 'does not match current config on annotation, could not get current config from disk and the like.',
      remedy: 'Compare /etc/machine-config-daemon/currentconfig with the annotations.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/daemon.go'],
    },
    {
      code: 'N29',
      title: causeTitles.N29,
      meaning: 'The cluster renders another configuration than the node was installed with.',
      knownBy: 'bootstrap generated MC ... do not match.',
      remedy: 'See the difference on the node; bring the two sets of manifests together.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/daemon.go'],
    },
    {
      code: 'N30',
      title: causeTitles.N30,
      meaning: 'rpm-ostree refuses to set or take away a kernel argument.',
      knownBy: 'error running rpm-ostree kargs.',
      remedy: 'Correct kernelArguments in Git.',
      sources: ['https://github.com/coreos/rpm-ostree/issues/2159'],
    },
    {
      code: 'N31',
      title: causeTitles.N31,
      meaning: 'The daemon could not read or write its node or MachineConfig, and tries again.',
      knownBy: 'Errors of the API server around set annotation, retrieve MachineConfig.',
      remedy: 'If it lasts: API server and etcd.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/writer.go'],
    },
    {
      code: 'N32',
      title: causeTitles.N32,
      meaning: 'It is missing, cannot be read or cannot be linked for rpm-ostree.',
      knownBy: 'error while ensuring access to pull secrets.',
      remedy: 'Look at /var/lib/kubelet/config.json on the node.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/rpm-ostree.go'],
    },
    {
      code: 'N33',
      title: causeTitles.N33,
      meaning: 'The boot loader of the node, or its configuration, cannot be written.',
      knownBy: 'bootupctl, EFI system partition, bootloader write config, grub2-mkconfig, zipl.',
      remedy: 'Look at its boot partitions.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/bootupd.go'],
    },
    {
      code: 'N34',
      title: causeTitles.N34,
      meaning: 'SSH keys or password of user core cannot be written.',
      knownBy: 'Errors about .ssh, authorized_keys, password.',
      remedy: 'Owner and mode of the folder; passwd of the MachineConfig.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/update.go'],
    },
    {
      code: 'N35',
      title: causeTitles.N35,
      meaning: 'A changed file or folder in /etc keeps ostree from carrying it over to the new operating system.',
      knownBy:
        'During /etc merge, while computing configuration diff, modified config file newly defaults to directory.',
      remedy: 'ostree admin config-diff on the node shows what differs; put back what is named.',
      notFor: 'A full or broken disk, which is N22 or N23.',
      sources: ['https://github.com/ostreedev/ostree/blob/main/src/libostree/ostree-sysroot-deploy.c'],
    },
    {
      code: 'N36',
      title: causeTitles.N36,
      meaning:
        "The image was pulled, and is of another architecture, not bootable, or made for a newer rpm-ostree than the node's.",
      knownBy: 'image has architecture, non-ostree layers, found multiple commit objects, missing xattrs.',
      remedy: 'Correct osImageURL in Git; update to a release between the two first.',
      sources: ['https://github.com/ostreedev/ostree-rs-ext/blob/main/lib/src/tar/import.rs'],
    },
  ],
};

export const standstills: CauseFamily = {
  name: 'A pool or node stands still (S, W)',
  about: 'Nothing is Degraded, and yet nothing moves.',
  causes: [
    {
      code: 'S1',
      title: causeTitles.S1,
      meaning: 'A node is cordoned and no drain is asked for: it uses up the budget of unavailable nodes.',
      knownBy: 'spec.unschedulable with state Done; the writer of the field and the time of the taint.',
      remedy: 'Uncordon it, if nobody needs it cordoned.',
      notFor: 'A cordon that somebody needs: ask whoever set it.',
      sources: [
        'https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/node/node_controller.go',
      ],
    },
    {
      code: 'S2',
      title: causeTitles.S2,
      meaning: 'The kubelet is silent or says that the node is not ready, outside of a reboot.',
      remedy: 'The machine, its console, its network; replace it if it does not come back.',
      notFor: 'A node of etcd: with two of three away there is no quorum.',
      sources: ['https://kubernetes.io/docs/concepts/architecture/nodes/'],
    },
    {
      code: 'S3',
      title: causeTitles.S3,
      meaning: 'The node was rebooted and is not ready since.',
      knownBy: 'post-config-action is Rebooting and Ready is not True.',
      remedy: 'Console; read what the kubelet says.',
      notFor: 'A node of etcd: with two of three away there is no quorum.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigDaemonRebootError.md',
      ],
    },
    {
      code: 'S4',
      title: causeTitles.S4,
      meaning: 'Nobody on the node does what the MCO asks for.',
      knownBy: "The daemon's pod on the node is missing or not ready.",
      remedy: 'Start the daemon anew; look at taints and image pulls.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigControllerPoolAlert.md',
      ],
    },
    {
      code: 'S6',
      title: causeTitles.S6,
      meaning: 'The pool is paused and a change waits.',
      knownBy: 'spec.paused, the writer of the field, and the two configurations of the pool.',
      remedy: 'Resume it when its owner is done: everything that waits then goes out.',
      sources: [
        'https://docs.redhat.com/en/documentation/openshift_container_platform/4.19/html/machine_configuration/machine-config-index',
      ],
    },
    {
      code: 'S7',
      title: causeTitles.S7,
      meaning:
        'Two custom pools select the node, so it belongs to none and gets no update. To the MCO arbiter is one of them.',
      knownBy: "The node's labels against the selectors of all pools.",
      remedy: 'Take away the role label that is not meant.',
      sources: [
        'https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/node/node_controller.go',
      ],
    },
    {
      code: 'S8',
      title: causeTitles.S8,
      meaning: 'No pool selects the node any more, though the MCO has configured it: it gets no update.',
      knownBy: "The node's labels against the selectors of all pools; all nodes are looked at once with each sweep.",
      remedy: 'Give back the label that its pool selects by, or bring its pool back.',
      sources: [
        'https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/node/node_controller.go',
      ],
    },
    {
      code: 'S9',
      title: causeTitles.S9,
      meaning: 'A custom pool selects a node of the control plane: what is meant for the pool never reaches it.',
      knownBy: "The node's labels against the selectors of all pools.",
      remedy: 'Take its label away from these nodes.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigControllerPoolAlert.md',
      ],
    },
    {
      code: 'S10',
      title: causeTitles.S10,
      meaning: 'A sync applied a MachineConfig and the render does not list it, and the MCO says nothing.',
      knownBy:
        "The pool's sources against what the sync applied; KubeletConfigs, ContainerRuntimeConfigs and the ControllerConfig are looked at.",
      remedy: 'See what is quoted; else the machine-config-controller.',
      sources: [
        'https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/render/render_controller.go',
      ],
    },
    {
      code: 'S11',
      title: causeTitles.S11,
      meaning: 'The node answers and takes no pods.',
      knownBy: 'Conditions DiskPressure or NetworkUnavailable.',
      remedy: 'Free space; look at the network plugin.',
      sources: ['https://kubernetes.io/docs/concepts/architecture/nodes/'],
    },
    {
      code: 'S12',
      title: causeTitles.S12,
      meaning:
        'Nodes wait because as many as may be unavailable already are, or because maxUnavailable is no valid number or percentage, so that the MCO takes none.',
      knownBy: 'maxUnavailable, and the nodes that are cordoned or not ready.',
      remedy: 'See the nodes named below it; set a valid maxUnavailable.',
      sources: [
        'https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/node/node_controller.go',
      ],
    },
    {
      code: 'S13',
      title: causeTitles.S13,
      meaning:
        'No machine-config-controller is ready: nothing is rendered, no node is updated or uncordoned, no pause is taken note of.',
      knownBy: 'Its pods; looked at before a resume and where a pool stands still.',
      remedy: 'See why its pod does not run.',
      sources: [
        'https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/node/node_controller.go',
      ],
    },
    {
      code: 'S14',
      title: causeTitles.S14,
      meaning: 'No machine-config-server is ready: no new machine can join, so a second node cannot be added.',
      knownBy: 'Its pods; looked at before a resume.',
      remedy: 'See why its pods do not run.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/server/cluster_server.go'],
    },
    {
      code: 'S15',
      title: causeTitles.S15,
      meaning:
        'The machine of a lost node has failed at its provider, or was not found: then the node does not come back by itself.',
      knownBy:
        "The Machine that the node's annotation names, unless it says that it is another node's: its phase and error, or a 404.",
      remedy: 'Delete the machine; its MachineSet makes a new one.',
      notFor: 'Machines of the control plane, and machines that no MachineSet makes again.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigDaemonRebootError.md',
      ],
    },
    {
      code: 'S16',
      title: causeTitles.S16,
      meaning:
        'The node is not ready, and a certificate signing request of it, or the first one of some kubelet, is pending: without it the kubelet may not talk to the API server.',
      knownBy:
        'CertificateSigningRequests without approval, for the signer of the client certificates of kubelets, by the one common name in the subject of the request.',
      remedy: 'Read the subject; if the request is of this node, approve it.',
      notFor: 'A request of an unknown node: approving lets it join.',
      sources: [
        'https://docs.redhat.com/en/documentation/openshift_container_platform/4.19/html/machine_management/user-infra-machines',
      ],
    },
    {
      code: 'S17',
      title: causeTitles.S17,
      meaning: 'The MCO gives no new configuration to a node that is not ready, so a revert does not reach it.',
      knownBy: 'desiredConfig of the node against spec.configuration of the pool, and condition Ready.',
      remedy: 'Set its annotation desiredConfig to what the pool wants.',
      notFor: 'The daemon on the node must run to act on it; a node whose kubelet is dead needs its console.',
      sources: [
        'https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/node/node_controller.go',
      ],
    },
    {
      code: 'S18',
      title: causeTitles.S18,
      meaning:
        'The config daemon on the node and the machine-config-controller run different images of the MCO. Told only where nothing else explains an error or a standstill.',
      knownBy: 'The image digests of both containers, as their kubelets report them.',
      remedy: 'See whether the update of the cluster, or of the DaemonSet, goes on, and what holds it up.',
      notFor:
        'An update of the cluster that has just begun: daemons are replaced some at a time, and before the controller.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/operator/sync.go'],
    },
    {
      code: 'K1',
      title: causeTitles.K1,
      meaning: 'A cluster operator that the finding above depends on is degraded.',
      knownBy: 'Its own conditions Available and Degraded, without what machine-config repeats of a pool.',
      remedy: 'Mend it first: oc describe clusteroperator.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigControllerDrainError.md',
      ],
    },
    {
      code: 'W1',
      title: causeTitles.W1,
      meaning: 'A step takes longer than it may, without an error.',
      knownBy: "The node's annotations, its config daemon, its MachineConfigNode.",
      remedy: 'Look at the node; the daemon tries again by itself.',
      sources: ['https://github.com/openshift/machine-config-operator/blob/main/pkg/daemon/update.go'],
    },
    {
      code: 'W2',
      title: causeTitles.W2,
      meaning: 'The node was asked to reboot for its update, is up and ready, and has not rebooted since.',
      knownBy:
        'post-config-action is Rebooting, Ready is True and has not changed since, and no other boot id was seen.',
      remedy: 'See what holds the reboot back (systemd inhibitors, the console); reboot it by hand once it is drained.',
      notFor: 'A node that is not drained yet.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigDaemonRebootError.md',
      ],
    },
  ],
};
