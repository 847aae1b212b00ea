import type { Inquiry } from '../../findings/inquiry.ts';
import type { Remedy } from '../../findings/trouble.ts';
import { read } from '../../findings/unread.ts';
import { mayBeMadeFrom } from '../../openshift/operator-machine-configs.ts';
import type { Pool } from '../../openshift/pool.ts';
import { inGit, type ManagedBy, managerOf } from '../managed-by.ts';
import { isNamed, type Metadata, type OwnerReference } from '../objects/metadata.ts';
import type { ObjectHead } from '../objects/object-head.ts';
import { machineConfigHead } from '../questions.ts';
import type { NodeSubject, PoolSubject } from '../subject.ts';

/** Suspects for which it is read where they come from, one call each. */
const mostRevert = 2;

interface Known {
  readonly heads?: readonly ObjectHead[];
  readonly mending?: string;
}

/** MachineConfigs to be corrected, each with the Application, repository and path that it comes from, or with the
 *  object from which the MCO makes it. Of one that is gone or cannot be read, only the name is given.
 *  @param known heads: those that were read already; mending: what is to be done to each */
export function* revertsOf(
  names: readonly string[],
  { applications = [], pool }: Pick<PoolSubject | NodeSubject, 'applications' | 'pool'>,
  { heads = [], mending = 'revert or correct' }: Known = {},
): Inquiry<readonly Remedy[]> {
  const remedies: Remedy[] = [];
  for (const name of names.slice(0, mostRevert)) {
    const metadata = heads.find((head) => head.metadata.name === name)?.metadata ?? (yield* metadataOf(name));
    const maker = metadata && makerOf(metadata, pool);
    const what =
      maker === undefined
        ? `MachineConfig ${name}`
        : `${maker.kind} ${maker.name}, of which MachineConfig ${name} is made`;
    const manager: ManagedBy =
      metadata === undefined || maker !== undefined
        ? { kind: 'nobody' }
        : managerOf({ kind: 'MachineConfig', metadata }, applications);
    remedies.push(inGit(manager, `${mending} ${what}`, 'platform'));
  }
  return remedies;
}

/** The MCO does not mark as controller what it makes a MachineConfig from. Source: machine-config-operator
 *  pkg/controller/kubelet-config. */
function makerOf(metadata: Metadata, pool: Pool): OwnerReference | undefined {
  return metadata.ownerReferences.find((owner) => isNamed(owner) && mayBeMadeFrom(owner, metadata, pool));
}

function* metadataOf(name: string): Inquiry<Metadata | undefined> {
  const head = yield* read(machineConfigHead(name));
  return head.kind === 'read' ? head.value.metadata : undefined;
}
