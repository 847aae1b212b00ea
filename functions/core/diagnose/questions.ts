import type { PageOf } from '../findings/read-pages.ts';
import type { Asked } from '../findings/unread.ts';
import { mcoNamespace } from '../openshift/machine-config-operator.ts';
import { type LabelSelector, selectorText } from '../openshift/selector.ts';
import { clipped } from '../text/phrases.ts';
import { EndpointSlice, Namespace, VirtualMachineInstance, WebhookConfiguration } from './objects/around-a-pod.ts';
import { CertificateRequest } from './objects/certificate-request.ts';
import { Event } from './objects/event.ts';
import { Machine, MachineSet, machineSetLabel } from './objects/machine.ts';
import { MachineConfigNode } from './objects/machine-config-node.ts';
import { ManagedBy } from './objects/managed-fields.ts';
import { kindList } from './objects/metadata.ts';
import { LiveNode } from './objects/node.ts';
import { NodeStatuses } from './objects/node-status.ts';
import { DaemonSet, ObjectHead, ReplicaOwner } from './objects/object-head.ts';
import { Pod } from './objects/pod.ts';
import { PodDisruptionBudget } from './objects/pod-disruption-budget.ts';
import { Reported, TuningConfig } from './objects/tuning-config.ts';

/** Every read that a diagnosis may make. Each is bounded: one object, one namespace, one node, or a page. Never all
 *  pods and never all nodes in full: 2,000 nodes are about 40 MB. */

export const machineNamespace = 'openshift-machine-api';

/** Bytes of a page: a node has 20-30 kB, so 50 nodes are about 1.5 MB. More candidates than these and no claim is
 *  made from them. */
const candidateLimit = 50;
const eventLimit = 100;
/** A node runs at most 250 pods by default; 500 is the highest setting that Red Hat supports. */
export const podsOfNodeLimit = 500;
/** Pods of a PodDisruptionBudget that a page has at most. */
export const siblingsPerPage = 100;
/** PodDisruptionBudgets that a page has at most. */
export const budgetsPerPage = 500;
const machineConfigLimit = 500;
const statusLimit = 2_000;
const webhookConfigurationLimit = 100;
/** A kubelet that is refused asks again every few minutes; the approver gives up past some 100 pending ones. */
const certificateRequestLimit = 500;

const Machines = kindList(Machine);
const MachineSets = kindList(MachineSet);
const Pods = kindList(Pod);
const Nodes = kindList(LiveNode);
const Budgets = kindList(PodDisruptionBudget);
const Events = kindList(Event);
const Heads = kindList(ObjectHead);
const Webhooks = kindList(WebhookConfiguration);
const Slices = kindList(EndpointSlice);
const TuningConfigs = kindList(TuningConfig);
const CertificateRequests = kindList(CertificateRequest);
const NodeWithAuthors = LiveNode.and(ManagedBy);

export function machineConfigNode(name: string): Asked<MachineConfigNode> {
  return {
    question: get(`/apis/machineconfiguration.openshift.io/v1/machineconfignodes/${part(name)}`),
    what: `the MachineConfigNode ${name}`,
    shape: MachineConfigNode,
  };
}

/** Warnings about one object, from one namespace. Events of a Node live in a namespace of their writer's choice. */
export function warningsAbout(
  object: { readonly kind: string; readonly name: string },
  namespace: string,
): Asked<{ readonly items: readonly Event[] }> {
  const fieldSelector = `involvedObject.kind=${object.kind},involvedObject.name=${object.name},type=Warning`;
  return {
    question: get(`/api/v1/namespaces/${part(namespace)}/events`, { fieldSelector, limit: `${eventLimit}` }),
    what: `the events of ${object.kind} ${object.name} in ${namespace}`,
    shape: Events,
  };
}

/** All events about a pod, normal ones too: the autoscaler's "on its way" is one. */
export function eventsAboutPod(pod: {
  readonly namespace: string;
  readonly name: string;
}): Asked<{ readonly items: readonly Event[] }> {
  const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod.name}`;
  return {
    question: get(`/api/v1/namespaces/${part(pod.namespace)}/events`, { fieldSelector, limit: `${eventLimit}` }),
    what: `the events of pod ${pod.namespace}/${pod.name}`,
    shape: Events,
  };
}

/** One page. `from`: where the page before ended. */
export function podsOn(
  node: string,
  { from = '', limit = podsOfNodeLimit } = {},
): Asked<{ readonly items: readonly Pod[]; readonly metadata: { readonly continue: string } }> {
  return {
    question: get('/api/v1/pods', { fieldSelector: `spec.nodeName=${node}`, ...pageOf({ from, limit }) }),
    what: `the pods on ${node}`,
    shape: Pods,
  };
}

export function podNamed(namespace: string, name: string): Asked<Pod> {
  return {
    question: get(`/api/v1/namespaces/${part(namespace)}/pods/${part(name)}`),
    what: `pod ${namespace}/${name}`,
    shape: Pod,
  };
}

/** One page. `from`: where the page before ended. */
export function podsSelected(
  namespace: string,
  selector: LabelSelector,
  { from = '', limit = siblingsPerPage } = {},
): Asked<{ readonly items: readonly Pod[]; readonly metadata: { readonly continue: string } }> {
  const labelSelector = selectorText(selector);
  return {
    question: get(`/api/v1/namespaces/${part(namespace)}/pods`, {
      ...(labelSelector === '' ? {} : { labelSelector }),
      ...pageOf({ from, limit }),
    }),
    what: `the pods of ${namespace} with ${labelSelector === '' ? 'any label' : labelSelector}`,
    shape: Pods,
  };
}

export function budgetsOf(namespace: string): Asked<{ readonly items: readonly PodDisruptionBudget[] }> {
  return {
    question: get(`/apis/policy/v1/namespaces/${part(namespace)}/poddisruptionbudgets`, { limit: `${budgetsPerPage}` }),
    what: `the PodDisruptionBudgets of ${namespace}`,
    shape: Budgets,
  };
}

/** One page. Only where no pod is named: the budgets of every namespace that has pods on the node, in one call instead
 *  of one each. `from`: where the page before ended. */
export function allBudgets({ from = '', limit = budgetsPerPage } = {}): Asked<{
  readonly items: readonly PodDisruptionBudget[];
  readonly metadata: { readonly continue: string };
}> {
  return {
    question: get('/apis/policy/v1/poddisruptionbudgets', pageOf({ from, limit })),
    what: 'the PodDisruptionBudgets',
    shape: Budgets,
  };
}

export function nodeNamed(name: string): Asked<LiveNode & ManagedBy> {
  return { question: get(`/api/v1/nodes/${part(name)}`), what: `node ${name}`, shape: NodeWithAuthors };
}

export interface CandidateNodes {
  readonly items: readonly LiveNode[];
  readonly metadata: { readonly continue: string };
}

/** Nodes on which a pod may run, as far as labels say it. */
export function candidateNodes(selector: LabelSelector): Asked<CandidateNodes> {
  const labelSelector = selectorText(selector);
  return {
    question: get('/api/v1/nodes', {
      ...(labelSelector === '' ? {} : { labelSelector }),
      limit: `${candidateLimit}`,
    }),
    what: labelSelector === '' ? 'the nodes' : `the nodes with ${clipped(labelSelector, 300)}`,
    shape: Nodes,
  };
}

/** Ready and cordoned, for all nodes of a pool at once: a Table without the objects has about 100 bytes a node. */
export function nodeStatuses(selector: LabelSelector): Asked<NodeStatuses> {
  return {
    question: {
      path: '/api/v1/nodes',
      query: { labelSelector: selectorText(selector), limit: `${statusLimit}`, includeObject: 'None' },
      form: 'table',
    },
    what: 'the status of the nodes',
    shape: NodeStatuses,
  };
}

export function configDaemonOn(node: string): Asked<{ readonly items: readonly Pod[] }> {
  return {
    question: get(`/api/v1/namespaces/${mcoNamespace}/pods`, {
      fieldSelector: `spec.nodeName=${node}`,
      labelSelector: 'k8s-app=machine-config-daemon',
      limit: '5',
    }),
    what: `the config daemon's pod on ${node}`,
    shape: Pods,
  };
}

/** The MCO's own parts that are few: one controller, and a server on each node of the control plane. */
export function operatorPods(): Asked<{ readonly items: readonly Pod[] }> {
  return {
    question: get(`/api/v1/namespaces/${mcoNamespace}/pods`, {
      labelSelector: 'k8s-app in (machine-config-controller,machine-config-server)',
      limit: '20',
    }),
    what: 'the pods of the machine-config-controller and -server',
    shape: Pods,
  };
}

/** How many config daemons there should be and are, without a list of them. */
export function configDaemons(): Asked<DaemonSet> {
  return {
    question: get(`/apis/apps/v1/namespaces/${mcoNamespace}/daemonsets/machine-config-daemon`),
    what: 'the DaemonSet machine-config-daemon',
    shape: DaemonSet,
  };
}

export function replicaOwner(
  namespace: string,
  owner: { readonly kind: string; readonly name: string },
): Asked<ReplicaOwner> {
  const plural = `${owner.kind.toLowerCase()}s`;
  return {
    question: get(`/apis/apps/v1/namespaces/${part(namespace)}/${part(plural)}/${part(owner.name)}`),
    what: `${owner.kind} ${namespace}/${owner.name}`,
    shape: ReplicaOwner,
  };
}

/** Who keeps a workload as it is. Its content is nobody's business here. */
export function workloadHead(
  namespace: string,
  owner: { readonly kind: string; readonly name: string },
): Asked<ObjectHead> {
  const plural = `${owner.kind.toLowerCase()}s`;
  return {
    question: {
      path: `/apis/apps/v1/namespaces/${part(namespace)}/${part(plural)}/${part(owner.name)}`,
      query: {},
      form: 'metadata',
    },
    what: `${owner.kind} ${namespace}/${owner.name}`,
    shape: ObjectHead,
  };
}

/** Names, labels and writers. Never the content: rendered configs embed the pull secret. */
export function machineConfigHeads(): Asked<{
  readonly items: readonly ObjectHead[];
  readonly metadata: { readonly continue: string };
}> {
  return {
    question: {
      path: '/apis/machineconfiguration.openshift.io/v1/machineconfigs',
      query: { limit: `${machineConfigLimit}` },
      form: 'metadata',
    },
    what: 'the names of the MachineConfigs',
    shape: Heads,
  };
}

export function machineConfigHead(name: string): Asked<ObjectHead> {
  return {
    question: {
      path: `/apis/machineconfiguration.openshift.io/v1/machineconfigs/${part(name)}`,
      query: {},
      form: 'metadata',
    },
    what: `MachineConfig ${name}`,
    shape: ObjectHead,
  };
}

/** Ten at most of each kind are supported. Source: MCO kubelet-config controller. */
export function tuningConfigs(
  kind: 'kubeletconfigs' | 'containerruntimeconfigs',
): Asked<{ readonly items: readonly TuningConfig[] }> {
  return {
    question: get(`/apis/machineconfiguration.openshift.io/v1/${kind}`, { limit: '50' }),
    what: `the ${kind}`,
    shape: TuningConfigs,
  };
}

/** How far the MCO's own templates are. There is one. */
export function controllerConfig(): Asked<Reported> {
  return {
    question: get('/apis/machineconfiguration.openshift.io/v1/controllerconfigs/machine-config-controller'),
    what: 'the ControllerConfig',
    shape: Reported,
  };
}

/** What a part of the platform says of itself. */
export function clusterOperator(name: string): Asked<Reported> {
  return {
    question: get(`/apis/config.openshift.io/v1/clusteroperators/${part(name)}`),
    what: `cluster operator ${name}`,
    shape: Reported,
  };
}

/** How far the build of an image-mode pool's image has come. */
export function imageBuild(name: string): Asked<Reported> {
  return {
    question: get(`/apis/machineconfiguration.openshift.io/v1/machineosbuilds/${part(name)}`),
    what: `MachineOSBuild ${name}`,
    shape: Reported,
  };
}

/** Who builds the images of image-mode pools. It runs only while there is such a pool. */
export function imageBuilder(): Asked<{ readonly items: readonly Pod[] }> {
  return {
    question: get(`/api/v1/namespaces/${mcoNamespace}/pods`, {
      labelSelector: 'k8s-app=machine-os-builder',
      limit: '5',
    }),
    what: 'the pod of the machine-os-builder',
    shape: Pods,
  };
}

/** Who asks for a certificate. Requests are deleted within a day at most. */
export function certificateRequests(): Asked<{ readonly items: readonly CertificateRequest[] }> {
  return {
    question: get('/apis/certificates.k8s.io/v1/certificatesigningrequests', { limit: `${certificateRequestLimit}` }),
    what: 'the certificate signing requests',
    shape: CertificateRequests,
  };
}

/** The machine behind a node, from the node's annotation (`namespace/name`). */
export function machineNamed(namespace: string, name: string): Asked<Machine> {
  return {
    question: get(`${machineApi(namespace)}/machines/${part(name)}`),
    what: `Machine ${name}`,
    shape: Machine,
  };
}

/** What could make one more node. A cluster has some dozens. */
export function machineSets(): Asked<{ readonly items: readonly MachineSet[] }> {
  return {
    question: get(`${machineApi(machineNamespace)}/machinesets`, { limit: '100' }),
    what: 'the MachineSets',
    shape: MachineSets,
  };
}

/** The machines of one set, on their way or failed. */
export function machinesOf(machineSet: string): Asked<{ readonly items: readonly Machine[] }> {
  return {
    question: get(`${machineApi(machineNamespace)}/machines`, {
      labelSelector: `${machineSetLabel}=${machineSet}`,
      limit: '100',
    }),
    what: `the machines of MachineSet ${machineSet}`,
    shape: Machines,
  };
}

function machineApi(namespace: string): string {
  return `/apis/machine.openshift.io/v1beta1/namespaces/${part(namespace)}`;
}

/** What still lives in a namespace that is being deleted, by its own conditions. */
export function namespaceNamed(name: string): Asked<Namespace> {
  return {
    question: get(`/api/v1/namespaces/${part(name)}`),
    what: `namespace ${name}`,
    shape: Namespace,
  };
}

/** The machine behind a virt-launcher pod. Source: KubeVirt api v1, VirtualMachineInstance. */
export function virtualMachine(namespace: string, name: string): Asked<VirtualMachineInstance> {
  return {
    question: get(`/apis/kubevirt.io/v1/namespaces/${part(namespace)}/virtualmachineinstances/${part(name)}`),
    what: `VirtualMachineInstance ${namespace}/${name}`,
    shape: VirtualMachineInstance,
  };
}

/** Who answers admission reviews; a cluster has some dozens. */
export function webhooks(kind: 'validating' | 'mutating'): Asked<{ readonly items: readonly WebhookConfiguration[] }> {
  return {
    question: get(`/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`, {
      limit: `${webhookConfigurationLimit}`,
    }),
    what: `the ${kind} webhooks`,
    shape: Webhooks,
  };
}

/** Whether anybody stands behind a Service. */
export function endpointsOf(namespace: string, service: string): Asked<{ readonly items: readonly EndpointSlice[] }> {
  return {
    question: get(`/apis/discovery.k8s.io/v1/namespaces/${part(namespace)}/endpointslices`, {
      labelSelector: `kubernetes.io/service-name=${service}`,
      limit: '20',
    }),
    what: `the endpoints of Service ${namespace}/${service}`,
    shape: Slices,
  };
}

function pageOf({ from, limit }: PageOf): Readonly<Record<string, string>> {
  return { limit: `${limit}`, ...(from === '' ? {} : { continue: from }) };
}

function get(path: string, query: Readonly<Record<string, string>> = {}): Asked<unknown>['question'] {
  return { path, query };
}

/** Names come out of texts and other objects: they must not become another path. */
function part(name: string): string {
  return encodeURIComponent(name);
}
