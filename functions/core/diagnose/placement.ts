import { type LabelSelector, selects } from '../openshift/selector.ts';
import { ifGiven } from '../text/if-given.ts';
import { clipped } from '../text/phrases.ts';
import type { LiveNode, Taint } from './objects/node.ts';
import type { NodeRequirement, NodeSelectorTerm, Pod, Toleration } from './objects/pod.ts';

/** Where a pod may run, one filter after the other. The scheduler reports only the first filter that fails per node,
 *  and looks at cordons early: "1 was unschedulable" does not say that the cordoned node would fit otherwise. So it
 *  is computed again. */
export interface Placement {
  /** Selector and required affinity fit. */
  readonly labelled: readonly LiveNode[];
  /** Of these, all taints are tolerated, those of the moment not counted: a cordon, or what a node that reboots has. */
  readonly tolerated: readonly LiveNode[];
  /** Of these, no pod runs there that this one must keep apart from. */
  readonly apart: readonly LiveNode[];
  /** Of these, neither cordoned nor unfit for the moment: what is left must refuse for room, ports, volumes or
   *  spread. */
  readonly free: readonly LiveNode[];
}

/** @param siblings pods that the pod's own anti-affinity may select, with the nodes they run on */
export function place(pod: Pod, nodes: readonly LiveNode[], siblings: readonly Pod[]): Placement {
  const labelled = nodes.filter((node) => fitsLabels(pod, node));
  const tolerated = labelled.filter((node) => untolerated(pod, node).length === 0);
  const taken = nodesTaken(pod, siblings);
  const apart = tolerated.filter(({ metadata }) => !taken.has(metadata.name));
  return {
    labelled,
    tolerated,
    apart,
    free: apart.filter((node) => !node.spec.unschedulable && unfitTaints(pod, node).length === 0),
  };
}

/** What a pod may ask for: labels, terms, expressions, values and tolerations. Those in use have a few dozen. */
export const mostWishes = 200;

/** Each is compared with every node, and with every neighbour: whoever may create pods may write a megabyte of them,
 *  for which that would take seconds. Where such a pod may run is not known. */
export function asksForTooMuch(pod: Pod): boolean {
  const ofNodes = affinityTerms(pod).map((term) => sizeOf([...term.matchExpressions, ...term.matchFields]));
  const ofNeighbours = antiAffinityTerms(pod).map(
    ({ labelSelector }) =>
      Object.keys(labelSelector?.matchLabels ?? {}).length + sizeOf(labelSelector?.matchExpressions ?? []),
  );
  const ofTerms = [...ofNodes, ...ofNeighbours].reduce((sum, size) => sum + 1 + size, 0);
  return Object.keys(pod.spec.nodeSelector).length + pod.spec.tolerations.length + ofTerms > mostWishes;
}

function sizeOf(expressions: readonly { readonly values: readonly string[] }[]): number {
  return expressions.reduce((sum, { values }) => sum + 1 + values.length, 0);
}

/** The part of a pod's wishes that a label selector can ask the API server for; the rest is filtered here. */
export function askableSelector(pod: Pod): LabelSelector {
  const terms = affinityTerms(pod);
  const only = terms.length === 1 ? terms[0] : undefined;
  return {
    matchLabels: pod.spec.nodeSelector,
    matchExpressions: (only?.matchExpressions ?? []).flatMap(labelRequirement),
  };
}

function labelRequirement({ key, operator, values }: NodeRequirement) {
  return operator === 'Gt' || operator === 'Lt' ? [] : [{ key, operator, values }];
}

/** In words, in short: `disk=ssd, zone in (a, b)`; empty when the pod may run anywhere. */
export function wishesOf(pod: Pod): string {
  const equal = Object.entries(pod.spec.nodeSelector).map(([key, value]) => (value === '' ? key : `${key}=${value}`));
  const terms = affinityTerms(pod).map((term) => term.matchExpressions.map(requirementText).join(' and '));
  const wishes = [...equal, terms.filter((each) => each !== '').join(' or ')].filter((each) => each !== '');
  return clipped(wishes.join(', '), longestWishes);
}

/** Characters: they stand in a sentence, in its evidence and in titles of remedies. */
const longestWishes = 300;

function requirementText({ key, operator, values }: NodeRequirement): string {
  switch (operator) {
    case 'In':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(', ')})`;
    case 'NotIn':
      return `${key} not in (${values.join(', ')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `no ${key}`;
    case 'Gt':
      return `${key} > ${values[0] ?? ''}`;
    case 'Lt':
      return `${key} < ${values[0] ?? ''}`;
    default:
      return operator satisfies never;
  }
}

export function fitsLabels(pod: Pod, node: LiveNode): boolean {
  if (!selects({ matchLabels: pod.spec.nodeSelector }, node.metadata.labels)) return false;
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => fitsTerm(term, node));
}

/** A term without any requirement selects nothing. Source: Kubernetes component-helpers nodeaffinity. */
function fitsTerm(term: NodeSelectorTerm, node: LiveNode): boolean {
  if (term.matchExpressions.length + term.matchFields.length === 0) return false;
  const fields = { 'metadata.name': node.metadata.name };
  return (
    term.matchExpressions.every((each) => meets(each, node.metadata.labels)) &&
    term.matchFields.every((each) => meets(each, fields))
  );
}

function meets(requirement: NodeRequirement, labels: Readonly<Record<string, string>>): boolean {
  const { key, operator, values } = requirement;
  if (operator !== 'Gt' && operator !== 'Lt') return selects({ matchExpressions: [{ key, operator, values }] }, labels);
  const has = Number.parseInt(labels[key] ?? '', 10);
  const limit = Number.parseInt(values[0] ?? '', 10);
  if (Number.isNaN(has) || Number.isNaN(limit)) return false;
  return operator === 'Gt' ? has > limit : has < limit;
}

function affinityTerms(pod: Pod): readonly NodeSelectorTerm[] {
  return pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}

/** The taint that a cordon brings: looked at as a cordon, not as a taint. */
const cordonTaint = 'node.kubernetes.io/unschedulable';

/** What the node lifecycle controller puts on a node for as long as its conditions say so: on every node that reboots,
 *  as soon as its kubelet has been silent for 40 s. No toleration is missing there. */
const unfit = /^node\.kubernetes\.io\/(?:not-ready|unreachable|network-unavailable|(?:disk|memory|pid)-pressure)$/;

/** Taints that somebody has given the node, and that keep the pod away. */
export function untolerated(pod: Pod, node: LiveNode): readonly Taint[] {
  return refusing(pod, node).filter(({ key }) => key !== cordonTaint && !unfit.test(key));
}

/** Taints that keep the pod away until the node is well again. */
export function unfitTaints(pod: Pod, node: LiveNode): readonly Taint[] {
  return refusing(pod, node).filter(({ key }) => unfit.test(key));
}

function refusing(pod: Pod, node: LiveNode): readonly Taint[] {
  return node.spec.taints.filter(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !pod.spec.tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

/** Source: Kubernetes core/v1 Toleration.ToleratesTaint. An empty key with Exists tolerates everything, an empty
 *  effect every effect. */
function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== '' && toleration.effect !== taint.effect) return false;
  if (toleration.key === '') return toleration.operator === 'Exists';
  if (toleration.key !== taint.key) return false;
  return toleration.operator === 'Exists' || toleration.value === taint.value;
}

function antiAffinityTerms(pod: Pod) {
  return pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Names of the nodes with a pod that this one must keep apart from. Only the common form: not two on one host. Other
 *  domains (zones) need the labels of the siblings' nodes. */
function nodesTaken(pod: Pod, siblings: readonly Pod[]): ReadonlySet<string> {
  const selectors = antiAffinityTerms(pod)
    .filter(({ topologyKey }) => topologyKey === 'kubernetes.io/hostname')
    .flatMap(({ labelSelector }) => ifGiven(labelSelector ?? undefined));
  return new Set(
    siblings
      .filter(({ metadata }) => metadata.uid !== pod.metadata.uid)
      .filter(({ metadata }) => selectors.some((selector) => selects(selector, metadata.labels)))
      .map(({ spec }) => spec.nodeName),
  );
}
