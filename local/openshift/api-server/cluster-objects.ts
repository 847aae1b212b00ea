import type { JsonObject } from './json.ts';
import type { Condition, KubernetesObject, LabelSelector } from './kubernetes-object.ts';

/** Only the fields that the simulated controllers read or write; everything else passes through the store untouched. */

export interface ConfigurationReference {
  name?: string;
  source?: { apiVersion: string; kind: string; name: string }[];
}

export interface MachineConfigPool extends KubernetesObject {
  spec: {
    paused?: boolean;
    maxUnavailable?: number | string;
    machineConfigSelector?: LabelSelector;
    nodeSelector?: LabelSelector;
    configuration?: ConfigurationReference;
  };
  status?: MachineConfigPoolStatus;
}

export interface MachineConfigPoolStatus {
  observedGeneration?: number;
  machineCount?: number;
  updatedMachineCount?: number;
  readyMachineCount?: number;
  unavailableMachineCount?: number;
  degradedMachineCount?: number;
  configuration?: ConfigurationReference;
  conditions?: Condition[];
}

export interface MachineConfig extends KubernetesObject {
  spec?: {
    config?: JsonObject;
    kernelArguments?: string[];
    kernelType?: string;
    extensions?: string[];
    fips?: boolean;
    osImageURL?: string;
  };
}

export interface MachineConfigNode extends KubernetesObject {
  spec: { node: { name: string }; pool: { name: string }; configVersion: { desired: string } };
  status?: {
    observedGeneration?: number;
    conditions?: Condition[];
    configVersion?: { current?: string; desired: string };
  };
}

/** KubeletConfig and ContainerRuntimeConfig: both select pools by the pools' own labels. */
export interface PoolTuning extends KubernetesObject {
  spec: { machineConfigPoolSelector?: LabelSelector; [setting: string]: unknown };
  status?: { observedGeneration?: number; conditions?: Condition[] };
}

export interface Taint {
  key: string;
  value?: string;
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  timeAdded?: string;
}

export interface Node extends KubernetesObject {
  spec: { unschedulable?: boolean; taints?: Taint[]; providerID?: string };
  status?: {
    conditions?: Condition[];
    allocatable?: Record<string, string>;
    capacity?: Record<string, string>;
    nodeInfo?: Record<string, string>;
    addresses?: { type: string; address: string }[];
  };
}

export interface Toleration {
  key?: string;
  operator?: 'Exists' | 'Equal';
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface PodSpec {
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  containers: {
    name: string;
    image?: string;
    resources?: { requests?: Record<string, string> };
    [field: string]: unknown;
  }[];
  terminationGracePeriodSeconds?: number;
  [field: string]: unknown;
}

export interface Pod extends KubernetesObject {
  spec: PodSpec;
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    conditions?: Condition[];
    containerStatuses?: JsonObject[];
    qosClass?: string;
    startTime?: string;
    podIP?: string;
  };
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: PodSpec;
}

export interface Workload extends KubernetesObject {
  spec: { replicas?: number; selector: LabelSelector; template: PodTemplate; serviceName?: string };
  status?: JsonObject & { conditions?: Condition[] & JsonObject[] };
}

export interface Job extends KubernetesObject {
  spec: {
    parallelism?: number;
    completions?: number;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    suspend?: boolean;
    manualSelector?: boolean;
    selector: LabelSelector;
    template: PodTemplate;
  };
  status?: JobStatus;
}

export interface JobStatus {
  active?: number;
  ready?: number;
  terminating?: number;
  succeeded?: number;
  failed?: number;
  startTime?: string;
  completionTime?: string;
  uncountedTerminatedPods?: JsonObject;
  conditions?: Condition[];
}

export interface PodDisruptionBudget extends KubernetesObject {
  spec: {
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    selector?: LabelSelector;
    unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow';
  };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed: number;
    currentHealthy: number;
    desiredHealthy: number;
    expectedPods: number;
    disruptedPods?: Record<string, string>;
    conditions?: Condition[];
  };
}

export interface Event extends KubernetesObject {
  involvedObject: {
    kind?: string;
    namespace?: string;
    name?: string;
    uid?: string;
    apiVersion?: string;
    resourceVersion?: string;
  };
  reason: string;
  message: string;
  type: 'Normal' | 'Warning';
  source?: { component?: string; host?: string };
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  action?: string;
  reportingComponent?: string;
  reportingInstance?: string;
}

export interface Namespace extends KubernetesObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: 'Active' | 'Terminating' };
}

export interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
}

/** Objects whose content no simulated part reads. */
export interface OpaqueObject extends KubernetesObject {
  spec?: JsonObject;
  status?: JsonObject;
}
