import type { Inquiry } from '../../findings/inquiry.ts';
import { read } from '../../findings/unread.ts';
import { between } from '../../text/phrases.ts';
import { changedAt, type ObjectHead } from '../objects/object-head.ts';
import { machineConfigHeads } from '../questions.ts';
import type { NodeSubject } from '../subject.ts';

/** A render has what was written so long before it was stored: timestamps are whole seconds, and the MCO reads from a
 *  cache. */
const renderReadMs = 2000;

/** What was rendered at that instant has it as it still is. */
export function isAsRendered(head: ObjectHead, renderedAt: string): boolean {
  return between(changedAt(head), renderedAt) >= renderReadMs;
}

/** MachineConfigs in which the config that the node is to have differs from the one it has: new, edited or taken away.
 *  A name that is in both says nothing. Undefined: it cannot be told, as when the pool wants yet another config by
 *  now. */
export function* changedSources({ node, pool }: NodeSubject): Inquiry<readonly string[] | undefined> {
  const { current, target } = pool;
  if (node.desiredConfig !== target.name || node.currentConfig !== current.name) return undefined;
  const heads = yield* read(machineConfigHeads());
  if (heads.kind !== 'read' || heads.value.metadata.continue !== '') return undefined;
  const byName = new Map(heads.value.items.map((head) => [head.metadata.name, head]));
  const renderedAt = byName.get(current.name)?.metadata.creationTimestamp;
  if (renderedAt === undefined) return undefined;
  const changed = target.sources.filter((name) => {
    const head = byName.get(name);
    return head === undefined || !current.sources.includes(name) || !isAsRendered(head, renderedAt);
  });
  return [...changed, ...current.sources.filter((name) => !target.sources.includes(name))];
}
