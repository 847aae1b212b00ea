import type { Inquiry } from '../../findings/inquiry.ts';
import type { Finding } from '../../findings/trouble.ts';
import type { Reading, Unread } from '../../findings/unread.ts';
import { ifGiven } from '../../text/if-given.ts';
import type { MachineConfigNode } from '../objects/machine-config-node.ts';
import type { NodeSubject } from '../subject.ts';
import { deadController } from './operator-parts.ts';
import { cordonRefused } from './step-failed.ts';

/** What stands behind D5: the controller does not run, or the API server does not let it take the cordon away. Empty:
 *  nothing is known. */
export function* whyNotUncordoned(
  subject: NodeSubject,
  machine: Reading<MachineConfigNode>,
): Inquiry<{ readonly because: readonly Finding[]; readonly unread: readonly Unread[] }> {
  const { found: dead, unread } = yield* deadController();
  if (dead !== undefined) return { because: [dead], unread: [] };
  const refused =
    machine.kind === 'read' ? yield* cordonRefused(subject, machine.value, machine.readAt, 'Uncordoned') : undefined;
  return { because: ifGiven(refused), unread };
}
