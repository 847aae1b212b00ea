import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding, Remedy } from '../../findings/trouble.ts';
import { read } from '../../findings/unread.ts';
import { kindWord } from '../../text/kind-words.ts';
import { clipped, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { type Machine, machineAnnotation, machineSetLabel } from '../objects/machine.ts';
import type { LiveNode } from '../objects/node.ts';
import { machineNamed } from '../questions.ts';
import { remedy } from '../remedies.ts';
import { isOfControlPlane, replaceControlPlaneNode } from './control-plane-node.ts';

/** What the Machine API says of a node that is lost: which machine it is, whether that failed, and which set makes a
 *  new one. A node without a machine, or one that cannot be read, leaves the finding as it is. */
export function* withMachine(found: Finding, node: LiveNode): Inquiry<Finding> {
  if (found.code !== 'S2' && found.code !== 'S3') return found;
  const [namespace = '', name = ''] = (node.metadata.annotations[machineAnnotation] ?? '').split('/');
  if (name === '') return found;
  const machine = yield* read(machineNamed(namespace, name));
  if (machine.kind === 'absent')
    return { ...found, because: [...found.because, machineNotFound(node, name, machine.readAt)] };
  if (machine.kind === 'unread') return found;
  // Whoever has the rights of a kubelet writes the annotations of its node, and not what a machine says.
  const { nodeRef } = machine.value.status;
  if (nodeRef !== undefined && nodeRef.name !== node.metadata.name)
    return {
      ...found,
      sentence: `${found.sentence} Its annotation names machine ${name}, which is that of node ${clipped(nodeRef.name)}.`,
    };
  const because = failedMachine(machine.value, machine.readAt);
  return {
    ...found,
    sentence: `${found.sentence} Its machine is ${name} (${machine.value.status.phase || 'of unknown phase'}).`,
    because: because === undefined ? found.because : [...found.because, because],
    remedies: [
      ...found.remedies.filter(({ risk }) => risk === 'none' || isOfControlPlane(node)).map(toMachine(namespace, name)),
      ...(isOfControlPlane(node) ? [] : [replace(machine.value)]),
    ],
  };
}

function toMachine(namespace: string, name: string) {
  return (each: Remedy): Remedy =>
    each.title.startsWith('Look at the machine')
      ? { ...each, command: command('oc', '-n', namespace, 'describe', kindWord('Machine'), name) }
      : each;
}

/** S15: nothing will bring the node back but another machine. */
function failedMachine({ metadata, status }: Machine, readAt: string): Finding | undefined {
  if (status.phase !== 'Failed' && status.errorMessage === '') return undefined;
  const of = ref('Machine', metadata.name, metadata.namespace);
  return finding({
    code: 'S15',
    subject: of,
    sentence: `Machine ${of.name} has failed: ${quoted(status.errorMessage || status.errorReason || status.phase, 200)}.`,
    confidence: 'certain',
    class: 'structural',
    evidence: [
      evidence(of, 'status.phase', status.phase, readAt),
      evidence(of, 'status.errorMessage', clipped(status.errorMessage), readAt),
    ],
  });
}

/** That there is none of that name proves neither that it was deleted nor that the host is gone. */
function machineNotFound(node: LiveNode, name: string, readAt: string): Finding {
  const of = ref('Machine', name);
  return finding({
    code: 'S15',
    subject: of,
    sentence: `Machine ${name}, which ${node.metadata.name} names as its own, was not found: if it was deleted, the node does not come back.`,
    confidence: 'likely',
    class: 'structural',
    evidence: [evidence(of, 'metadata.name', '404 not found', readAt)],
    remedies: [
      remedy('See whether another machine is the one of this node, or its host still runs', {
        command: command('oc', 'get', kindWord('Machine'), '-A', '-o', 'wide'),
      }),
      ...(isOfControlPlane(node)
        ? replaceControlPlaneNode(node.metadata.name)
        : [
            remedy(`Remove the node object ${node.metadata.name}, only if its host is gone`, {
              command: command('oc', 'delete', 'node', node.metadata.name),
              risk: 'outage',
            }),
          ]),
    ],
  });
}

/** A machine of a set is replaced by deleting it; one without a set is not. */
function replace({ metadata }: Machine): Remedy {
  const set =
    metadata.labels[machineSetLabel] ?? metadata.ownerReferences.find(({ kind }) => kind === 'MachineSet')?.name;
  if (set === undefined)
    return remedy(`Replace machine ${metadata.name} by hand: no MachineSet makes a new one`, { risk: 'outage' });
  const title = `Replace it: MachineSet ${set} makes a new machine once ${metadata.name} is deleted; what pods keep on its disks is lost`;
  return remedy(title, {
    command: command(
      'oc',
      '-n',
      metadata.namespace || 'openshift-machine-api',
      'delete',
      kindWord('Machine'),
      metadata.name,
    ),
    risk: 'data-loss',
  });
}
