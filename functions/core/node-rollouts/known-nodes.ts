import { configOfChange } from '../openshift/change-name.ts';
import type { Node } from '../openshift/node.ts';
import { type NodeRollout, runningChange } from '../openshift/node-rollout.ts';
import { given } from '../text/given.ts';
import { isEarlierSecond } from '../text/instant.ts';
import type { PoolMark } from './pool-mark.ts';

/** What the last look found of a node. */
export interface KnownNode {
  readonly pool: string;
  /** End of its uid: enough to tell it from a later node of the same name. */
  readonly uid: string;
  /** What it ran (`runningChange`). */
  readonly config: string;
  /** Boot id, read while its pool was rolling out and the node was still to be updated. */
  readonly boot?: string | undefined;
}

/** By node name. */
export type KnownNodes = Readonly<Record<string, KnownNode>>;

const uidKept = 12;

export function knownNode(pool: string, node: Node, boot: string | undefined): KnownNode {
  return { pool, uid: node.uid.slice(-uidKept), config: runningChange(node), ...given({ boot }) };
}

/** Undefined if nothing is known of this node, or only of an earlier one of the same name. */
export function knownOf(known: KnownNodes | undefined, node: Node): KnownNode | undefined {
  const found = known?.[node.name];
  return found?.uid === node.uid.slice(-uidKept) ? found : undefined;
}

export interface Before {
  /** What the node ran at the look before: its rendered config, in image mode with the image if that is known. */
  readonly config: string;
  /** ISO instant of that look; undefined: unknown. */
  readonly at: string | undefined;
  readonly boot: string | undefined;
}

/** What the look before this one found of the node: known of itself, or by its open rollout, or because its whole pool
 *  was at rest. Undefined if nothing is known. */
export function beforeOf(
  node: Node,
  pool: string,
  { known, rollout, marks }: Pick<Looked, 'known' | 'marks'> & { readonly rollout: NodeRollout | undefined },
): Before | undefined {
  const own = knownOf(known, node);
  if (own !== undefined) return { config: own.config, at: marks[own.pool]?.at, boot: own.boot };
  if (rollout !== undefined && rollout.uid === node.uid)
    return { config: rollout.from, at: marks[rollout.pool]?.at, boot: undefined };
  const mark = marks[pool];
  if (mark === undefined || !mark.isAtRest || hasJoinedSince(node, mark)) return undefined;
  return { config: mark.config, at: mark.at, boot: undefined };
}

interface Looked {
  readonly known: KnownNodes | undefined;
  /** By pool. */
  readonly marks: Readonly<Record<string, PoolMark>>;
}

/** Whether the node runs another config or image than at the look before. Where only one of the two is known with an
 *  image, the configs alone tell: what is known of a whole pool has none. */
export function hasChanged(node: Pick<Node, 'currentConfig' | 'currentImage'>, before: Before | undefined): boolean {
  const runs = runningChange(node);
  if (before === undefined || runs === '' || runs === before.config) return false;
  return configOfChange(runs) !== configOfChange(before.config) || (hasImage(runs) && hasImage(before.config));
}

function hasImage(change: string): boolean {
  return change !== configOfChange(change);
}

/** The cluster has it since then, or it still has a config that was rendered for another pool. */
function hasJoinedSince({ createdAt, currentConfig }: Node, { at, config }: PoolMark): boolean {
  const isOlder = createdAt === undefined || isEarlierSecond(createdAt, at);
  return !isOlder || stem(currentConfig) !== stem(config);
}

/** `rendered-<pool>`. */
function stem(rendered: string): string {
  return rendered.slice(0, rendered.lastIndexOf('-'));
}
