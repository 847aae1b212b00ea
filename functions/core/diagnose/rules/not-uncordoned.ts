import type { Inquiry } from '../../findings/inquiry.ts';
import type { Finding } from '../../findings/trouble.ts';
import { type Reading, read, type Unread, unreadOf } from '../../findings/unread.ts';
import { ifGiven } from '../../text/if-given.ts';
import type { MachineConfigNode } from '../objects/machine-config-node.ts';
import { operatorPods } from '../questions.ts';
import type { NodeSubject } from '../subject.ts';
import { deadParts } from './operator-parts.ts';
import { cordonRefused } from './step-failed.ts';

/** What stands behind D5: the controller does not run, or the API server does not let it take the cordon away. Empty:
 *  nothing is known. */
export function* whyNotUncordoned(
  subject: NodeSubject,
  machine: Reading<MachineConfigNode>,
): Inquiry<{ readonly because: readonly Finding[]; readonly unread: readonly Unread[] }> {
  const parts = yield* read(operatorPods());
  const dead =
    parts.kind === 'read' ? deadParts(parts.value.items, parts.readAt).filter(({ code }) => code === 'S13') : [];
  if (dead.length > 0) return { because: dead, unread: [] };
  const refused =
    machine.kind === 'read' ? yield* cordonRefused(subject, machine.value, machine.readAt, 'Uncordoned') : undefined;
  return { because: ifGiven(refused), unread: unreadOf([parts]) };
}
