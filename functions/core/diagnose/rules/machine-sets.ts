import type { Inquiry } from '../../findings/inquiry.ts';
import type { Finding, Remedy } from '../../findings/trouble.ts';
import { itemsOf, read } from '../../findings/unread.ts';
import { kindWord } from '../../text/kind-words.ts';
import { ageText, between, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { liveEdit, managerOf } from '../managed-by.ts';
import { type Machine, type MachineSet, maximumAnnotation } from '../objects/machine.ts';
import { LiveNode } from '../objects/node.ts';
import type { Pod } from '../objects/pod.ts';
import { asksForTooMuch, fitsLabels, untolerated, wishesOf } from '../placement.ts';
import { machineNamespace, machineSets, machinesOf } from '../questions.ts';
import { remedy } from '../remedies.ts';
import type { Subject } from '../subject.ts';

/** What one more node would take: the MachineSet whose machines the pod may run on, if there is one. */
export interface Growth {
  readonly remedies: readonly Remedy[];
  /** A machine of that set is being made already: `its machine worker-d-x is Provisioning`. */
  readonly coming: string | undefined;
}

/** One more node helps where there is none to run on, or no room. */
const helpedByNodes = ['U2', 'U3', 'U4', 'U5', 'self-deadlock'];
/** What the rules say of it where nothing is known of machines. */
const inGeneral = /^Add a (?:second )?node\b/;

/** Names the MachineSet in place of advice in general, and says when a machine is on its way already. */
export function* withGrowth(found: Finding, pod: Pod, subject: Pick<Subject, 'applications'>): Inquiry<Finding> {
  if (!helpedByNodes.includes(found.code) || found.class === 'self-healing') return found;
  const { remedies, coming } = yield* growthFor(pod, subject);
  const others = found.remedies.filter(({ title }) => !inGeneral.test(title));
  if (coming !== undefined)
    return {
      ...found,
      sentence: `${found.sentence} One more node is on its way: ${coming}.`,
      class: 'self-healing',
      remedies: [remedy('Wait for the new node'), ...others],
    };
  return remedies.length === 0 ? found : { ...found, remedies: [...remedies, ...others] };
}

const none: Growth = { remedies: [], coming: undefined };

/** Phases of a machine that will be a node. Source: openshift/api machine/v1beta1, Machine phases. */
const unfinished = ['Provisioning', 'Provisioned'];
/** Milliseconds that a machine takes at most to become a node, bare metal with its inspection among them. One that
 *  has been at it for longer (a quota, a certificate that nobody approved) is waited for in vain. */
const finishedWithin = 3_600_000;

/** Follows the mapping from the pod's wishes to a MachineSet, and from that to its machines. Clusters without the
 *  Machine API, or with no set that fits, have no such growth. */
function* growthFor(pod: Pod, { applications = [] }: Pick<Subject, 'applications'>): Inquiry<Growth> {
  if (asksForTooMuch(pod)) return none;
  const sets = itemsOf(yield* read(machineSets()))
    .filter((set) => fits(pod, set))
    .toSorted(easiestFirst);
  const [best] = sets;
  if (best === undefined) return none;
  const machines = yield* read(machinesOf(best.metadata.name));
  const made = itemsOf(machines);
  const underWay = made.filter(({ status }) => unfinished.includes(status.phase));
  const coming = underWay.find((machine) => ageOf(machine, machines.readAt) <= finishedWithin);
  const [stuck] = coming === undefined ? underWay : [];
  const trouble = stuck === undefined ? failedText(made) : stuckText(stuck, machines.readAt);
  return {
    remedies: liveEdit(
      managerOf({ kind: 'MachineSet', metadata: best.metadata }, applications),
      grow(best, pod, trouble),
    ),
    coming: coming === undefined ? undefined : `machine ${coming.metadata.name} is ${coming.status.phase}`,
  };
}

/** A new node of the set has these labels and taints beside what every Linux node has. A host or a zone by name is
 *  not promised. */
function fits(pod: Pod, { metadata, spec }: MachineSet): boolean {
  const { metadata: made, taints } = spec.template.spec;
  const node = LiveNode.parse({
    metadata: {
      name: metadata.name,
      labels: { 'kubernetes.io/os': 'linux', 'node-role.kubernetes.io/worker': '', ...made.labels },
    },
    spec: { unschedulable: false, taints },
  });
  return fitsLabels(pod, node) && untolerated(pod, node).length === 0;
}

/** One that runs machines before one that was scaled away; then by name, so that the answer is stable. */
function easiestFirst(a: MachineSet, b: MachineSet): number {
  return (
    Number(isAtMaximum(a)) - Number(isAtMaximum(b)) ||
    Number(b.spec.replicas > 0) - Number(a.spec.replicas > 0) ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  );
}

function maximumOf({ metadata }: MachineSet): number | undefined {
  const written = Number.parseInt(metadata.annotations[maximumAnnotation] ?? '', 10);
  return Number.isNaN(written) ? undefined : written;
}

function isAtMaximum(set: MachineSet): boolean {
  const maximum = maximumOf(set);
  return maximum !== undefined && set.spec.replicas >= maximum;
}

/** @param trouble what became of the last machine of the set, in brackets; empty: nothing is known against it */
function grow(set: MachineSet, pod: Pod, trouble: string): Remedy {
  const { name } = set.metadata;
  const { replicas } = set.spec;
  const wishes = wishesOf(pod);
  const fitting = wishes === '' ? '' : `, whose nodes have ${wishes}`;
  if (isAtMaximum(set))
    return remedy(
      `Raise the maximum of the MachineAutoscaler of MachineSet ${name}${fitting}: it has all of its ${replicas} machines`,
    );
  const scale = (to: number) =>
    command('oc', '-n', machineNamespace, 'scale', kindWord('MachineSet'), name, `--replicas=${to}`);
  return remedy(`Add a node: MachineSet ${name}${fitting}, from ${replicas} to ${replicas + 1}${trouble}`, {
    command: scale(replicas + 1),
    undo: scale(replicas),
    risk: 'low',
  });
}

function ageOf({ metadata }: Machine, readAt: string): number {
  return between(metadata.creationTimestamp ?? readAt, readAt);
}

function stuckText(machine: Machine, readAt: string): string {
  const { metadata, status } = machine;
  return ` (its machine ${metadata.name} has been ${status.phase} for ${ageText(ageOf(machine, readAt))})`;
}

function failedText(machines: readonly Machine[]): string {
  const failed = machines.find(({ status }) => status.phase === 'Failed');
  if (failed === undefined) return '';
  return ` (its machine ${failed.metadata.name} failed: ${quoted(failed.status.errorMessage, 120)})`;
}
