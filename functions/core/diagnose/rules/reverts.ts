import type { Inquiry } from '../../findings/inquiry.ts';
import type { Remedy } from '../../findings/trouble.ts';
import { read } from '../../findings/unread.ts';
import { inGit, type ManagedBy, managerOf } from '../managed-by.ts';
import type { Metadata } from '../objects/metadata.ts';
import type { ObjectHead } from '../objects/object-head.ts';
import { machineConfigHead } from '../questions.ts';
import type { Subject } from '../subject.ts';

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
  { applications = [] }: Pick<Subject, 'applications'>,
  { heads = [], mending = 'revert or correct' }: Known = {},
): Inquiry<readonly Remedy[]> {
  const remedies: Remedy[] = [];
  for (const name of names.slice(0, mostRevert)) {
    const metadata = heads.find((head) => head.metadata.name === name)?.metadata ?? (yield* metadataOf(name));
    const manager: ManagedBy =
      metadata === undefined ? { kind: 'nobody' } : managerOf({ kind: 'MachineConfig', metadata }, applications);
    const what =
      manager.kind === 'controller'
        ? `${manager.owner}, of which MachineConfig ${name} is made`
        : `MachineConfig ${name}`;
    remedies.push(
      inGit(manager.kind === 'controller' ? { kind: 'nobody' } : manager, `${mending} ${what}`, 'platform'),
    );
  }
  return remedies;
}

function* metadataOf(name: string): Inquiry<Metadata | undefined> {
  const head = yield* read(machineConfigHead(name));
  return head.kind === 'read' ? head.value.metadata : undefined;
}
