import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { type Reading, read } from '../../findings/unread.ts';
import { clipped, quoted } from '../../text/phrases.ts';
import type { VirtualMachineInstance } from '../objects/around-a-pod.ts';
import { conditionOf } from '../objects/metadata.ts';
import type { Pod } from '../objects/pod.ts';
import { virtualMachine } from '../questions.ts';
import { remedy } from '../remedies.ts';

/** Label of a virt-launcher pod that names its machine. Source: KubeVirt api v1, types.go. */
const machineLabel = 'vm.kubevirt.io/name';

/** The virtual machine that a pod runs. */
export interface PodsMachine {
  readonly name: string;
  /** T10: it cannot be moved by live migration, so it stays. Undefined when it can. */
  readonly immovable: Finding | undefined;
  /** KubeVirt says that it can be: its eviction is refused until that is done, and begins it. */
  readonly isMigratable: boolean;
}

/** Undefined where the pod runs none, or where it cannot be seen. */
export function* machineOf(pod: Pod): Inquiry<PodsMachine | undefined> {
  const name = pod.metadata.labels[machineLabel];
  if (name === undefined || name === '') return undefined;
  const { namespace } = pod.metadata;
  const machine = yield* read(virtualMachine(namespace, name));
  if (machine.kind !== 'read') return undefined;
  const isMigratable = conditionOf(machine.value.status.conditions, 'LiveMigratable')?.status === 'True';
  return { name, immovable: immovable(machine, name, namespace), isMigratable };
}

function immovable(
  machine: Reading<VirtualMachineInstance> & { readonly kind: 'read' },
  name: string,
  namespace: string,
): Finding | undefined {
  const migratable = conditionOf(machine.value.status.conditions, 'LiveMigratable');
  if (migratable?.status !== 'False') return undefined;
  const of = ref('VirtualMachineInstance', name, namespace);
  return finding({
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
}
