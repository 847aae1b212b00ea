import { causeTitles } from '../cause-titles.ts';
import type { CauseFamily } from './cause.ts';

export const drains: CauseFamily = {
  name: 'A node cannot be drained (D)',
  about: 'What is seen first. The finding below it says why.',
  causes: [
    {
      code: 'D0',
      title: causeTitles.D0,
      meaning: 'No pod was found that stops the drain now; what it named before may be gone.',
      knownBy:
        "The node's desiredDrain and lastAppliedDrain differ; its MachineConfigNode, its events and its pods name no blocker.",
      remedy: 'Wait; the MCO tries again after a minute, later every five minutes.',
      sources: [
        'https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/drain/drain_controller.go',
      ],
    },
    {
      code: 'D1',
      title: causeTitles.D1,
      meaning: 'A disruption budget refuses the eviction of a pod.',
      knownBy:
        'The drain error names the pod (global timeout while evicting, or the budget text), and it is still on the node.',
      remedy: 'See the budget finding (P) below it.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigControllerDrainError.md',
      ],
    },
    {
      code: 'D2',
      title: causeTitles.D2,
      meaning: 'The eviction was accepted, and the pod does not die.',
      knownBy: 'The drain error waits for the pod to terminate, or the pod carries a deletionTimestamp.',
      remedy: 'See the termination finding (T) below it.',
      sources: [
        'https://github.com/openshift/runbooks/blob/master/alerts/machine-config-operator/MachineConfigControllerDrainError.md',
      ],
    },
    {
      code: 'D3',
      title: causeTitles.D3,
      meaning: 'An admission webhook denies the eviction or does not answer.',
      remedy: 'See T5.',
      sources: ['https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/'],
    },
    {
      code: 'D5',
      title: causeTitles.D5,
      meaning: 'The node is updated, and the machine-config-controller has not taken the cordon away.',
      knownBy: "An open uncordon request in the node's annotations, or the daemon's reason.",
      remedy: 'Look at the machine-config-controller, or at what refuses it: the cause beneath.',
      sources: [
        'https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/drain/drain_controller.go',
      ],
    },
    {
      code: 'D6',
      title: causeTitles.D6,
      meaning: 'Something else uncordons the node while the MCO drains it, so that pods come back.',
      knownBy: 'A drain is asked for, spec.unschedulable is false, and its last writer is not the MCO.',
      remedy: 'Stop the other automation until the update is over.',
      sources: [
        'https://github.com/openshift/machine-config-operator/blob/main/pkg/controller/drain/drain_controller.go',
      ],
    },
  ],
};

export const budgets: CauseFamily = {
  name: 'A disruption budget refuses (P)',
  about:
    'Which budget covers the pod, and why it has nothing to spare. Selectors are matched in full, in the namespace of the pod.',
  causes: [
    {
      code: 'P0',
      title: causeTitles.P0,
      meaning: 'The budget refused the eviction and allows one now.',
      knownBy: 'disruptionsAllowed is above 0 when it is read.',
      remedy: 'Wait for the next attempt.',
      sources: ['https://kubernetes.io/docs/concepts/workloads/pods/disruptions/'],
    },
    {
      code: 'P1',
      title: causeTitles.P1,
      meaning: 'The budget demands every pod there is.',
      knownBy:
        'desiredHealthy is not below expectedPods, more than one, all numbers current, and the owner has made all its pods.',
      remedy: 'In Git: maxUnavailable 1 or one replica more. For this window only: the printed patch, with its undo.',
      notFor: 'A budget of the platform (P8). One that an operator made: change what it is made from.',
      sources: ['https://kubernetes.io/docs/tasks/run-application/configure-pdb/'],
    },
    {
      code: 'P2',
      title: causeTitles.P2,
      meaning: 'The workload runs one pod and its budget forbids losing it.',
      knownBy: 'expectedPods is 1 and desiredHealthy is 1, and the owner of the pod wants no more.',
      remedy: 'Run two replicas, at least for the window, or accept a short outage.',
      notFor: 'Deleting the pod where nothing else serves its users.',
      sources: [
        'https://kubernetes.io/docs/tasks/run-application/configure-pdb/',
        'https://github.com/operate-first/operations/issues/453',
      ],
    },
    {
      code: 'P3',
      title: causeTitles.P3,
      meaning: 'The budget would spare one if all were healthy. The finding below says which is not, and why.',
      knownBy: 'currentHealthy is below what is needed, and a sibling is Pending, not ready or going away.',
      remedy: 'Mend that pod; the drain then goes on.',
      sources: ['https://kubernetes.io/docs/concepts/workloads/pods/disruptions/'],
    },
    {
      code: 'P4',
      title: causeTitles.P4,
      meaning: 'A sibling is being evicted from another node that is drained, possibly of another pool.',
      knownBy: 'The sibling is terminating on a node with an open drain request.',
      remedy: 'Wait for the other drain, or pause one of the pools.',
      sources: ['https://kubernetes.io/docs/concepts/workloads/pods/disruptions/'],
    },
    {
      code: 'P5',
      title: causeTitles.P5,
      meaning: 'Kubernetes refuses every eviction of a pod that more than one budget covers.',
      knownBy: 'Two budgets of the namespace select the pod.',
      remedy: 'Change the selectors in Git, so that one budget covers it.',
      sources: ['https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/'],
    },
    {
      code: 'P6',
      title: causeTitles.P6,
      meaning: 'The controller cannot say what the budget allows, so it allows nothing.',
      knownBy:
        'Condition DisruptionAllowed is False with reason SyncFailed, or observedGeneration is behind; or it counts by owners (maxUnavailable, a percentage), expects no pod, and the pod has no owner.',
      remedy: 'A whole number as minAvailable, or a selector of pods with a scalable owner.',
      sources: ['https://kubernetes.io/docs/tasks/run-application/configure-pdb/'],
    },
    {
      code: 'P7',
      title: causeTitles.P7,
      meaning: 'The pod on the node is itself not ready, and the budget guards broken pods as well.',
      knownBy:
        'The pod is not ready, fewer than the desired pods are healthy, and unhealthyPodEvictionPolicy is not AlwaysAllow.',
      remedy: 'Mend the pod, or set unhealthyPodEvictionPolicy to AlwaysAllow.',
      sources: ['https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy'],
    },
    {
      code: 'P8',
      title: causeTitles.P8,
      meaning:
        'The budget belongs to an operator that guards a quorum or replicas (etcd, Ceph, KubeVirt and the like).',
      knownBy:
        'A namespace of the platform, or the budget of a virtual machine that was seen; elsewhere its controlling owner or the label of an operator: then at most likely, and never instead of P1, P2, P6 or P7.',
      remedy:
        'Bring what it guards back to health; where all is healthy, one more replica in its own configuration. Never edit the budget.',
      sources: ['https://github.com/longhorn/longhorn/issues/1286', 'https://github.com/kubevirt/kubevirt/pull/2091'],
    },
  ],
};

export const placements: CauseFamily = {
  name: 'A replacement finds no node (U)',
  about:
    'Decided from live nodes where that can be done: the scheduler reports only the first filter that fails on each node.',
  causes: [
    {
      code: 'self-deadlock',
      title: causeTitles['self-deadlock'],
      meaning: 'The pod that the budget waits for can only run on a node that is being drained for this update.',
      knownBy: 'Selector, affinity and taints evaluated on every node; all that is left is cordoned by this rollout.',
      remedy: 'Label or add a second node, widen the selector, or let the control plane take workloads for the window.',
      sources: [
        'https://docs.redhat.com/en/documentation/openshift_container_platform/4.19/html/nodes/working-with-nodes',
      ],
    },
    {
      code: 'U1',
      title: causeTitles.U1,
      meaning: 'The nodes that fit are cordoned, by hand or by an update that will end, or are not well.',
      knownBy:
        'spec.unschedulable and the taints of the node lifecycle controller of every fitting node, and whether the MCO asked for it.',
      remedy: 'Uncordon what nobody needs cordoned, mend the node, or wait for the one that comes back.',
      sources: ['https://kubernetes.io/docs/concepts/architecture/nodes/'],
    },
    {
      code: 'U2',
      title: causeTitles.U2,
      meaning: 'No node has what the pod asks for by node selector or affinity.',
      knownBy: 'nodeSelector and required nodeAffinity evaluated on the nodes.',
      remedy: 'Label a node that really has it, or widen the selector in Git.',
      sources: ['https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/'],
    },
    {
      code: 'U3',
      title: causeTitles.U3,
      meaning: 'Every node with the right labels bears a taint that the pod does not tolerate.',
      knownBy: 'Taints against tolerations, the key named from the node itself.',
      remedy: 'Add a node without the taint, or a toleration in Git.',
      sources: ['https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/'],
    },
    {
      code: 'U4',
      title: causeTitles.U4,
      meaning: 'The free nodes lack CPU, memory or another resource.',
      knownBy: "The scheduler's own words, and the autoscaler's events beside them.",
      remedy: 'Add a node or free room; a lower maxUnavailable keeps more nodes at work.',
      sources: ['https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/'],
    },
    {
      code: 'U5',
      title: causeTitles.U5,
      meaning: 'Each fitting node already runs a pod that this one must keep apart from.',
      knownBy: 'Required podAntiAffinity by host evaluated against the siblings, else the scheduler says it.',
      remedy: 'One node more or one replica less; or make the rule preferred.',
      sources: ['https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/'],
    },
    {
      code: 'U6',
      title: causeTitles.U6,
      meaning: 'Topology spread constraints leave no node.',
      remedy: 'A node in the missing domain, or a softer rule in Git.',
      sources: ['https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/'],
    },
    {
      code: 'U7',
      title: causeTitles.U7,
      meaning: 'The volume of the pod cannot be used from any free node.',
      remedy: 'Look at its PersistentVolumeClaims: zone, host, number of attached volumes.',
      sources: ['https://kubernetes.io/docs/concepts/storage/persistent-volumes/'],
    },
    {
      code: 'U8',
      title: causeTitles.U8,
      meaning: 'The host port that the pod asks for is taken on every free node.',
      remedy: 'Free the port on another node.',
      sources: ['https://kubernetes.io/docs/concepts/configuration/overview/'],
    },
    {
      code: 'U9',
      title: causeTitles.U9,
      meaning: 'A scheduling gate holds the pod back.',
      knownBy: 'PodScheduled has reason SchedulingGated; the pod names its gates.',
      remedy: 'Ask the controller that set the gate.',
      sources: ['https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/'],
    },
    {
      code: 'U10',
      title: causeTitles.U10,
      meaning: 'The scheduler sees no node it may use.',
      remedy: 'Bring a node back.',
      sources: ['https://kubernetes.io/docs/concepts/scheduling-eviction/'],
    },
    {
      code: 'U11',
      title: causeTitles.U11,
      meaning:
        'Another reason, quoted; or a node fits now and the scheduler has not tried again; or the scheduler that the pod asks for has never looked at it.',
      knownBy: 'The condition PodScheduled, and the nodes as they are.',
      remedy: 'Wait a minute; else read the quoted text.',
      sources: ['https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/'],
    },
  ],
};

export const siblings: CauseFamily = {
  name: 'A pod is not healthy (C)',
  about: 'Why a pod that has a node does not count as healthy, or does not exist.',
  causes: [
    {
      code: 'C1',
      title: causeTitles.C1,
      meaning: 'A container ends again and again.',
      knownBy: 'Waiting reason CrashLoopBackOff, with the reason, exit code and restarts of the last end.',
      remedy: 'Mend the application; more memory if it was OOMKilled.',
      sources: ['https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/'],
    },
    {
      code: 'C2',
      title: causeTitles.C2,
      meaning: 'The image of a container cannot be pulled.',
      knownBy: 'Waiting reason ImagePullBackOff, ErrImagePull or InvalidImageName.',
      remedy: 'Name, tag, pull secret, mirror.',
      sources: ['https://kubernetes.io/docs/concepts/containers/images/'],
    },
    {
      code: 'C3',
      title: causeTitles.C3,
      meaning: 'Something that a container refers to or waits for is missing or wrong.',
      knownBy:
        'Another waiting reason, as CreateContainerConfigError; or none is created two minutes after the pod began, with what its events say of volumes and network; or an init container that has not ended.',
      remedy: 'Restore the ConfigMap, Secret, command, volume or network; mend what the init container waits for.',
      sources: ['https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/'],
    },
    {
      code: 'C4',
      title: causeTitles.C4,
      meaning: 'The pod runs and is not ready.',
      knownBy: 'Condition Ready is False, and the events of its probes.',
      remedy: 'Mend what the readiness probe asks for.',
      sources: ['https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/'],
    },
    {
      code: 'C5',
      title: causeTitles.C5,
      meaning: 'The pod is younger than two minutes.',
      remedy: 'Wait.',
      sources: ['https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/'],
    },
    {
      code: 'C6',
      title: causeTitles.C6,
      meaning: 'The node on which the pod runs does not answer.',
      knownBy: "The pod's node is not ready.",
      remedy: 'Bring that node back first.',
      sources: ['https://kubernetes.io/docs/concepts/architecture/nodes/'],
    },
    {
      code: 'C7',
      title: causeTitles.C7,
      meaning: 'The owner could not create the pods that are missing: quota, admission, security constraints.',
      knownBy:
        'Nobody is unhealthy and the owner has made fewer pods than it should; its condition ReplicaFailure says why.',
      remedy: 'Mend what its message names.',
      sources: ['https://kubernetes.io/docs/concepts/policy/resource-quotas/'],
    },
  ],
};

export const terminations: CauseFamily = {
  name: 'An evicted pod stays, or the eviction itself fails (T)',
  about: 'The eviction was accepted and the pod is still there, or something other than a budget stands in the way.',
  causes: [
    {
      code: 'T1',
      title: causeTitles.T1,
      meaning: 'The pod is within the time it may take to shut down.',
      knownBy: 'deletionTimestamp lies ahead.',
      remedy: 'Wait.',
      notFor: 'Storage that does not end with the pod: force deletion lets two pods write to it.',
      sources: ['https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/'],
    },
    {
      code: 'T2',
      title: causeTitles.T2,
      meaning: 'The pod should be gone, and a finalizer keeps it.',
      knownBy: 'deletionTimestamp is past, the kubelet has let go of the pod, and finalizers are set.',
      remedy: 'Mend the controller that owns the finalizer. Taking it away is the last resort.',
      notFor: 'Taking the finalizer away while its controller runs: what it guards is lost.',
      sources: ['https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/'],
    },
    {
      code: 'T3',
      title: causeTitles.T3,
      meaning: 'The pod is overdue: a process does not end, or a volume cannot be unmounted.',
      knownBy: 'deletionTimestamp is past, no finalizer, the node answers; whether containers still run tells which.',
      remedy: 'Look at the process, or at the events of the node for volumes.',
      sources: ['https://github.com/rook/rook/issues/6327'],
    },
    {
      code: 'T4',
      title: causeTitles.T4,
      meaning: 'Nobody can confirm that the pod is dead, because its node does not answer.',
      knownBy: 'The pod is terminating and its node is not ready.',
      remedy: 'The node first.',
      notFor: 'Force deletion while the node may still run the pod: then two run.',
      sources: ['https://kubernetes.io/docs/concepts/architecture/nodes/'],
    },
    {
      code: 'T5',
      title: causeTitles.T5,
      meaning: 'An admission webhook denies evictions or the cordon of a node, or the Service behind it has nobody.',
      knownBy: 'The quoted webhook; its registration and the ready endpoints of its Service.',
      remedy: 'Bring its pods back, do what it asks for, or let it leave evictions alone.',
      sources: ['https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/'],
    },
    {
      code: 'T6',
      title: causeTitles.T6,
      meaning:
        'The API server answers an eviction or the cordon of a node with an error, or sheds evictions because it is busy.',
      knownBy:
        'The quoted drain error; evictions that are put off while no budget covers the pod; or condition Cordoned of the MachineConfigNode.',
      remedy: 'Wait; if it lasts, look at the control plane.',
      sources: ['https://kubernetes.io/docs/concepts/cluster-administration/flow-control/'],
    },
    {
      code: 'T7',
      title: causeTitles.T7,
      meaning: 'Permissions or a quota forbid the eviction.',
      knownBy: 'The quoted drain error.',
      remedy: 'Look at who may evict this pod.',
      sources: ['https://kubernetes.io/docs/reference/access-authn-authz/rbac/'],
    },
    {
      code: 'T8',
      title: causeTitles.T8,
      meaning: 'Its deletion does not finish.',
      knownBy: 'The drain error, and the conditions of the namespace that name what remains.',
      remedy: 'Mend the controller or API service that should remove what remains.',
      sources: ['https://github.com/kubernetes/kops/issues/5988'],
    },
    {
      code: 'T9',
      title: causeTitles.T9,
      meaning: 'The workload tolerates the cordon: evicted pods come back on the same node.',
      knownBy: 'A younger pod on the node with a toleration of node.kubernetes.io/unschedulable.',
      remedy: 'Take the toleration out of the workload in Git.',
      sources: ['https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/'],
    },
    {
      code: 'T10',
      title: causeTitles.T10,
      meaning: 'A virtual machine without live migration keeps its pod on the node.',
      knownBy: 'Condition LiveMigratable of the VirtualMachineInstance is False.',
      remedy: 'Make it migratable, or shut it down for the window.',
      sources: ['https://kubevirt.io/user-guide/compute/live_migration/'],
    },
  ],
};
