import { annotations } from '../machine-config/node-annotations.ts';
import { release } from './platform.ts';

/** A node that is ready and has its configuration, without role labels. */
export function nodeObject(
  name: string,
  { configuration, uid, time }: { readonly configuration: string; readonly uid: string; readonly time: string },
) {
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  const resources = { cpu: '4', memory: '16Gi', pods: '250' };
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.openshift.io/os_id': 'rhel',
      },
      annotations: {
        [annotations.currentConfig]: configuration,
        [annotations.desiredConfig]: configuration,
        [annotations.state]: 'Done',
        [annotations.reason]: '',
        [annotations.desiredDrain]: `uncordon-${configuration}`,
        [annotations.lastAppliedDrain]: `uncordon-${configuration}`,
        [annotations.postConfigAction]: '',
        [annotations.controlPlaneTopology]: 'HighlyAvailable',
        'machine.openshift.io/machine': `openshift-machine-api/${name}`,
      },
    },
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
        condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
      ],
      nodeInfo: {
        bootID: uid,
        kubeletVersion: release.kubernetes,
        osImage: 'Red Hat Enterprise Linux CoreOS 9.6',
        operatingSystem: 'linux',
        architecture: 'amd64',
        containerRuntimeVersion: 'cri-o://1.34.1',
      },
    },
  };
}
