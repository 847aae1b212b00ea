import { unique } from '../text/unique.ts';
import { hasJustJoined } from './membership.ts';
import type { Node } from './node.ts';
import type { Pool } from './pool.ts';

/** What nodes of a pool have that are neither at its config nor at its target, as after a change that was taken back in
 *  the middle of its rollout. */
export interface OtherConfigs {
  /** Sorted. */
  readonly names: readonly string[];
  /** Nodes may have further ones: not all could be read, or there are too many. */
  readonly mayBeMore: boolean;
}

/** Rendered configs read besides those of the pool; each is up to a megabyte. */
const namedAtMost = 4;

/** The other configs that nodes have, or are on their way to. What nodes bring from another pool does not count: those
 *  that have just joined wait for no approval, and take what the others have.
 *  @param members nodes whose pool this is */
export function otherConfigs(
  pool: Pick<Pool, 'name' | 'nodeSelector' | 'current' | 'target'>,
  members: readonly Pick<Node, 'currentConfig' | 'desiredConfig'>[],
): OtherConfigs {
  const known = ['', pool.current.name, pool.target.name];
  const names = unique(members.flatMap(({ currentConfig, desiredConfig }) => [currentConfig, desiredConfig]))
    .filter((name) => !known.includes(name) && !hasJustJoined({ desiredConfig: name }, pool))
    .toSorted();
  return { names: names.slice(0, namedAtMost), mayBeMore: names.length > namedAtMost };
}
