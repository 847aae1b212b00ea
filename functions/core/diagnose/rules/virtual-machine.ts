import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref, without } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { read, unreadOf } from '../../findings/unread.ts';
import { clipped, quoted } from '../../text/phrases.ts';
import { conditionOf } from '../objects/metadata.ts';
import type { Pod } from '../objects/pod.ts';
import { virtualMachine } from '../questions.ts';
import { remedy } from '../remedies.ts';

/** Label of a virt-launcher pod that names its machine. Source: KubeVirt api v1, types.go. */
const machineLabel = 'vm.kubevirt.io/name';

/** T10: a drain moves a virtual machine by live migration; one that cannot migrate stays. Undefined when it can, or
 *  is no machine. */
export function* immovableMachine(pod: Pod): Inquiry<Finding | undefined> {
  const name = pod.metadata.labels[machineLabel];
  if (name === undefined || name === '') return undefined;
  const { namespace } = pod.metadata;
  const machine = yield* read(virtualMachine(namespace, name));
  if (machine.kind !== 'read') return undefined;
  const migratable = conditionOf(machine.value.status.conditions, 'LiveMigratable');
  if (migratable?.status !== 'False') return undefined;
  const of = ref('VirtualMachineInstance', name, namespace);
  const found = finding({
    code: 'T10',
    subject: of,
    sentence: `The virtual machine ${namespace}/${name} cannot be migrated: ${quoted(migratable.message || migratable.reason, 200)}.`,
    confidence: 'certain',
    class: 'structural',
    evidence: [
      evidence(
        of,
        'status.conditions[LiveMigratable]',
        clipped(`${migratable.reason}: ${migratable.message}`),
        machine.readAt,
      ),
    ],
    remedies: [
      remedy('Make it migratable, as its reason says (shared storage, no host devices)', { who: 'application owner' }),
      remedy('Or shut the machine down for this window', { risk: 'outage', who: 'application owner' }),
    ],
  });
  return without(found, unreadOf([machine]));
}
